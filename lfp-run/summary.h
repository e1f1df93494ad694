/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - the log of connections, summed up: which program reached what, and how often */
#ifndef LFP_RUN_SUMMARY_H
#define LFP_RUN_SUMMARY_H

#include <stdio.h>

struct summary;

/* Returns NULL without memory. */
struct summary *summary_create(void);
void summary_destroy(struct summary *summary);

/* Adds a record: a line of JSON as lfpd writes it (lfpd.conf(5)). A line that is none is counted.
 */
void summary_add(struct summary *summary, const char *line);

/* Prints a table, in the order in which things happened first. */
void summary_print(const struct summary *summary, FILE *out);

#endif
