/* SPDX-License-Identifier: Apache-2.0 */
/* pcapng.h - a trace as a capture file that Wireshark opens */
#ifndef LFPD_ADMIN_PCAPNG_H
#define LFPD_ADMIN_PCAPNG_H

#include <stdio.h>

#include "lfp/trace.h"

/*
 * pcapng (draft-ietf-opsawg-pcapng) of the machine's byte order: a section, an interface of link
 * type USER0 (147), or of IP (@ip), a packet for each record, and the interface's statistics. A
 * packet has the header of the packet on the path and one frame of it, as far as the trace has kept
 * the frame. Its flags have the direction, as lfpd sees it.
 */
void pcapng_begin(const char *instance, bool ip, FILE *out);
void pcapng_record(const struct lfp_trace_record *record, FILE *out);

/* Writes a packet of IP: its headers, and @kept of the @len bytes behind them. The interface is
 * then of link type RAW (101). @comment: NULL for none */
void pcapng_packet(uint64_t time, const uint8_t *head, uint32_t head_len, const uint8_t *payload,
		   uint32_t kept, uint32_t len, bool inbound, const char *comment, FILE *out);

/* Writes the statistics: @records recorded, @lost not recorded. */
void pcapng_end(uint64_t records, uint64_t lost, FILE *out);

#endif
