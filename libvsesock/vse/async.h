/* SPDX-License-Identifier: Apache-2.0 */
/* async.h - calls that continue while the program does other work, and then post its ECB */
#ifndef VSESOCK_VSE_ASYNC_H
#define VSESOCK_VSE_ASYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "libvsesock/mux/choose.h"
#include "libvsesock/vse/api.h"

/*
 * Theory of operation
 *
 * A call with ECB= is a job. The calling thread tries the call at once. If the call would have to
 * wait, one thread of the library waits for the near ends of all jobs and tries again. This thread
 * exists as long as there are jobs. An attempt never waits. So a cancelled job has moved nothing,
 * and no job delays another. Jobs of one descriptor and one direction are done in order of arrival.
 *
 * A job ends once: the library gives its results, posts its ECB and frees it. From then on nothing
 * touches memory of the program. A job ends with -ECANCELED if the program cancels it, closes its
 * descriptor or ends the use of the interface, and at the end of its task.
 */

#define ASYNC_ECB 160u /* bytes of the area whose first fullword is the ECB */

struct async_job {
	/* Set by the maker. The struct that contains a job begins with it, and comes from malloc().
	 */
	struct vse_api *api;
	enum mux_interface interface;
	char nn[3];    /* the LFP instance */
	int s;         /* the program's descriptor; -1: none */
	int fd;        /* the near end to wait for; -1: try every VSE_LOOK_MS */
	short events;  /* POLLIN or POLLOUT; attempt() may change fd and events */
	int64_t until; /* deadline in ms of vse_now_ms(); -1: none */
	bool expired;  /* for the last attempt: the deadline has come */
	void *ecb;
	/* Returns a result, or -EAGAIN if it would have to wait. -EAGAIN of the last attempt
	 * becomes -ETIMEDOUT. */
	int (*attempt)(struct async_job *job);
	/* Gives the result to the program. */
	void (*done)(struct async_job *job, int rc);

	/* Used by async.c only. */
	struct async_job *next;
	uint64_t id;
	int task;
	bool busy; /* a thread is trying or ending it */
};

/* Clears the area that a call names in ECB=; NULL: none. Returns 0; -EFAULT; -EINVAL: not on a
 * fullword boundary; -EIBMCONFLICT: another call is going to post it. */
int async_take_ecb(void *ecb);

/**
 * async_start() - continue a call while the program does other work
 * @job:	owned by the library from now on; its task is the calling thread's
 *
 * Return: 0: the ECB is posted, or will be. An error of async_take_ecb(): nothing has happened, and
 * the caller keeps @job.
 */
int async_start(struct async_job *job);

/* Does the job in the calling thread, and waits. Returns its result. */
int async_wait(struct async_job *job);

/* Ends the call with this ECB on a descriptor of @api by -ECANCELED. Returns 0, or -EINVAL if no
 * such call is outstanding. */
int async_cancel(const struct vse_api *api, const void *ecb);

/* Returns the number of outstanding calls on a descriptor; those with @attempt only, unless that is
 * NULL. */
int async_count(const struct vse_api *api, int s, int (*attempt)(struct async_job *job));

/* Returns a copy of the near end of an outstanding call that has the attempt, api and nn of @like
 * and for which @is_it says yes. Returns -ENOENT or another negative error. Waits for a call that
 * is being tried. */
int async_copy(const struct async_job *like,
	       bool (*is_it)(const struct async_job *job, const struct async_job *like));

/* Ends the calls on a descriptor, or on all if @s is -1; the calls of a task. Their ECBs are posted
 * before these return. */
void async_forget(const struct vse_api *api, int s);
void async_forget_task(int task);

#endif
