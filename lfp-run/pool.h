/* SPDX-License-Identifier: Apache-2.0 */
/* pool.h - the threads of the supervisor */
#ifndef LFP_RUN_POOL_H
#define LFP_RUN_POOL_H

#include "lfp-run/trap.h"

/*
 * Theory of operation
 *
 * Each call is served by a thread, and there is always one more that is free for the next call, so
 * that a waiting call does not delay other programs. The pool grows with the calls that wait, up to
 * POOL_MOST threads or to what the system allows. From then on the last thread that does not wait
 * does not begin to: calls that would have to wait are refused, and all others are served.
 */

/* Most threads. One less is the number of calls that can wait. */
#define POOL_MOST 8192

/* Starts to serve the calls that come to @listener. @serve is called in a thread of the pool and
 * returns the answer to the call (trap.h). Returns 0 or a negative errno. */
int pool_start(int listener, long (*serve)(struct trap *trap));

/* Announces that the calling thread of the pool will wait for something that only others can bring
 * about. Returns 0, or -ENOBUFS if no thread would be left for other calls. */
int pool_wait_begin(void);
void pool_wait_end(void);

#endif
