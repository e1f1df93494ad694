/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h - the sub-commands of "lfpd-admin trace", and the text of a record */
#ifndef LFPD_ADMIN_TRACE_H
#define LFPD_ADMIN_TRACE_H

#include <stdbool.h>
#include <stdio.h>

#include "lfp/trace.h"
#include "lfpd-admin/view.h"

/* The commands start [KEY=VALUE...] and stop. They wait until the trace has started or ended.
 * @words ends with NULL. Both return the exit code of the program. */
int command_start(struct view *view, char **words);
int command_stop(struct view *view);

enum trace_form {
	TRACE_TEXT,
	TRACE_PCAPNG, /* the frames of the path */
	TRACE_IP,     /* pcapng of IP packets: trace-ip.h */
};

/* Print the ring file @file, or that of the instance if it is NULL, to @out (NULL or "-": standard
 * output). Returns the exit code of the program. */
int command_show(const struct view *view, const char *file, const char *out, enum trace_form form);

/* A line with time, direction, packet, header and fields of the frame; kept payload below it. */
void trace_text(const struct lfp_trace_record *record, FILE *out);

#endif
