/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h - data on its way from far ends to the path */
#ifndef IJBLFP_SOCK_STREAM_H
#define IJBLFP_SOCK_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "ijblfp/base/list.h"
#include "lfp/frame.h"

struct instance;
struct near_maker;
struct vsock;

struct stream_set {
	int epfd;
	uv_poll_t poll;
	uv_idle_t idle; /* runs while a socket has something to read that may be sent */
	struct list runnable;
	bool blocked; /* until the path says that it is ready */
};

int stream_set_init(struct instance *inst);
void stream_set_finish(struct instance *inst);

/* Watch a socket's new far end; 0 or a negative errno. */
int stream_watch(struct instance *inst, struct vsock *vs);

/* Its far end is about to be closed, and the socket lives on: a thread or a supervisor may have the
 * far end for longer, and its events would be taken for those of the next one. */
void stream_unwatch(struct instance *inst, const struct vsock *vs);

/* The socket is ESTABLISHED from now on, or ARRIVING: set up its windows. */
void ijblfp_stream_begin(struct instance *inst, struct vsock *vs);

/* The same for an accepted connection, where accept() will leave its mark. */
void stream_begin_accepted(struct instance *inst, struct vsock *vs);

/* The mark of accept() was passed over; or it is not there any more. */
void stream_pass_mark(const struct near_maker *maker, struct vsock *vs);
void stream_drop_mark(struct vsock *vs);

/* Its far end is there and free of a gate: move what waits on either side. */
void stream_go(struct instance *inst, struct vsock *vs);

/* Without an event of its far end: something else has changed. */
void stream_look_again(struct instance *inst, struct vsock *vs);

/* The far end may have something: it is read when the socket has its turn. */
void stream_may_read(struct vsock *vs);

/* Something may be there whose edge is over: read until the far end has nothing. */
void stream_read_to_end(struct instance *inst, struct vsock *vs);

/* Read nothing until the next edge. */
void stream_rest(struct vsock *vs);

/* The near end was closed with data unread. */
void stream_abort(struct vsock *vs);

/* The socket has another near end, which is open. */
void stream_renew_near(struct vsock *vs);

/* WINDOW came: 0 or -EPROTO with @why. */
int stream_on_window(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		     const char **why);

/* The path has ended: the next one takes data. */
void stream_unblock(struct instance *inst);

/* The path takes data again. */
void stream_on_ready(struct instance *inst);

/* Look at all events that are there already. */
void stream_poll_now(struct instance *inst);

/* Bytes of the program's that wait in the far end. */
unsigned int stream_waiting(const struct vsock *vs);

/* Is an urgent byte the next one there? */
bool stream_is_at_urgent(const struct vsock *vs);

/* The program has closed the near end. */
void stream_on_gone(struct instance *inst, struct vsock *vs);

/* Of stream.c for stream-read.c: puts the socket at the end of those that are read. */
void stream_run_later(struct instance *inst, struct vsock *vs);

/* Of stream-read.c for stream.c. An event of the far end came. */
void stream_on_event(struct instance *inst, struct vsock *vs, uint32_t events);

/* Moves data from the far end to the path, up to the socket's share. @left, the bytes that this
 * turn may still move, gets less. Returns false if the path takes no more. @vs may be gone. */
bool stream_read(struct instance *inst, struct vsock *vs, size_t *left);

#endif
