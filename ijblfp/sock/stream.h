/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h - data on its way from far ends to the path */
#ifndef IJBLFP_SOCK_STREAM_H
#define IJBLFP_SOCK_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "lfp/frame.h"
#include "lfp/list.h"
#include "transport/reactor.h"

struct instance;
struct near_maker;
struct vsock;

struct stream_set {
	struct watch_set far_ends;
	struct turn_hook hook; /* asks for turns while a socket has data that may be sent */
	struct lfp_list runnable;
	struct lfp_list starved; /* sockets whose data to the program waits for memory */
	bool blocked;            /* until the path is ready */
};

int stream_set_init(struct instance *inst);
void stream_set_finish(struct instance *inst);

/* Watches a socket's new far end. Returns 0 or a negative errno. */
int stream_watch(struct instance *inst, struct vsock *vs);

/* Stops watching a far end that is about to be closed while the socket lives on. A thread or a
 * supervisor may have the far end for longer, and its events would be mistaken for those of the
 * next far end. */
void stream_unwatch(struct instance *inst, const struct vsock *vs);

/* Sets up the windows of a socket that is ESTABLISHED from now on, or ARRIVING. */
void ijblfp_stream_begin(struct instance *inst, struct vsock *vs);

/* The same for an accepted connection, in which accept() will leave its mark. */
void stream_begin_accepted(struct instance *inst, struct vsock *vs);

/* Note that the mark of accept() was passed over, or is gone. */
void stream_pass_mark(const struct near_maker *maker, struct vsock *vs);
void stream_drop_mark(struct vsock *vs);

/* Moves the data that waits on either side. There must be a far end, without a gate. @spent: the
 * edge for the program's data may be over, for example because the gate caused it. */
void stream_go(struct instance *inst, struct vsock *vs, bool spent);

/* Reads again, although the far end had no event: something else has changed. */
void stream_look_again(struct instance *inst, struct vsock *vs);

/* Reads the far end, which may have data, when the socket has its turn. */
void stream_may_read(struct vsock *vs);

/* Reads until the far end is empty: the edge of its data may be over. */
void stream_read_to_end(struct instance *inst, struct vsock *vs);

/* Stops reading until the next edge. */
void stream_rest(struct vsock *vs);

/* Notes that the near end was closed with data unread. */
void stream_abort(struct vsock *vs);

/* Notes that the program has used the socket. */
void stream_note_use(struct vsock *vs);

/* Notes that a connected socket has another near end, which is open. */
void stream_renew_near(struct vsock *vs);

/* Begins the next life of a socket: forgets the use and the end of the connection. */
void stream_renew(struct vsock *vs);

/* Starts or stops watching the far end for room. stream_want_out_again() makes an event even if
 * there was room all the time. */
void stream_want_out(struct instance *inst, struct vsock *vs, bool want);
void stream_want_out_again(struct instance *inst, struct vsock *vs);

/* Handles WINDOW. Returns 0, or -EPROTO with @why. */
int stream_on_window(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		     const char **why);

/* Notes that the path has ended: the next one takes data. */
void stream_unblock(struct instance *inst);

/* Notes that the path takes data again. */
void stream_on_ready(struct instance *inst);

/* Handles all pending events. */
void stream_poll_now(struct instance *inst);

/* Returns the bytes of the program's data that wait in the far end. */
unsigned int stream_waiting(const struct vsock *vs);

/* Returns true if the next byte in the far end is urgent. */
bool stream_is_at_urgent(const struct vsock *vs);

/* Handles the program's close of the near end. */
void stream_on_gone(struct instance *inst, struct vsock *vs);

/* Of stream.c, for stream-read.c: adds the socket to those that are read. */
void stream_run_later(struct instance *inst, struct vsock *vs);

/* Of stream-read.c, for stream.c: handles an event of the far end. */
void stream_on_event(struct instance *inst, struct vsock *vs, uint32_t events);

/* Moves data from the far end to the path, up to the socket's share. Lowers @left, the bytes that
 * this turn may still move. Returns false if the path takes no more. @vs may be gone. */
bool stream_read(struct instance *inst, struct vsock *vs, size_t *left);

/**
 * give_move() - move a socket to a new near end, with the data that is in the old one
 * @vs:		state ESTABLISHED; its copy is the new near end then
 * @near:	the old near end
 * @old_far:	set to the old far end: nothing comes from it any more, what is written to @near
 * fails, and @near hangs up when it is closed
 *
 * Return: 0 or a negative errno; then nothing has changed, or (-ECONNRESET) the connection is over.
 */
int give_move(struct instance *inst, struct vsock *vs, int near, int *old_far);

#endif
