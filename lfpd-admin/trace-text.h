/* SPDX-License-Identifier: Apache-2.0 */
/* trace-text.h - records of a trace as lines for people */
#ifndef LFPD_ADMIN_TRACE_TEXT_H
#define LFPD_ADMIN_TRACE_TEXT_H

#include <stdio.h>

#include "lfp/trace.h"

/* A line with time, direction, packet, header and fields of the frame; kept payload below it. */
void trace_text(const struct lfp_trace_record *record, FILE *out);

#endif
