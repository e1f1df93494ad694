/* SPDX-License-Identifier: Apache-2.0 */
/* vsock.h - the virtual sockets of an instance: their states, and how they are found */
#ifndef IJBLFP_SOCK_VSOCK_H
#define IJBLFP_SOCK_VSOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ijblfp/base/list.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/transition.h"
#include "lfp/frame.h"
#include "lfp/window.h"

struct instance;

/*
 * States. "Far end" and "copy" (of the near end's descriptor) say what the instance holds; "lfpd
 * may send" leaves out answers, which may come in every state, and RESET, which may come in all but
 * CLOSING, and WINDOW, which may come in all but OPENING. What the state does not allow resets the
 * socket (disagree.h).
 */
enum vsock_state {
	/* SOCKET is sent. Nothing is held; the program has nothing yet. Goes to NEW, or is freed.
	 */
	VSOCK_OPENING,

	/* The program has the near end, which is not connected; nothing is held, so that nobody
	 * says when it is closed: its name is asked (the sweep). Allowed: everything. If it is
	 * shut, listen() and connect() that fails give it another near end (RENEW). */
	VSOCK_NEW,

	/* CONNECT is sent. While only blocking callers wait: a copy; then to NEW on failure. Once
	 * somebody does not wait: far end and gate; on failure the socket is buried.
	 * lfpd may send CONNECTED, once. */
	VSOCK_CONNECTING,

	/* Accepted by lfpd; there is no near end yet, or no room for its record (then far end and
	 * copy). lfpd may send as in ESTABLISHED. */
	VSOCK_ARRIVING,

	/* Far end. Data flows: lfpd may send DATA until its SHUTDOWN, SHUTDOWN once, WINDOW.
	 * Both directions ended in order and the program has not closed: still this state. */
	VSOCK_ESTABLISHED,

	/* lfpd said RESET, and what came before it is not yet delivered. Far end, at which the
	 * program's writes fail. lfpd may send WINDOW. */
	VSOCK_RESET,

	/* The connection has failed, or was lost or dissolved, while the program may hold the near
	 * end. Nothing is held; its name is asked. lfpd keeps its socket: options and names can be
	 * asked for. CONNECT says once how it ended; for another attempt the program needs a new
	 * near end (RENEW), with which the socket is NEW again. lfpd may send WINDOW. */
	VSOCK_OVER,

	/* Far end with a gate that is never drained. lfpd may send ACCEPTED within the credits. */
	VSOCK_LISTENING,

	/* A datagram socket, bound and connected or not. Far end: the head (datagram.h). lfpd may
	 * send DATAGRAM, DATAGRAM_ERROR, WINDOW. */
	VSOCK_DATAGRAM,

	/* CLOSE is sent; nothing is held. Everything but the answer is ignored, which frees it. */
	VSOCK_CLOSING,
};

#define VSOCK_NR_STATES (VSOCK_CLOSING + 1)

/*
 * Which states may follow: vsock_states in vsock.c; vsock_set_state() checks it. Writers of
 *   NEW                    call.c (from OPENING), vsock_renew(); connect.c, where connect() failed
 *   CONNECTING             connect.c
 *   ESTABLISHED            connect.c; listen.c, when the record is handed over
 *   ARRIVING, LISTENING    listen.c
 *   RESET                  deliver.c; listen.c, for a reset that came before the record
 *   DATAGRAM               datagram.c
 *   OVER, CLOSING          end.c
 */
extern const struct transitions vsock_states;

/* Data on its way to a program, behind what the near end has taken. */
struct chunk {
	struct chunk *next;
	size_t from, to, size; /* bytes of data[] */
	uint8_t data[];
};

/*
 * How much the instance still has to read from the program of a stream. A datagram socket has
 * `readable` of struct dgram instead. Writer: stream-read.c. vsock_drop() sets RESTS from any
 * state, past the table: the far end is closed.
 */
enum reading {
	/* Nothing is read before the next edge, urgent_add() or stream_go(). Goes to SOME, TO_END.
	 */
	READ_RESTS,

	/* The far end may have something: it is read until recv() gives less than there is room
	 * for. Goes to TO_END with an edge that tells of urgent data or the end; RESTS. */
	READ_SOME,

	/* The far end is read until it says EAGAIN or end of file. Goes to RESTS. */
	READ_TO_END,
};

/*
 * The direction from the program of a stream. Writer: stream-read.c. vsock_renew() starts the next
 * life: it sets OPEN from any state, past the table.
 */
enum out_end {
	/* Data and SHUTDOWN may be sent. Goes to HUNG, SHUT, ABORTED. */
	OUT_OPEN,

	/* Both directions of the near end have ended: it is closed, or shut down. What the program
	 * has written may still wait for a window, and is sent; then SHUTDOWN. Goes to SHUT,
	 * ABORTED; to OPEN only if the socket gets another near end (give_move()). */
	OUT_HUNG,

	/* SHUTDOWN is sent. Nothing may be sent any more but CLOSE. A near end that is closed from
	 * now on needs no mark: recv() says end of file, and the name is asked. Goes to ABORTED. */
	OUT_SHUT,

