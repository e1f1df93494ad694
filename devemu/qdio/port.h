/* SPDX-License-Identifier: Apache-2.0 */
/* port.h - a HiperSockets device of one program: queues, the machine's work, completion queue */
#ifndef DEVEMU_QDIO_PORT_H
#define DEVEMU_QDIO_PORT_H

#include <sys/uio.h>

#include "devemu/qdio/segment.h"
#include "devemu/qdio/trace.h"

/*
 * Theory of operation
 *
 * Two ports lie in a segment, each in a process of its own or both in one. No separate process
 * plays the machine: the port whose call causes a step performs it (machine.c), just as
 * HiperSockets copies on the sending processor. The sender copies a frame into the target's next
 * empty buffer. Without an empty buffer, a frame with a QAOB stays where it is, and its QAOB goes
 * on a list. When buffers are empty again, the target's port takes QAOBs off the list in order, and
 * posts their addresses in the sender's completion queue. While the list is not empty, all frames
 * go through it. A frame without QAOB (no completion queue) is lost then, and the sender is told.
 *
 * Shared memory is read once and checked, as the other side may be malicious. A port that finds an
 * impossible value is `broken`, and every call returns -EPROTO from then on.
 *
 * The program's half (port.c) does as Linux's drivers qdio, qeth and af_iucv do: a piece of memory
 * is free, filled, on its way in a slot of the output queue, or the machine's until its QAOB
 * completes. The program may see a completion before the slot's state "pending". The port reports
 * the transfer as complete when it has seen both.
 */

/* Faults for the machine to make; counts are decremented as they are used. */
struct qdio_faults {
	uint32_t busy;      /* SIGAs that find HiperSockets busy */
	uint32_t hold;      /* runs of the machine that keep back buffers which were given back */
	uint32_t late;      /* runs that keep back completions */
	uint32_t duplicate; /* completions that are posted twice */
	uint32_t race;      /* pending transfers whose slot changes its state after the next scan */
	uint32_t fail;      /* transfers off the list that end with `aorc`, and are not delivered */
	uint8_t aorc;
};

struct qdio_counts {
	uint64_t frames_out, bytes_out; /* accepted by the machine */
	uint64_t frames_in, bytes_in;
	uint64_t pending_ever, pending_max; /* transfers that had to wait */
	uint64_t done_ok, done_unreachable, done_error, done_twice;
	uint64_t target_full; /* frames lost for lack of a buffer at the target */
	uint64_t busy,
		full; /* SIGAs with cc 2: HiperSockets busy; list of pending transfers full */
	uint64_t interrupts_out, interrupts_in;
};

enum qdio_piece { /* of memory for a frame to be sent */
		  QDIO_FREE,
		  QDIO_PLACED, /* the program fills it */
		  QDIO_ON_WAY, /* in a slot that is primed */
		  QDIO_WAITS,  /* its slot was pending, its QAOB is with the machine */
		  QDIO_EARLY,  /* its QAOB came back before its slot was seen to be pending */
};

struct qdio_port {
	struct qdio_segment *segment;
	struct qdio_side *mine, *peer;
	uint32_t posted; /* input buffers that are given to the machine at most */
	bool cq;         /* it uses the completion queue */
	bool broken;
	bool gone; /* the peer is */
	struct qdio_faults faults;
	struct qdio_counts counts;
	struct qdio_trace *trace; /* or NULL */
	uint8_t number;           /* in the trace: which side */
	void *data;               /* for the callbacks */
	/* The machine has an interrupt for the peer's program. */
	void (*interrupt)(void *data);
	/* The peer may do anything here: for tests, or NULL. */
	void (*between)(void *data);

	/* The program's half */
	uint32_t slot,
		scanned; /* of the output queue: next to fill, next to look at; both count on */
	uint32_t taken, given;           /* of the input queue: frames taken; buffers given back */
	uint32_t completed;              /* of the completion queue */
	uint8_t piece[2 * QDIO_BUFFERS]; /* enum qdio_piece */
	uint16_t free[2 * QDIO_BUFFERS]; /* those that are free: a ring */
	uint32_t free_first, nr_free;
	uint16_t in_slot[QDIO_BUFFERS]; /* the piece of each slot */
	int32_t placed;                 /* the piece that is being filled, or -1 */
	uint32_t waiting;               /* transfers that are not completed */
	bool primed;                    /* slot - 1 found HiperSockets busy */
	int failed;                     /* a transfer has: the negative errno that is to be told */

