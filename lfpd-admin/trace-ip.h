/* SPDX-License-Identifier: Apache-2.0 */
/* trace-ip.h - a trace as the IP packets that its connections may have had */
#ifndef LFPD_ADMIN_TRACE_IP_H
#define LFPD_ADMIN_TRACE_IP_H

#include <stdio.h>

#include "lfp/trace.h"

struct trace_ip;

/* Returns NULL without memory. Packets go to @out, as blocks of pcapng. */
struct trace_ip *trace_ip_create(FILE *out);
void trace_ip_destroy(struct trace_ip *ip);

/* Takes one record of the trace, in their order. Returns 0 or -ENOMEM. */
int trace_ip_record(struct trace_ip *ip, const struct lfp_trace_record *record);

#endif
