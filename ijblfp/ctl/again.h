/* SPDX-License-Identifier: Apache-2.0 */
/* again.h - retries of requests that lfpd refused while a closed socket may still hold the resource
 */
#ifndef IJBLFP_CTL_AGAIN_H
#define IJBLFP_CTL_AGAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "lfp/list.h"

struct instance;
struct request;

/* The refused requests of an instance that wait for a look at all sockets. */
struct again {
	struct lfp_list waiting; /* struct request, the oldest first */
	unsigned int nr_waiting;
	int closed;         /* eventfd: the closers have closed a descriptor */
	uv_poll_t poll;     /* of `closed` */
	uv_timer_t timer;   /* ends the wait for the closers, or the time between two looks */
	uint64_t due;       /* uv_now() at its end */
	uint64_t next_look; /* not before this time: uv_hrtime() */
};

/* 0 or a negative errno. */
int again_init(struct instance *inst);
void again_finish(struct instance *inst);

/**
 * again_try() - send a refused request again if a program has closed a socket since
 * @request:	with its answer's @error
 *
 * The instance does not see at once that a program has closed a socket. So it looks at all sockets
 * before it reports ENFILE from socket(), or EADDRINUSE from bind() or listen(). If any socket was
 * closed since the request was sent, the request is sent once more.
 *
 * Return: false if @error is the answer. If true, the request's callback is called again, with this
 * request or with another one.
 */
bool again_try(struct instance *inst, struct request *request, int error);

/* Fails all waiting requests: the path has ended. */
void again_fail_all(struct instance *inst);

#endif
