/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - the threads of the supervisor */
#include "lfp-run/pool.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>

/* At most this many threads stay idle; at least one always does. */
#define IDLE_MAX   4
#define STACK_SIZE (256u * 1024)

static struct {
	pthread_mutex_t lock;
	int listener;
	long (*serve)(struct trap *trap);
	unsigned int threads;
	unsigned int idle;    /* of threads: those that wait for a call */
	unsigned int waiting; /* of threads: those whose call waits */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *work(void *arg);

/* Adds an idle thread. The caller holds the lock. */
static bool add_thread(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	if (pool.threads >= POOL_MOST || pthread_attr_init(&attr))
		return false;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	rc = pthread_create(&thread, &attr, work, NULL);
	pthread_attr_destroy(&attr);
	if (rc)
		return false;
	pool.threads++;
	pool.idle++;
	return true;
}

/* Returns true if the last program under the filter has ended. */
static bool is_over(void)
{
	struct pollfd pfd = {.fd = pool.listener};

	return poll(&pfd, 1, 0) > 0;
}

static void take_up(void)
{
	pthread_mutex_lock(&pool.lock);
	pool.idle--;
	/* Without another thread the next calls wait until this one is served, and so this one will
	 * not wait. */
	if (!pool.idle)
		(void)add_thread();
	pthread_mutex_unlock(&pool.lock);
}

/* Returns false if there are enough idle threads. */
static bool lay_down(void)
{
	bool stay;

	pthread_mutex_lock(&pool.lock);
	stay = pool.idle < IDLE_MAX;
	if (stay)
		pool.idle++;
	else
		pool.threads--;
	pthread_mutex_unlock(&pool.lock);
	return stay;
}

static void *work(void *arg)
{
	struct trap trap;
	int rc;

	(void)arg;
	do {
		/* After the end of all programs trap_receive() does not wait. */
		while ((rc = trap_receive(pool.listener, &trap)) == -EAGAIN && !is_over())
			;
		if (rc < 0)
			return NULL;
		take_up();
		trap_answer(&trap, pool.serve(&trap));
	} while (lay_down());
	return NULL;
}

int pool_start(int listener, long (*serve)(struct trap *trap))
{
	bool done;

	pthread_mutex_lock(&pool.lock);
	pool.listener = listener;
	pool.serve = serve;
	done = add_thread();
	pthread_mutex_unlock(&pool.lock);
	return done ? 0 : -EAGAIN;
}

int pool_wait_begin(void)
{
	bool may;

	pthread_mutex_lock(&pool.lock);
	may = pool.waiting + 1 < pool.threads || add_thread();
	if (may)
		pool.waiting++;
	pthread_mutex_unlock(&pool.lock);
	return may ? 0 : -ENOBUFS;
}

void pool_wait_end(void)
{
	pthread_mutex_lock(&pool.lock);
	pool.waiting--;
	pthread_mutex_unlock(&pool.lock);
}
