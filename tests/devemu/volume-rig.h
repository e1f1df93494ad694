/* SPDX-License-Identifier: Apache-2.0 */
/* volume-rig.h - fabrics whose devices have volumes in a folder of the test's own */
#ifndef TESTS_DEVEMU_VOLUME_RIG_H
#define TESTS_DEVEMU_VOLUME_RIG_H

#include "devemu/fabric/volume.h"
#include "tests/devemu/fabric-rig.h"

enum { VOLUME_RIG_CYLINDERS = 3 };

/* Makes and removes the folder of a group of tests. */
int volume_rig_setup(void **state);
int volume_rig_teardown(void **state);
const char *volume_rig_folder(void);

/* Returns a path in the folder, valid during the next three calls. */
const char *volume_rig_name(const char *file);

/* Makes a volume of 4 KB records, or of none if not @formatted. */
void volume_rig_make(const char *path, bool formatted);

bool volume_rig_same(const char *a, const char *b);

/* fabric_rig_build(), and volumes_open(). */
int volume_rig_open(struct fabric_rig *rig, const char *text, struct fabric_error *error);
void volume_rig_run(struct fabric_rig *rig, const char *text);

const struct volume_counters *volume_rig_counters(const struct fabric_rig *rig,
						  unsigned int number);

/* First statements of most scenarios: channel 50 and control unit 7800. */
#define VOLUME_RIG_FABRIC                                                                          \
	"seed 3\n"                                                                                 \
	"channel 50\n"                                                                             \
	"control-unit 7800\n"                                                                      \
	"path 50 7800\n"

#endif
