/* SPDX-License-Identifier: Apache-2.0 */
/* async.h - calls that go on while the program does something else, and post its ECB when done */
#ifndef VSESOCK_VSE_ASYNC_H
#define VSESOCK_VSE_ASYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "libvsesock/mux/choose.h"
#include "libvsesock/vse/api.h"

/*
 * Theory of operation
 *
 * A call with ECB= is a job. It is tried at once, by the thread that makes the call; if it would
 * have to wait, one thread of the library, which is there as long as there are jobs, waits for the
 * near ends of all of them and tries again. Trying never waits: so a job that is cancelled has
 * moved nothing, and none holds up another. Jobs of one descriptor and one direction are done in
 * the order in which they came.
 *
 * A job ends once: its results are given, its ECB is posted, it is freed. From then on nothing
 * touches memory of the program. It ends with -ECANCELED if the program cancels it, closes its
 * descriptor or ends the use of the interface, and at the end of its task.
 */

#define ASYNC_ECB 160u /* bytes of the area whose first fullword is the ECB */

struct async_job {
	/* its maker's; what it is part of begins with it, and is from malloc() */
	struct vse_api *api;
	enum mux_interface interface;
	char nn[3];    /* the instance that it is about */
	int s;         /* the program's descriptor, -1: none */
	int fd;        /* the near end to wait for, -1: tried every VSE_LOOK_MS */
	short events;  /* POLLIN or POLLOUT; both fd and events may be changed by try() */
	int64_t until; /* ms as vse_now_ms(), -1: for ever */
	bool expired;  /* for the last try: that time has come */
	void *ecb;
	/* A result, or -EAGAIN: it would have to wait, which ends it with -ETIMEDOUT if it is the
	 * last try. */
	int (*attempt)(struct async_job *job);
	/* Give the result to the program. */
	void (*done)(struct async_job *job, int rc);

	/* async.c's */
	struct async_job *next;
	uint64_t id;
	int task;
	bool busy; /* somebody tries or ends it */
};

/* The area that a call has for ECB=, or NULL, is to be used: it is cleared. 0; -EFAULT; -EINVAL:
 * not on a fullword boundary; -EIBMCONFLICT: another call is going to post it. */
int async_take_ecb(void *ecb);

/**
 * async_start() - go on with a call while the program does something else
 * @job:	is the library's from now on, whose task is the calling thread's
 *
 * Return: 0: its ECB will be posted, or is; or async_take_ecb()'s: then nothing has happened, and
 * @job is the caller's.
 */
int async_start(struct async_job *job);

/* Do it now, and wait. */
int async_wait(struct async_job *job);

/* End the call with this ECB, of the descriptors of @api, by -ECANCELED. 0, or -EINVAL: there is
 * none any more. */
int async_cancel(const struct vse_api *api, const void *ecb);

/* Calls that are outstanding on a descriptor; those of one kind, if @attempt is not NULL. */
int async_count(const struct vse_api *api, int s, int (*attempt)(struct async_job *job));

/* A copy of the near end of an outstanding call with the attempt, api and nn of @like, of which
 * @is_it says so; -ENOENT or another negative error. It waits for an attempt at such a one that is
 * being made. */
int async_copy(const struct async_job *like,
	       bool (*is_it)(const struct async_job *job, const struct async_job *like));

/* End those of a descriptor, or of all if @s is -1; of a task. When it returns their ECBs are
 * posted. */
void async_forget(const struct vse_api *api, int s);
void async_forget_task(int task);

#endif
