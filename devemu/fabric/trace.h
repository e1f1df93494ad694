/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h - the kinds of records that the fabric writes to the event log (clock/eventlog.h) */
#ifndef DEVEMU_FABRIC_TRACE_H
#define DEVEMU_FABRIC_TRACE_H

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
	TRACE_SYNC, /* zHyperLink; value: its outcome */
};

const char *trace_name(unsigned int kind);

#endif