	/* The near end was closed with data unread. Its CLOSE will reset the connection. */
	OUT_ABORTED,
};

/*
 * The direction to the program of a stream, in this order. Writer: deliver.c. vsock_renew() starts
 * the next life: it sets OPEN from any state, past the table.
 */
enum in_end {
	IN_OPEN,      /* lfpd may send DATA and SHUTDOWN */
	IN_END_CAME,  /* SHUTDOWN came: lfpd may send neither; the queue is still delivered */
	IN_END_GIVEN, /* the near end has end of file; nothing is queued */
};

/*
 * Whether the program of a stream still reads. Separate from enum in_end, since lfpd may end its
 * direction after the program has stopped reading. Writer: deliver.c. vsock_renew() starts the next
 * life: it sets READS from any state, past the table.
 */
enum in_reader {
	/* Data is written to the far end. Goes to SHUT, GONE. */
	READER_READS,

	/* The program has shut down reading: data is thrown away and counts as read. */
	READER_SHUT,

	/* The far end has refused data: as SHUT, and CLOSE will reset the connection. */
	READER_GONE,
};

/*
 * The urgent byte that accept() leaves in the far end of an accepted stream (lfp/ctl.h). It is no
 * data. Writer: stream-read.c. vsock_renew() starts the next life: it sets NONE from any state,
 * past the table.
 */
enum accept_mark {
	/* There is none, or it was taken. Goes to LEFT when the connection is accepted. */
	MARK_NONE,

	/* It may be unread. Goes to PASSED or NONE when the next byte is read or it is passed over
	 * (stream_pass_mark()), to NONE when all is moved to another far end. */
	MARK_LEFT,

	/* It was passed over, and FIONREAD counts it (near.h). Goes to NONE with another far end.
	 */
	MARK_PASSED,
};

/*
 * The copy of the far end that a supervisor has (guard.h); `guard` identifies the supervisor.
 * Writer: ctl/guard.c. vsock_drop() closes the far end and sets NONE from any state, past the
 * table.
 */
enum guarding {
	GUARD_NONE, /* nobody has a copy: the far end is shut when it is closed. Goes to HAS */
	GUARD_HAS,  /* it has one and will be told of the end. Goes to TOLD */
	GUARD_TOLD, /* it was told and may have one still: closing must not shut the far end */
};

/*
 * What connect() has reported about the connection of a stream. Writer: connect.c. vsock_renew()
 * starts the next life: it sets NOTHING from any state, past the table.
 */
enum told {
	/* Nothing. Goes to CONNECTED; to END. */
	TOLD_NOTHING,

	/* Some connect() has said that the connection is there, or it was accepted: from now on it
	 * says EISCONN. Goes to END. */
	TOLD_CONNECTED,

	/* State OVER: it has said how the connection ended, or there is nothing to say. RENEW is
	 * allowed. */
	TOLD_END,
};

/*
 * Whether the program's socket is a listener: lfpd may send ACCEPTED for NOW and WAS. Writer:
 * listener.c. vsock_renew() keeps it: ACCEPTED of an earlier life may still be under way.
 */
enum listener {
	/* lfpd has never listened for this socket: ACCEPTED is an error. Goes to NOW; to WAS if
	 * lfpd listens but the socket can no longer become a listener. */
	LISTENER_NEVER,

	/* State LISTENING. Goes to WAS when that state ends. */
	LISTENER_NOW,

	/* lfpd has listened once. An ACCEPTED that is still under way is answered with CLOSE. Goes
	 * to NOW if the program calls listen() again. */
	LISTENER_WAS,
};

/*
 * The part of a socket that only listeners have. listener_make() allocates it in the first
 * listen(). It belongs to its socket: vsock_destroy() frees it, and not earlier, since connections
 * on inst->late may outlive the state LISTENING and still count in @arriving.
 */
struct vsock_listener {
	struct list records;         /* struct vsock: connections waiting for room in the far end */
	unsigned int credits_wanted; /* connections that may wait outside of the host's queue */
	unsigned int credits_out;    /* credits that lfpd has not yet used */
	unsigned int arriving;       /* connections that are not yet handed over */
	int record_size; /* bytes that a record takes of the far end's buffer; 0: not yet known */
};

/* Near ends of a socket that are known: its own, and some that it had before (vsock_set_near()). */
#define VSOCK_NEARS 3

struct vsock {
	struct vsock *hash_next;
	uint64_t id;
	struct vsock_near {
		struct vsock_near *next;
		struct vsock *vs;
		struct near_id id; /* name 0: there is none */
	} near[VSOCK_NEARS];       /* the near end, then those of before, the last one first */
	enum vsock_state state;
	uint16_t epoch; /* of its life, as lfpd has it (dispatch.c) */
	int far;        /* -1 if there is none */
	int copy;       /* -1 if there is none */
	uint64_t gate;  /* bytes of its own that wait in the far end */
	bool paired;    /* nothing but a far end of ours can send to the near end */
	uint32_t task;
	uint32_t task_slot;
	uint32_t uid;        /* of that task, or PASSED_BY_NOBODY */
	bool isolated;       /* it is that task's alone (owner.h) */
	struct given *given; /* somebody may take it (give.h); far end and copy */
	uint16_t family;     /* wire number */
	uint16_t kind;       /* SOCK_STREAM or SOCK_DGRAM */
	struct dgram *dgram; /* state DATAGRAM */
	bool quiet;          /* accepted, and the program has shown no sign of using it */
	enum told told;
	uint16_t reset;              /* state RESET, OVER, NEW again: why it is over, until told */
	bool shut;                   /* state NEW: shutdown() was called, the near end is shut */
	bool discards;               /* SO_LINGER {1, 0}: closing resets the connection */
	bool tells_unread;           /* TCP_INQ: its near ends tell (near_tell_unread()) */
	struct lfp_addr local, peer; /* of accepted sockets; else family 0 */

