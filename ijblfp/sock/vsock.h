/* SPDX-License-Identifier: Apache-2.0 */
/* vsock.h - the virtual sockets of an instance, and how they are found */
#ifndef IJBLFP_SOCK_VSOCK_H
#define IJBLFP_SOCK_VSOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ijblfp/near/near.h"
#include "ijblfp/sock/states.h"
#include "lfp/frame.h"
#include "lfp/list.h"
#include "lfp/table.h"
#include "lfp/window.h"

struct held_pipe;
struct instance;

/* Data on its way to a program, behind the data that the near end has taken. */
struct chunk {
	struct lfp_list place;
	struct held_pipe *pipe; /* has the bytes; NULL: data[] has them */
	size_t from, to, size;  /* bytes of data[] */
	uint8_t data[];
};

/* What was read of a far end and is left in it (peek.h). */
struct peek {
	struct lfp_list place; /* in inst->peeked, while bytes are left */
	size_t left;           /* bytes */
	unsigned int turns;    /* reads in a row that each followed an answer */
	bool answered;         /* the program has got something since the last read */
	bool expired;          /* since then no answer came in time */
	bool never;            /* nothing may be left any more */
};

/* The part of a socket that only streams have. */
struct vsock_stream {
	/* connect.c writes: */
	enum told told;
	bool shut; /* state NEW: shutdown() was called, the near end is shut */
	bool lost; /* state OVER: lfpd still has the connection that was lost; writer: end.c */

	bool tells_unread; /* TCP_INQ: its near ends tell (near_tell_unread()); writer: vsock.c */
	uint64_t listener; /* accepted sockets: id of the listener */
	bool unwatched;    /* state ARRIVING: the far end waits to be watched; writer: listen.c */

	/* To lfpd. stream-read.c writes: */
	enum reading reading;
	enum out_end out_end;
	enum accept_mark accept_mark;
	bool quiet;     /* accepted, and the program has shown no sign of using it */
	uint8_t bulk;   /* the program sends large pieces: the next so many move in pipes */
	uint64_t taken; /* bytes read from far ends, without gates */

	struct peek peek; /* writer: peek.c */

	struct lfp_list urgent; /* struct urgent; urgent.c */

	/* stopper.c writes: */
	bool has_stopper; /* behind the program's data lies a byte of the instance (stopper.h) */
	uint64_t stopper; /* its position; `taken` is that of the next byte */

	/* To the program. deliver.c writes: */
	bool has_mark; /* a byte in the queue is urgent */
	uint64_t mark; /* its position */
	enum in_end in_end;
	enum in_reader in_reader;

	struct lfp_list queue;   /* struct chunk */
	struct lfp_list starved; /* on the stream set's list: there was no memory for the data */
	bool wants_out;          /* the far end is watched for room; writer: stream.c */
};

/*
 * The part of a socket that only listeners have. listener_make() allocates it in the first
 * listen(). It belongs to its socket: vsock_destroy() frees it, and not earlier, since connections
 * on inst->late may outlive the state LISTENING and still count in @arriving.
 */
struct vsock_listener {
	struct lfp_list records;     /* struct vsock: connections waiting for room in the far end */
	unsigned int credits_wanted; /* connections that may wait outside of the host's queue */
	unsigned int credits_out;    /* credits that lfpd has not yet used */
	unsigned int arriving;       /* connections that are not yet handed over */
	int record_size; /* bytes that a record takes of the far end's buffer; 0: not yet known */
};

/* Near ends of a socket that are known: the present one, and some earlier ones (vsock_set_near()).
 */
#define VSOCK_NEARS 3

struct vsock {
	struct lfp_table_link link; /* in table->by_id */
	uint64_t id;
	struct vsock_near {
		struct lfp_table_link link; /* in table->by_cookie unless its name is 0 */
		struct vsock *vs;
		struct near_id id; /* name 0: no near end */
	} near[VSOCK_NEARS];       /* the near end, then earlier ones, the latest first */
	enum vsock_state state;
	uint16_t epoch; /* of its life, as lfpd counts it (dispatch.c) */

