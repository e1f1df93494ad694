/* SPDX-License-Identifier: Apache-2.0 */
/* closers.c - threads that close descriptors whose last close() may wait */
#include "transport/closers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * Theory of operation
 *
 * CLOSERS_KEPT threads are started once and wait for descriptors. A thread that finds nobody else
 * waiting starts one more before it closes, up to CLOSERS_MAX. So the loop itself never starts a
 * thread, and closers that are stuck for as long as a peer likes do not hold up the others. When
 * all are stuck and the system gives no more threads, descriptors wait in the queue. The queue is
 * bounded by the number of descriptors that this process may have.
 *
 * A neighbour may keep all closers busy, with as many TCP sockets that linger inside of UNIX sockets,
 * where nobody can take SO_LINGER off. The wait for such a socket ends with a signal
 * (net/core/stream.c, sk_stream_wait_close), and the connection goes on without its owner. So while
 * descriptors wait and no closer is idle, a watcher sends one to those that have waited for STUCK_MS.
 * A file of a file system that a program serves does not end its wait for that; it takes CLOSERS_MAX
 * of them to hold up other closes, and nothing else.
 *
 * The queue needs no memory of its own where it matters: it links the numbers of descriptors, of
 * which each is there once.
 */

#define CLOSERS_MAX 64u
#define STACK       (256u * 1024u)
#define STUCK_MS    200
#define WAKE        SIGURG /* the daemons have no other use for it */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_cond_t stuck = PTHREAD_COND_INITIALIZER;
static unsigned int closers, idle;
static int told = -1; /* eventfd of the one who wants to know of closes */
static bool watched;

/* What each thread closes: since when, in ms; 0: nothing. */
static struct closing {
	pthread_t thread;
	bool taken;
	uint64_t since;
} closings[CLOSERS_MAX];
/* The descriptor behind this one, or -1; untouched pages cost nothing. */
static int next_of[CLOSERS_NUMBERS];
static int first = -1, last = -1;

static void *run(void *arg);

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000 + 1;
}

/* Signals are the loop's, but for @also. */
static int start_thread(void *(*fn)(void *arg), int also)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t most, old;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK);
	sigfillset(&most);
	if (also)
		sigdelset(&most, also);
	pthread_sigmask(SIG_SETMASK, &most, &old);
	rc = pthread_create(&thread, &attr, fn, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return -rc;
}

/* The lock is held. 0 or a negative errno. */
static int start_one(void)
{
	int rc = start_thread(run, WAKE);

	/* The new thread waits for the lock first. */
	closers += !rc;
	return rc;
}

static void on_wake(int sig)
{
	(void)sig;
}

/* The lock is held. */
static void wake_stuck(void)
{
	uint64_t now = now_ms();

	for (unsigned int i = 0; i < CLOSERS_MAX; i++)
		if (closings[i].since && now - closings[i].since >= STUCK_MS)
			pthread_kill(closings[i].thread, WAKE);
}

static void *watch(void *arg)
{
	const struct timespec pause = {.tv_nsec = STUCK_MS * 1000000};

	(void)arg;
	pthread_mutex_lock(&lock);
	for (;;) {
		while (first < 0 || idle)
			pthread_cond_wait(&stuck, &lock);
		pthread_mutex_unlock(&lock);
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&lock);
		if (first >= 0 && !idle)
			wake_stuck();
	}
	return NULL;
}

/* The lock is held. 0 or a negative errno. */
static int start_watcher(void)
{
	const struct sigaction action = {.sa_handler = on_wake}; /* without SA_RESTART */
	int rc;

	if (watched)
		return 0;
	if (sigaction(WAKE, &action, NULL))
		return -errno;
	rc = start_thread(watch, 0);
	watched = !rc;
	return rc;
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&lock);
}

/* A child has none of the threads; it starts its own for what it closes. */
static void in_child(void)
{
	closers = idle = 0;
	told = -1;
	watched = false;
	memset(closings, 0, sizeof(closings));
	pthread_cond_init(&work, NULL);
	pthread_cond_init(&stuck, NULL);
	pthread_mutex_init(&lock, NULL);
}

static int start_kept(void)
{
	static bool knows_forks;
	int rc = 0;

	if (!knows_forks)
		rc = -pthread_atfork(before_fork, in_parent, in_child);
	knows_forks = !rc;
	if (!rc)
		rc = start_watcher();
	while (!rc && closers < CLOSERS_KEPT)
		rc = start_one();
	return rc;
}

static struct closing *free_place(void)
{
	struct closing *place = closings;

	while (place->taken)
		place++;
	return place;
}

/* The lock is held. An eventfd that is full is readable all the same. */
static void tell(void)
{
	const uint64_t one = 1;
	ssize_t n = told >= 0 ? write(told, &one, sizeof(one)) : 0;

	(void)n;
}

static void *run(void *arg)
{
	struct closing *own;

	(void)arg;
	pthread_mutex_lock(&lock);
	/* There are at most as many threads as places. */
	own = free_place();
	own->taken = true;
	own->thread = pthread_self();
	while (first >= 0 || idle < CLOSERS_KEPT) {
		int fd = first;

		if (fd < 0) {
			idle++;
			pthread_cond_wait(&work, &lock);
			idle--;
			continue;
		}
		first = next_of[fd];
		if (first < 0)
			last = -1;
		/* If this one waits, another thread closes the next. */
		if (!idle && closers < CLOSERS_MAX)
			(void)start_one();
		else if (first >= 0)
			pthread_cond_signal(&work);
		if (first >= 0 && !idle)
			pthread_cond_signal(&stuck);
		own->since = now_ms();
		pthread_mutex_unlock(&lock);
		close(fd);
		pthread_mutex_lock(&lock);
		own->since = 0;
		tell();
	}
	own->taken = false;
	closers--;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int closers_start(void)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = start_kept();
	pthread_mutex_unlock(&lock);
	return rc;
}

void closers_close(int fd)
{
	if (fd < 0 || (unsigned int)fd >= CLOSERS_NUMBERS)
		return;
	pthread_mutex_lock(&lock);
	next_of[fd] = -1;
	if (last < 0)
		first = fd;
	else
		next_of[last] = fd;
	last = fd;
	/* For programs that have not called closers_start(); else this finds all of them. */
	if (!closers)
		(void)start_kept();
	pthread_cond_signal(idle ? &work : &stuck);
	pthread_mutex_unlock(&lock);
}

/* Will a closer soon be done with what waits, or with what it closes? The lock is held. */
static bool is_at_work(uint64_t now)
{
	bool fresh = false, waits = first >= 0;

	for (unsigned int i = 0; i < CLOSERS_MAX; i++)
		fresh |= closings[i].since && now - closings[i].since < CLOSERS_SETTLE_MS;
	return fresh || (waits && idle);
}

bool closers_are_at_work(void)
{
	bool at_work;

	pthread_mutex_lock(&lock);
	at_work = is_at_work(now_ms());
	pthread_mutex_unlock(&lock);
	return at_work;
}

void closers_tell(int event)
{
	pthread_mutex_lock(&lock);
	told = event;
	pthread_mutex_unlock(&lock);
}
