/* SPDX-License-Identifier: Apache-2.0 */
/* select.c - select, pselect: where SO_RCVLOWAT counts as on TCP */
#include <pthread.h>
#include <string.h>
#include <sys/select.h>

#include "libvsesock/core/low-water.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/preload/hooks.h"
#include "libvsesock/preload/low-wait.h"

/*
 * As poll.c. A set of more than FD_SETSIZE descriptors may be shorter than the first argument says,
 * because the kernel reads it only up to the highest open descriptor. The library cannot know its
 * length, so the kernel's answer counts.
 */
#define WORD_BITS (8 * (int)sizeof(fd_mask))
#define WORDS     (2 * FD_SETSIZE / WORD_BITS) /* has room for the number of our own set */
#define BITS      (WORDS * WORD_BITS)

enum { READ, WRITE, EXCEPT, NR_SETS };

struct bits {
	fd_mask words[WORDS];
};

struct sets {
	int n;
	fd_set *given[NR_SETS]; /* the program's, or NULL */
	struct bits asked[NR_SETS];
	struct bits waited[NR_SETS];
	struct low_wait wait;
};

static bool has(const struct bits *bits, int fd)
{
	return bits->words[fd / WORD_BITS] >> (fd % WORD_BITS) & 1;
}

static void put(struct bits *bits, int fd, bool on)
{
	fd_mask bit = (fd_mask)(1ul << (fd % WORD_BITS));

	if (on)
		bits->words[fd / WORD_BITS] |= bit;
	else
		bits->words[fd / WORD_BITS] &= ~bit;
}

static size_t length(int n)
{
	return (size_t)(n + WORD_BITS - 1) / (size_t)WORD_BITS * sizeof(fd_mask);
}

static void take_given(struct sets *sets, struct bits to[NR_SETS])
{
	for (int i = 0; i < NR_SETS; i++)
		if (sets->given[i])
			memcpy(&to[i], sets->given[i], length(sets->n));
}

static void give_back(struct sets *sets, const struct bits from[NR_SETS])
{
	for (int i = 0; i < NR_SETS; i++)
		if (sets->given[i])
			memcpy(sets->given[i], &from[i], length(sets->n));
}

/* Takes held descriptors out and adds them to the set, if there is one. Returns how many are left.
 */
static int take_out(struct sets *sets, struct bits ready[NR_SETS])
{
	int nr = 0;

	for (int fd = 0; fd < sets->n; fd++) {
		if (has(&ready[READ], fd) && low_water_holds(fd) &&
		    (sets->wait.set < 0 || low_wait_watch(&sets->wait, fd) == 0)) {
			put(&ready[READ], fd, false);
			put(&sets->waited[READ], fd, false);
		}
		for (int i = 0; i < NR_SETS; i++)
			nr += has(&ready[i], fd);
	}
	return nr;
}

static int call(int n, struct bits *bits, const struct timespec *timeout, const sigset_t *mask)
{
	return real()->pselect(n, (fd_set *)&bits[READ], (fd_set *)&bits[WRITE],
			       (fd_set *)&bits[EXCEPT], timeout, mask);
}

static int look(struct sets *sets)
{
	struct bits ready[NR_SETS];
	struct timespec zero = {0};
	int rc;

	memcpy(ready, sets->asked, sizeof(ready));
	rc = (int)raw_call(SYS_pselect6, sets->n, (long)&ready[READ], (long)&ready[WRITE],
			   (long)&ready[EXCEPT], (long)&zero, 0);
	if (rc < 0)
		return (int)give(rc);
	rc = take_out(sets, ready);
	give_back(sets, ready);
	return rc;
}

static int wait_on(struct sets *sets, int64_t end, const sigset_t *mask)
{
	int n = sets->n > sets->wait.set ? sets->n : sets->wait.set + 1, rc;
	struct bits ready[NR_SETS];
	struct timespec ts;

	memcpy(sets->waited, sets->asked, sizeof(sets->waited));
	for (;;) {
		low_wait_drain(&sets->wait);
		rc = look(sets);
		if (rc || low_wait_over(end))
			return rc;
		put(&sets->waited[READ], sets->wait.set, true);
		memcpy(ready, sets->waited, sizeof(ready));
		ts = low_wait_look(end);
		rc = call(n, ready, &ts, mask);
		if (rc < 0) {
			give_back(sets, sets->asked);
			return rc;
		}
	}
}

/* Handles a result of the kernel that some are ready. */
static int finish(struct sets *sets, int64_t end, const sigset_t *mask)
{
	int saved = errno, rc;
	struct bits ready[NR_SETS];
	struct timespec left;

	memset(ready, 0, sizeof(ready));
	take_given(sets, ready);
	rc = take_out(sets, ready);
	give_back(sets, ready);
	if (rc || low_wait_over(end))
		return rc;
	pthread_cleanup_push(low_wait_end, &sets->wait);
	if (low_wait_begin(&sets->wait) == 0 && sets->wait.set < BITS) {
		rc = wait_on(sets, end, mask);
	} else {
		memcpy(ready, sets->asked, sizeof(ready));
		rc = call(sets->n, ready, low_wait_left(end, &left) ? &left : NULL, mask);
		give_back(sets, ready);
	}
	if (rc >= 0)
		errno = saved;
	pthread_cleanup_pop(1);
	return rc;
}

/* Returns false if the kernel alone handles the call. */
static bool take(struct sets *sets, int n, fd_set *read, fd_set *write, fd_set *except)
{
	if (!low_water_on() || n <= 0 || n > FD_SETSIZE || !read)
		return false;
	memset(sets, 0, sizeof(*sets));
	sets->n = n;
	sets->given[READ] = read;
	sets->given[WRITE] = write;
	sets->given[EXCEPT] = except;
	sets->wait.set = -1;
	/* The kernel refuses bad pointers. */
	for (int i = 0; i < NR_SETS; i++)
		if (sets->given[i] && memory_check_read(sets->given[i], length(n)))
			return false;
	take_given(sets, sets->asked);
	return true;
}

EXPORT int select(int n, fd_set *read, fd_set *write, fd_set *except, struct timeval *timeout)
{
	struct timespec left;
	struct sets sets;
	int64_t end;
	int rc;

	if (!take(&sets, n, read, write, except))
		return real()->select(n, read, write, except, timeout);
	end = low_wait_until_tv(timeout);
	rc = real()->select(n, read, write, except, timeout);
	if (rc <= 0)
		return rc;
	rc = finish(&sets, end, NULL);
	/* As Linux: the time that is left (fs/select.c, poll_select_finish()). */
	if (low_wait_left(end, &left))
		*timeout = (struct timeval){left.tv_sec, left.tv_nsec / 1000};
	return rc;
}

EXPORT int pselect(int n, fd_set *read, fd_set *write, fd_set *except,
		   const struct timespec *timeout, const sigset_t *mask)
{
	struct sets sets;
	int64_t end;
	int rc;

	if (!take(&sets, n, read, write, except))
		return real()->pselect(n, read, write, except, timeout, mask);
	end = low_wait_until(timeout);
	rc = real()->pselect(n, read, write, except, timeout, mask);
	return rc > 0 ? finish(&sets, end, mask) : rc;
}