	/* vsock-hold.c writes: */
	int far;      /* far end, or -1 */
	bool refuses; /* nobody can send descriptors to the far end, unless a supervisor has it */
	bool paired;  /* only a far end of the instance can send to the near end */
	enum guarding guarding;

	int copy;      /* copy of the near end's descriptor, or -1 */
	uint64_t gate; /* bytes of the gate that wait in the far end */

	/* Its owner; vsock_set_owner() and vsock_copy_owner() write: */
	uint32_t task;
	uint32_t task_slot;
	uint32_t uid;  /* of that task, or PASSED_BY_NOBODY */
	bool isolated; /* only that task may use it (owner.h) */

	struct given *given; /* another task may take it (give.h); far end and copy */
	uint16_t family;     /* wire number */
	uint16_t kind;       /* SOCK_STREAM or SOCK_DGRAM */

	/* vsock.c writes: */
	uint16_t reset; /* state RESET, OVER, NEW again: the error of the connection, until reported
			 */
	bool discards;  /* SO_LINGER {1, 0}: closing resets the connection */

	struct lfp_addr local, peer; /* of accepted sockets; else family 0 */

	/* The options of lfpd's socket that programs set without a call (early.h). */
	struct {
		uint8_t on;      /* bits of enum lfp_early: these flags are on */
		uint8_t unsure;  /* the same: lfpd's socket may have another value */
		uint8_t control; /* number of the congestion control and 1; 0: not known */
	} early;

	/* On the list of its state: SPARE: of its task's credit; ARRIVING: waits for a descriptor,
	 * or on its listener's list of records; ESTABLISHED: has something to read. */
	struct lfp_list place;
	struct lfp_list swept; /* on the list of sockets for the sweep */

	struct lfp_list waiters; /* connections of the control channel that wait for connect() */

	struct lfp_send_window send; /* to lfpd */
	struct lfp_recv_window recv; /* to the program */
	uint8_t close_how;           /* state CLOSING: 1 resets the connection */
	uint32_t close_number;       /* of a CLOSE without a struct request, or 0 */

	/* Set by datagram_make_near(). datagram_free() clears it when the near end goes, and leaves
	 * the union as it was before: such a socket ends by the same states as a stream. */
	bool is_datagram;
	union {
		struct dgram *dgram; /* if is_datagram */
		/* If not. The members do not share memory, because as_listener still counts
		 * connections of a past listener while the socket connects. */
		struct {
			struct vsock_stream stream;
			enum listener listened;
			struct vsock_listener *as_listener; /* NULL before the first listen() */
		};
	};

	/* The supervisor of the program that made the connection, or that listens (guard.h). */
	uint32_t guard; /* 0: none */
	int32_t holder; /* the process of that program */
	uint64_t near_ino;
};

struct vsock_table {
	struct lfp_table by_id;
	struct lfp_table by_cookie; /* struct vsock_near */
	uint64_t next_id;
	unsigned int by_state[VSOCK_NR_STATES];
	/* States NEW and OVER, and sockets whose program has ended its direction. The next one to
	 * check comes first. */
	struct lfp_list swept;
	/* Called when a socket that another task may take (vs->given) closes everything that it
	 * holds. gives_init() sets it. */
	void (*on_drop)(struct vsock *vs);
};

void vsock_table_init(struct vsock_table *table);

/* Destroys all sockets. */
void vsock_table_finish(struct vsock_table *table);

/* Makes a socket; @id 0 draws one. Returns NULL if there is no memory or the id is taken. */
struct vsock *vsock_create(struct vsock_table *table, uint64_t id);

/* Frees a socket and everything that it holds. */
void vsock_destroy(struct vsock_table *table, struct vsock *vs);

struct vsock *vsock_find(const struct vsock_table *table, uint64_t id);
void vsock_set_state(struct vsock_table *table, struct vsock *vs, enum vsock_state state);

