/* SPDX-License-Identifier: Apache-2.0 */
/* fabric-rig.h - a fabric from the text of a scenario, for tests that look only at the results */
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

/* Reads the text and builds the fabric. Returns 0 or the error of fabric_create(). A text that
 * cannot be read fails the test. */
int fabric_rig_build(struct fabric_rig *rig, const char *text, struct fabric_error *error);
void fabric_rig_run(struct fabric_rig *rig, const char *text); /* built and run to its end */

/* Runs a scenario from a file below the top of the tree, for @time ps instead of its own time if
 * @time > 0. */
void fabric_rig_run_file(struct fabric_rig *rig, const char *path, int64_t time);

void fabric_rig_done(struct fabric_rig *rig);

/* Returns a stream. fabric_rig_caught() then returns the text written to it. */
FILE *fabric_rig_catch(struct fabric_rig *rig);
const char *fabric_rig_caught(struct fabric_rig *rig);

#endif
