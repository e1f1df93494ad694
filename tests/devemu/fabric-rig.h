/* SPDX-License-Identifier: Apache-2.0 */
/* fabric-rig.h - a fabric from the text of a scenario, for tests that only want what comes out */
#ifndef TESTS_DEVEMU_FABRIC_RIG_H
#define TESTS_DEVEMU_FABRIC_RIG_H

#include <stdio.h>

#include "devemu/fabric/fabric.h"

struct fabric_rig {
	struct config config;
	struct fabric *fabric;
	char text[65536]; /* what fabric_rig_printed() has caught */
	FILE *file;
};

/* Read and build; 0 or what fabric_create() said. A text that cannot be read fails the test. */
int fabric_rig_build(struct fabric_rig *rig, const char *text, struct fabric_error *error);
void fabric_rig_run(struct fabric_rig *rig, const char *text); /* built and run to its end */

/* From a file below the top of the tree, @time ps instead of its own if > 0. */
void fabric_rig_run_file(struct fabric_rig *rig, const char *path, int64_t time);

void fabric_rig_done(struct fabric_rig *rig);

/* A stream, and after fabric_rig_caught() what has been written to it as a string. */
FILE *fabric_rig_catch(struct fabric_rig *rig);
const char *fabric_rig_caught(struct fabric_rig *rig);

#endif
