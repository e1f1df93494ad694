/* SPDX-License-Identifier: Apache-2.0 */
/* wait.h - calls that wait long, and the events that end the wait */
#ifndef LFP_RUN_WAIT_H
#define LFP_RUN_WAIT_H

#include <pthread.h>
#include <stdbool.h>

#include "lfp-run/trap.h"

/*
 * Theory of operation
 *
 * A call that may wait (connect, accept, sending and receiving of datagrams) waits in a thread of
 * the supervisor, in the same kernel waits that the shim uses in a program; O_NONBLOCK, SO_RCVTIMEO
 * and SO_SNDTIMEO are those of the program's own socket. The program's signals and its end do not
 * reach this thread. So one watcher looks at the waiting calls, several times a second and at once
 * when a program ends, and where a signal is pending or the program is gone it kicks the thread,
 * with a signal of the supervisor's own: the wait ends with EINTR.
 *
 * No result is lost: a wait that has succeeded does not end with EINTR.
 */
struct wait {
	struct wait *prev, *next;
	pthread_t thread;
	struct trap *trap;
	enum {
		WAIT_QUIET, /* nothing ends the wait: a kick is for an earlier one */
		WAIT_GONE,  /* the program has been killed */
		WAIT_RESTART,
		WAIT_INTERRUPT,
	} reason;
	unsigned int doubtful; /* looks that found a signal that may be another thread's */
};

/* Sets up the watcher. Returns 0 or a negative errno. */
int wait_init(int listener);

/* Watches until the last program under the filter has ended. */
void wait_watch(void);

/* Begins a wait of the calling thread for @trap. Returns 0, or -ENOBUFS if the thread must not
 * wait, because none would be left for other calls (pool.h). */
int wait_begin(struct wait *wait, struct trap *trap);

/* Returns true if the wait that returned @rc must be repeated, because a kick for an earlier wait
 * has ended it. */
bool wait_again(const struct wait *wait, long rc);

/**
 * wait_end() - end a wait
 * @rc:		the result of the wait
 * @limited:	the socket has a time limit. The kernel does not restart such a call (signal(7)).
 *
 * Return: the answer to the call.
 */
long wait_end(struct wait *wait, long rc, bool limited);

#endif
