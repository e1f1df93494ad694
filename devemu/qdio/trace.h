/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h - a trace of QDIO buffers that checks each event */
#ifndef DEVEMU_QDIO_TRACE_H
#define DEVEMU_QDIO_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum qdio_event_kind {
	QDIO_EV_STATE,     /* a buffer of queue `queue` of side `side` has changed its state */
	QDIO_EV_ACCEPTED,  /* the machine has taken frame `sequence` from `side` */
	QDIO_EV_PENDING,   /* and it waits, with QAOB `qaob` */
	QDIO_EV_STORED,    /* it is in a buffer of the other side */
	QDIO_EV_FAILED,    /* it ends with `code`, and is in none */
	QDIO_EV_LOST,      /* there was no buffer, and no QAOB */
	QDIO_EV_COMPLETED, /* QAOB `qaob` of `side` was told to its program */
	QDIO_EV_KINDS,
};

struct qdio_event {
	uint8_t kind, side, queue, owner;
	uint8_t from, to, code;
	uint32_t index;
	uint64_t sequence, qaob;
};

/*
 * The trace of both sides if both are of one process, else of one. It keeps the last QDIO_TRACE
 * events, and looks at each as it comes: a change of state is made by the buffer's owner, from the
 * state it had; frames of a side are stored in the order in which they were accepted, and once; a
 * QAOB that pends is completed once. `wrong` holds the first error.
 */
#define QDIO_TRACE       4096u
#define QDIO_TRACE_QAOBS 256u

struct qdio_trace {
	struct qdio_event events[QDIO_TRACE]; /* a ring */
	uint64_t nr;
	bool both; /* the events of both sides come here: states and order can be followed */
	char wrong[160];
	uint8_t state[2][3][128];            /* 0: not known yet */
	uint64_t accepted[2], ended[2];      /* frames; ended is stored, failed or lost */
	uint64_t pending[2];                 /* QAOBs */
	uint64_t pends[2][QDIO_TRACE_QAOBS]; /* those that pend; 0: none */
};

/* Records an event. @trace may be NULL. */
void qdio_trace_event(struct qdio_trace *trace, const struct qdio_event *event);

/* For the end of all traffic: checks that each accepted frame was stored, failed or lost, and each
 * QAOB completed. Returns "" or the missing part (valid until the next event). */
const char *qdio_trace_end(struct qdio_trace *trace);

/* One event as text, for people. */
void qdio_trace_text(const struct qdio_event *event, char *text, size_t size);

#endif
