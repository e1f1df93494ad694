/* SPDX-License-Identifier: Apache-2.0 */
/* fctc-rig.h - one side of an FCTC pair, with a channel program of one command, for tests */
#ifndef TESTS_DEVEMU_FCTC_RIG_H
#define TESTS_DEVEMU_FCTC_RIG_H

#include "devemu/channel/ccw.h"
#include "devemu/channel/subch.h"
#include "devemu/device/fctc.h"

#define FCTC_RIG_DATA 0x10000u /* address of the blocks in its storage */

struct fctc_rig {
	struct fctc *fctc;
	struct storage *storage;
	struct subch *subch;
	struct scsw scsw;  /* of the last command, */
	uint8_t sense;     /* and its sense byte 0 */
	uint8_t attention; /* all unsolicited status so far */
};

void fctc_rig_init(struct fctc_rig *end);
void fctc_rig_finish(struct fctc_rig *end);
/* Starts a command. */
void fctc_rig_start(struct fctc_rig *end, uint8_t cmd, uint8_t flags, uint16_t count);
/* Returns true if the command is over. Its results are then set. */
bool fctc_rig_done(struct fctc_rig *end);

#endif