	/* On the list of its state: ARRIVING: waits for a descriptor, or on its listener's list of
	 * records; ESTABLISHED: has something to read. */
	struct list place;
	struct list swept; /* its name is asked now and then */

	struct list waiters; /* connections of the control channel that wait for connect() */

	/* To lfpd. */
	struct lfp_send_window send;
	enum reading reading;
	enum out_end out_end;
	uint64_t taken; /* bytes read from far ends, without gates */
	struct urgent *urgent;
	enum accept_mark accept_mark;
	bool has_stopper; /* behind the program's data lies a byte of ours (stopper.h) */
	uint64_t stopper; /* its position; `taken` is that of the next byte */

	/* To the program. */
	struct lfp_recv_window recv;
	struct chunk *queue, *queue_last;
	bool has_mark; /* a byte in the queue is urgent */
	uint64_t mark; /* its position */
	enum in_end in_end;
	enum in_reader in_reader;
	uint8_t close_how;     /* state CLOSING: 1 resets the connection */
	uint32_t close_number; /* of a CLOSE without a struct request, or 0 */
	bool wants_out;        /* the far end is watched for room */

	enum listener listened;
	struct vsock_listener *as_listener; /* NULL before the first listen() */
	uint64_t listener;                  /* of an accepted socket */

	/* The supervisor that has made its connection, or listens (guard.h). */
	uint32_t guard; /* 0: none */
	int32_t holder; /* the process for which it did */
	uint64_t near_ino;
	enum guarding guarding;
};

struct vsock_table {
	struct vsock **buckets;
	struct vsock_near **names; /* as many buckets */
	size_t nr_buckets, count;
	uint64_t next_id;
	unsigned int by_state[VSOCK_NR_STATES];
	/* NEW, OVER, or the program has ended its direction: the next one to be asked first. */
	struct list swept;
	/* A socket that somebody may take (vs->given) closes what it holds. gives_init() sets it.
	 */
	void (*on_drop)(struct vsock *vs);
};

int vsock_table_init(struct vsock_table *table);
void vsock_table_finish(struct vsock_table *table);

/* A socket; @id 0 draws one. NULL if there is no memory or the id is taken. */
struct vsock *vsock_create(struct vsock_table *table, uint64_t id);

/* Free it with everything that it holds. */
void vsock_destroy(struct vsock_table *table, struct vsock *vs);

struct vsock *vsock_find(const struct vsock_table *table, uint64_t id);
void vsock_set_state(struct vsock_table *table, struct vsock *vs, enum vsock_state state);

/* Close the copy of its near end's descriptor. */
void vsock_drop_copy(struct vsock *vs);

/* Close what it holds and forget what was to be delivered. */
void vsock_drop(struct vsock_table *table, struct vsock *vs);

/* The socket's near end is @id from now on. The one of before is still known for a while, but has
 * no right to the socket any more. */
void vsock_set_near(struct vsock_table *table, struct vsock *vs, const struct near_id *id);

/* The name of its near end; 0 if it has none. */
static inline uint64_t vsock_name(const struct vsock *vs)
{
	return vs->near[0].id.name;
}

/* The socket whose near end this is, or (@now is false) was. */
struct vsock *vsock_find_near(const struct vsock_table *table, const struct near_id *id, bool *now);

/* It has another near end, with which it may be connected again: the connection is forgotten. */
void vsock_renew(struct vsock_table *table, struct vsock *vs);

/* A new life of the socket begins: what lfpd sent in those before is late. */
void vsock_next_life(const struct instance *inst, struct vsock *vs);

/* Why a connection is over (state RESET, OVER, or NEW again), told once; then @later. */
int vsock_take_error(struct vsock *vs, int later);

static inline bool vsock_has_stream(const struct vsock *vs)
{
	return vs->state == VSOCK_ESTABLISHED || vs->state == VSOCK_ARRIVING;
}

/* Sockets that count: all but those being closed. */
unsigned int vsock_active(const struct vsock_table *table);

/* Put data at the end of its queue; 0 or -ENOMEM. */
int vsock_queue(struct vsock *vs, const uint8_t *data, size_t len);

/* One that was taken off the queue. */
void vsock_chunk_free(struct chunk *chunk);

/* Call @fn for each socket; it may destroy the socket that it is called for, and no other. */
void vsock_each(struct vsock_table *table, void (*fn)(void *data, struct vsock *vs), void *data);

#endif