/* Sets the owner: the number, slot and user of a task, and whether only that task may use it. */
void vsock_set_owner(struct vsock *vs, uint32_t task, uint32_t slot, uint32_t uid, bool isolated);
void vsock_copy_owner(struct vsock *vs, const struct vsock *from);

/* Copies family, owner and options of the listener @vs to its connection @conn. */
void vsock_inherit(struct vsock *conn, const struct vsock *vs);

/* Notes options that programs have set. */
void vsock_set_discards(struct vsock *vs, bool discards);
void vsock_set_tells_unread(struct vsock *vs, bool tells_unread);

/* Holds @far, the far end that @maker has paired with the near end. */
void vsock_hold_far(struct vsock *vs, const struct near_maker *maker, int far);

/* Holds @head, the head of a datagram socket. @paired: of a near end that @own made. */
void vsock_hold_head(struct vsock *vs, int head, bool paired);

/* Notes that others may be able to send to the next near end. */
void vsock_unpair(struct vsock *vs);

/* Notes which copies of the far end a supervisor has. */
void vsock_set_guarding(struct vsock *vs, enum guarding to);

/* Closes the copy of the near end's descriptor. */
void vsock_drop_copy(struct vsock *vs);

/* Closes everything that the socket holds and drops undelivered data. */
void vsock_drop(struct vsock_table *table, struct vsock *vs);

/* Makes @id the socket's near end. The earlier one is still known for a while, but has no right to
 * the socket any more. */
void vsock_set_near(struct vsock_table *table, struct vsock *vs, const struct near_id *id);

/* Gives its near end, of which @fd is a descriptor, a path if it has none. */
void vsock_give_path(struct near_maker *maker, struct vsock *vs, int fd);

/* Returns the name of its near end, or 0. */
static inline uint64_t vsock_name(const struct vsock *vs)
{
	return vs->near[0].id.name;
}

/* Finds the socket whose near end this is, or (@now is false) was. */
struct vsock *vsock_find_near(const struct vsock_table *table, const struct near_id *id, bool *now);

/* Finds the socket by the cookie alone, where that is unique (near_cookie()). */
struct vsock *vsock_find_cookie(const struct vsock_table *table, uint64_t cookie, bool *now);

/* Starts a new life of the socket: frames that lfpd sent in earlier ones are late. */
void vsock_next_life(const struct instance *inst, struct vsock *vs);

/* Sets the error of a connection that is over; 0: none. */
void vsock_set_error(struct vsock *vs, int error);

/* Returns the error of a connection that is over (state RESET, OVER, or NEW again). The first call
 * returns the connection's own error, later calls return @later. */
int vsock_take_error(struct vsock *vs, int later);

static inline bool vsock_has_stream(const struct vsock *vs)
{
	return vs->state == VSOCK_ESTABLISHED || vs->state == VSOCK_ARRIVING;
}

/* Returns the number of sockets except those that are being closed and spare ones. */
unsigned int vsock_active(const struct vsock_table *table);

/* Adds data to the end of the socket's queue. Returns 0 or -ENOMEM. */
int vsock_queue(struct vsock *vs, const uint8_t *data, size_t len);

/* Adds all bytes of @pipe to the queue: by reference, or by copy while pipes are scarce. Returns 0,
 * and the pipe is taken; or a negative errno, and the pipe stays the caller's while the queue lacks
 * bytes. */
int vsock_queue_pipe(struct vsock *vs, struct held_pipe *pipe);

/* Returns the first chunk of the queue, or NULL. */
static inline struct chunk *vsock_first_chunk(const struct vsock *vs)
{
	return lfp_list_first_entry(&vs->stream.queue, struct chunk, place);
}

/* Takes a chunk off the queue, if it is there, and frees it. */
void vsock_chunk_free(struct chunk *chunk);

/* Calls @fn for each socket. @fn may destroy its own socket, but no other. */
void vsock_each(struct vsock_table *table, void (*fn)(void *data, struct vsock *vs), void *data);

#endif
