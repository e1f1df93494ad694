/* SPDX-License-Identifier: Apache-2.0 */
/* pcapng.h - a trace as a capture file that Wireshark opens */
#ifndef LFPD_ADMIN_PCAPNG_H
#define LFPD_ADMIN_PCAPNG_H

#include <stdio.h>

#include "lfp/trace.h"

/*
 * pcapng (draft-ietf-opsawg-pcapng) of the machine's byte order: a section, an interface of link
 * type USER0 (147), a packet for each record, and the interface's statistics. A packet has the
 * header of the packet on the path and one frame of it, as far as the trace has kept the frame. Its
 * flags have the direction, as lfpd sees it.
 */
void pcapng_begin(const char *instance, FILE *out);
void pcapng_record(const struct lfp_trace_record *record, FILE *out);

/* Writes the statistics: @records recorded, @lost not recorded. */
void pcapng_end(uint64_t records, uint64_t lost, FILE *out);

#endif
