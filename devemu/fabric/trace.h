/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h - the kinds of records that the fabric writes to the event log (clock/eventlog.h) */
#ifndef DEVEMU_FABRIC_TRACE_H
#define DEVEMU_FABRIC_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_kind {
	TRACE_START = 1, /* object: device number, value: I/O number */
	TRACE_DEFER,     /* object: CHPID, value: I/O number */
	TRACE_COMMAND,   /* command at the control unit; object: device number, value: I/O number */
	TRACE_DATA,      /* first frame of data at its end; object: device number, value: bytes */
	TRACE_END,       /* object: device number, value: I/O number */
	TRACE_ERROR,     /* no path; object: device number, value: I/O number */
	TRACE_SETIOS,    /* value: 1 ZHPF=YES, 0 ZHPF=NO */
	TRACE_FAIL,      /* object: enum fault_target, value: number */
	TRACE_RESTORE,
	TRACE_SYNC,   /* zHyperLink; value: its outcome */
	TRACE_IU,     /* an information unit is sent; object: device number, value: trace_iu() */
	TRACE_STATUS, /* of a channel program; object: device number, value: unit status << 8 |
			 subchannel status */
};

/* @kind: enum io_iu (channel/trace.h). */
static inline uint64_t trace_iu(unsigned int kind, bool to_cu, uint32_t bytes)
{
	return (uint64_t)kind << 40 | (uint64_t)to_cu << 32 | bytes;
}

const char *trace_name(unsigned int kind);

/* The value of a TRACE_IU in words: "> command-data 16 B", "< status 0 B". */
void trace_iu_text(uint64_t value, char *text, size_t len);

#endif