	/* The machine's half */
	uint64_t sequence;           /* frames accepted */
	uint64_t appended;           /* of our transfers: put on the list */
	uint64_t settled;            /* of those, taken off as far as seen */
	uint32_t fill;               /* the peer's buffer that is next */
	uint64_t drained;            /* of the peer's transfers */
	uint32_t filled;             /* buffers of ours that are known to be filled; counts on */
	uint32_t posts;              /* entries of the peer's completion queue that were posted */
	uint64_t owed[QDIO_BUFFERS]; /* QAOBs whose completion is kept back */
	uint32_t nr_owed;
	uint32_t held;  /* input buffers that are kept back */
	bool late_slot; /* the state of slot `late` is still to be changed */
	uint32_t late;
};

/* A port at @side of a mapped segment, which must live as long. Its callbacks, trace and faults are
 * set before qdio_activate(). @posted: up to the geometry's buffers. */
void qdio_port_init(struct qdio_port *port, struct qdio_segment *segment, unsigned int side,
		    uint32_t posted, bool cq);

/* ESTABLISH and ACTIVATE: buffers are given to the machine. */
void qdio_activate(struct qdio_port *port);

/* Where the next frame is to be built (a frame's bytes), or NULL if all memory is on its way. */
uint8_t *qdio_place(struct qdio_port *port);

enum { QDIO_DELIVERED, QDIO_PENDING, QDIO_PRIMED };

/* Send what was placed, @len bytes: one of the three; QDIO_PENDING will be completed, and so will
 * QDIO_PRIMED, which found HiperSockets busy: qdio_kick() within 10 ms, as Linux does. -EAGAIN: not
 * taken, the memory is still placed; go on after a completion or a kick. -ENOBUFS: lost, the target
 * had no buffer and there is no completion queue. -EPIPE: the peer is gone. -EPROTO: broken. */
int qdio_send(struct qdio_port *port, size_t len);

/* The same with a copy of @bytes, whatever is placed: not taken (-EAGAIN) if there is no memory. */
int qdio_send_copy(struct qdio_port *port, const void *bytes, size_t len);

/* SIGA once more for what is primed. The same, or QDIO_DELIVERED if there is nothing. */
int qdio_kick(struct qdio_port *port);

/* After an interrupt, and before going to sleep: take note of what has changed. True if there was
 * anything since the last time. */
bool qdio_noticed(struct qdio_port *port);

/* Take completions. How many, or a negative errno: a transfer was not delivered (-EHOSTUNREACH,
 * -EIO; -ENOBUFS of those that had found HiperSockets busy), -EPROTO. */
int qdio_complete(struct qdio_port *port);

/* Finds the next frame. Returns 1 and its place, 0 without a frame, or -EPROTO. The frame is valid
 * until it is given back. */
int qdio_receive(struct qdio_port *port, struct iovec *frame);

/* Give back the oldest @nr frames' buffers. */
void qdio_replenish(struct qdio_port *port, uint32_t nr);

/* SIGA for output slot @slot, which is primed. @qaob: address, with QDIO_SIGA_WRITE_QAOB. */
struct qdio_cc qdio_siga(struct qdio_port *port, enum qdio_function function, uint32_t slot,
			 uint64_t qaob);

/* Deliver transfers that wait for buffers of ours; called whenever there may be some. */
void qdio_machine_run(struct qdio_port *port);

/* Buffers or completions are kept back by a fault: the machine must be run again. */
bool qdio_machine_owes(const struct qdio_port *port);

/* The peer's process has ended or is dropped: our transfers end with QDIO_AORC_GONE. */
void qdio_machine_peer_gone(struct qdio_port *port);

/* Change the state of a buffer of @side; false (and broken) if it was not @from. */
bool qdio_change(struct qdio_port *port, struct qdio_side *side, enum qdio_queue queue,
		 uint32_t index, uint8_t owner, uint8_t from, uint8_t to);
uint8_t qdio_state(const struct qdio_port *port, const struct qdio_side *side,
		   enum qdio_queue queue, uint32_t index);

/* Address of the QAOB of a piece, and back: -1 if it is none. */
uint64_t qdio_qaob_of(const struct qdio_side *side, uint32_t piece);
int32_t qdio_piece_of(const struct qdio_port *port, uint64_t qaob);

#endif
