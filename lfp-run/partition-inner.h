/* SPDX-License-Identifier: Apache-2.0 */
/* partition-inner.h - what the parts of a partition share: its directory, and the files in it */
#ifndef LFP_RUN_PARTITION_INNER_H
#define LFP_RUN_PARTITION_INNER_H

#include "lfp-run/partition.h"

/* Fills @why with "WHAT NAME: error". @error is a negative errno. Returns -1. */
int partition_fail(char why[static PATH_MAX], const char *what, const char *name, int error);

/* Chooses the name of the directory, which nobody else has: the sweeper must know it before the
 * directory exists. Returns 0, or -1 with @why filled. */
int partition_choose(struct partition *part, char why[static PATH_MAX]);

/* Writes a text as a file. Returns 0 or a negative errno. */
int partition_write(const char *path, const char *text);

/* Fills the directory: the statements, lfpd's configuration, or that of lfp-stack. Returns 0, or -1
 * with @why filled. */
int partition_fill(struct partition *part, char why[static PATH_MAX]);

/* Adds PUBLISH and POLICY_FILE to lfpd's configuration, and writes the file of rules. Return 0 or a
 * negative errno. */
int partition_add_publish(const struct partition *part);
int partition_add_rules(const struct partition *part);

#endif
