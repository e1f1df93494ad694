/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c - the threads of a daemon, made at its start */
#include "transport/loop.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "transport/closers.h"

/*
 * Theory of operation
 *
 * libuv makes all threads of its pool with the first work that it is given, and calls abort() if it
 * cannot have one (libuv, src/threadpool.c, init_threads). So as many threads are made here before,
 * all at once, and ended again: then the daemon can report the error itself.
 */

#define POOL_DEFAULT 4 /* libuv's */
#define POOL_MAX     1024

/* Returns the size of the pool, as libuv reads it from the environment (init_threads()). */
static unsigned int pool_size(void)
{
	const char *text = getenv("UV_THREADPOOL_SIZE");
	long size = text ? strtol(text, NULL, 10) : POOL_DEFAULT;

	if (size < 1)
		return 1;
	return size > POOL_MAX ? POOL_MAX : (unsigned int)size;
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_at_gate(void *arg)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return arg;
}

/* Returns 0 if @nr threads can exist at a time, else a negative errno. */
static int try_threads(unsigned int nr)
{
	pthread_t threads[POOL_MAX];
	sigset_t all, old;
	unsigned int made = 0;
	int rc = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_mutex_lock(&gate);
	while (made < nr && !rc) {
		rc = pthread_create(&threads[made], NULL, wait_at_gate, NULL);
		made += !rc;
	}
	pthread_mutex_unlock(&gate);
	while (made)
		pthread_join(threads[--made], NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -rc;
}

static void do_nothing(uv_work_t *work)
{
	(void)work;
}

static void on_nothing(uv_work_t *work, int status)
{
	(void)work;
	(void)status;
}

int threads_start(uv_loop_t *loop, bool pool)
{
	static uv_work_t nothing;
	int rc = closers_start();

	if (!rc && pool)
		rc = try_threads(pool_size());
	if (!rc && pool)
		rc = uv_queue_work(loop, &nothing, do_nothing, on_nothing);
	return rc;
}
