/* SPDX-License-Identifier: Apache-2.0 */
/* channel-rig.h - a subchannel with a device whose answers a test chooses */
#ifndef TESTS_DEVEMU_CHANNEL_RIG_H
#define TESTS_DEVEMU_CHANNEL_RIG_H

#include "devemu/channel/subch.h"

#define RIG_STORAGE 0x100000u /* 1 MiB */
#define RIG_PROGRAM 0x1000u   /* where channel programs are put */
#define RIG_DATA    0x20000u  /* and their data */

/*
 * The device: X'03' is immediate; X'x1' and other controls pull @wants bytes into @got, X'x2' and
 * X'xC' push @wants bytes counting up from @first, X'04' pushes sense. A command ends with @status,
 * after @later answers of DEVICE_LATER.
 */
struct rig_device {
	struct device device;
	uint32_t wants;
	uint8_t first;
	uint8_t status;
	int later;
	uint8_t got[70000];
	uint32_t got_len;
	uint8_t commands[64]; /* in the order of coming */
	unsigned int count;
	unsigned int begins, ends, resets;
};

struct rig {
	struct storage *storage;
	struct rig_device dev;
	struct subch *subch;
	struct orb orb;
	uint32_t at; /* of the next CCW */
	uint8_t irb[IRB_LEN];
	struct scsw scsw; /* of the last rig_run() */
	unsigned int interrupts;
	/* IUs that were seen */
	unsigned int iu_out, iu_in, kinds[IU_KINDS];
	uint32_t bytes_out, bytes_in;
	struct io_trace trace;
};

int rig_setup(void **state);
int rig_teardown(void **state);

/* Empties storage, program, device and counts. */
void rig_clear(struct rig *rig);

/* Adds a CCW in the format of rig->orb. Returns its address. */
uint32_t rig_ccw(struct rig *rig, uint8_t cmd, uint8_t flags, uint16_t count, uint32_t addr);

/* Executes SSCH of rig->orb, then TSCH into irb and scsw. Returns the condition code of SSCH. */
int rig_run(struct rig *rig);

/* Executes only SSCH. */
int rig_start(struct rig *rig);
/* Executes only TSCH. */
int rig_test(struct rig *rig);

#endif
