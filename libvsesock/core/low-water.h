/* SPDX-License-Identifier: Apache-2.0 */
/* low-water.h - SO_RCVLOWAT: checks whether a readable descriptor holds less than its mark */
#ifndef VSESOCK_LOW_WATER_H
#define VSESOCK_LOW_WATER_H

#include <stdbool.h>
#include <stdint.h>

#include "libvsesock/core/sandbox.h"

/*
 * Theory of operation
 *
 * tcp_poll() shows POLLIN once SO_RCVLOWAT bytes are there; unix_poll() shows it for any byte. So
 * poll(), select() and epoll_wait() (preload/poll.c and others) call low_water_holds() for each
 * readable descriptor. They do so only in a process that has met a mark above 1: set it, asked for
 * it or accepted it from a listener. All other processes only read one variable.
 *
 * The library remembers nothing about descriptors. The near end has the mark, and /proc shows the
 * entries of an epoll set. So dup(), fork() and threads need no care.
 */
extern bool low_water_met;

/* System calls made below. If a filter of the program's own kills one of them, the kernel's answer
 * counts. */
#define LOW_WATER_CALLS                                                                            \
	(SANDBOX_LOW_WATER | SANDBOX_GETSOCKNAME | SANDBOX_GETSOCKOPT | SANDBOX_PPOLL |            \
	 SANDBOX_CLOSE | SANDBOX_FCNTL)

/* Returns true if a descriptor of this process may have a mark. */
static inline bool low_water_on(void)
{
	return __builtin_expect(__atomic_load_n(&low_water_met, __ATOMIC_RELAXED), 0) &&
	       !sandbox_kills(LOW_WATER_CALLS);
}

/* Notes that a near end has this mark. */
static inline void low_water_note(int mark)
{
	if (mark > 1)
		__atomic_store_n(&low_water_met, true, __ATOMIC_RELAXED);
}

/*
 * Call this for an @fd that the kernel reports as readable. Returns true if @fd is a near end that
 * is readable only with fewer bytes than its mark, or an epoll set in which only such near ends are
 * ready. errno is untouched.
 *
 * As on TCP, a near end is readable in any case at the end of file, with an error, and when it is
 * full, because nothing more can arrive before the program reads.
 */
bool low_water_holds(int fd);

#endif
