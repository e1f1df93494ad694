/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h - the information units (IUs) that a channel program would send over its path
 *
 * Both interpreters report each IU when it happens, so that a model of channel, link and control
 * unit can be charged for it. Counts follow FC-SB and FC-SB-4 as the FICON Express32S paper counts
 * them: a 4 KB read of three CCWs is three IUs to the control unit (three commands) and three back
 * (command response, data, status); the same read in transport mode is one (transport command) and
 * two (data, response).
 */
#ifndef DEVEMU_CHANNEL_TRACE_H
#define DEVEMU_CHANNEL_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* The most that one data IU of command mode carries. */
#define IU_DATA_MAX 8192u

enum io_iu {
	IU_COMMAND,            /* to the control unit; a command that reads, or has no data */
	IU_COMMAND_DATA,       /* to the control unit; a command with its first data */
	IU_DATA,               /* either way; at most IU_DATA_MAX bytes */
	IU_COMMAND_RESPONSE,   /* from the control unit, once for a chain */
	IU_STATUS,             /* from the control unit */
	IU_CONTROL,            /* to the control unit: cancel, selective reset */
	IU_TRANSPORT_COMMAND,  /* to the control unit: the TCCB */
	IU_TRANSFER_READY,     /* from the control unit, before data of a write */
	IU_TRANSPORT_DATA,     /* either way; all bytes of that direction */
	IU_TRANSPORT_RESPONSE, /* from the control unit: status, with the contents of the TSB */
	IU_KINDS
};

/* @bytes is the payload without headers: data, or for IU_TRANSPORT_COMMAND the TCCB. */
struct io_trace {
	void (*iu)(void *ctx, enum io_iu kind, bool to_cu, uint32_t bytes);
	void *ctx;
};

static inline void io_trace(const struct io_trace *trace, enum io_iu kind, bool to_cu,
			    uint32_t bytes)
{
	if (trace && trace->iu)
		trace->iu(trace->ctx, kind, to_cu, bytes);
}

#endif
