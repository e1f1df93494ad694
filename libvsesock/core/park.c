/* SPDX-License-Identifier: Apache-2.0 */
/* park.c - a way to the LFP instance for programs that can't find its path any more */
#include "libvsesock/core/park.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libvsesock/core/ctl.h"
#include "libvsesock/core/place.h"
#include "libvsesock/core/raw.h"

/* The word: 0, or the cookie's lower bits above the number. Cookies count up from 1. */
#define FD_BITS 20
#define FD_MASK ((1u << FD_BITS) - 1)

/* So many calls go by before parking is tried again when it did not work. */
#define PAUSE 64

static uint64_t parked;
static unsigned int pause_left;

static uint64_t make_word(uint64_t cookie, int fd)
{
	return cookie << FD_BITS | (unsigned int)fd;
}

/* The word that belongs to a socket; 0 if @fd is none, or negative if the kernel was not asked. */
static int word_of(int fd, uint64_t *word)
{
	uint64_t cookie;
	socklen_t len = sizeof(cookie);
	int rc = raw_getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len);

	*word = rc < 0 ? 0 : make_word(cookie, fd);
	return rc == -EBADF || rc == -ENOTSOCK ? 0 : rc;
}

static bool swap(uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&parked, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

int park_fd(void)
{
	uint64_t word = __atomic_load_n(&parked, __ATOMIC_ACQUIRE);

	return word ? (int)(word & FD_MASK) : -1;
}

/* Is what is parked still there? The descriptor, or a negative errno. */
static int find(uint64_t *word)
{
	uint64_t now;
	int fd, rc;

	*word = __atomic_load_n(&parked, __ATOMIC_ACQUIRE);
	if (!*word)
		return -ENETDOWN;
	fd = (int)(*word & FD_MASK);
	rc = word_of(fd, &now);
	/* The program's own filter forbids the question. */
	if (rc < 0)
		return rc;
	if (now == *word)
		return fd;
	/* The program has closed it, and what has its number now is the program's. */
	swap(*word, 0);
	return -ENETDOWN;
}

int park_hand(int end)
{
	struct ctl_call call = {.op = LFP_CTL_HAND, .fd = end};
	uint64_t word;
	int fd = find(&word), rc;

	if (fd < 0)
		return fd;
	rc = ctl_send(fd, &call);
	/* Closed since it was found. */
	return rc == -EBADF ? -ENETDOWN : rc;
}

void park_drop(void)
{
	uint64_t word;
	int fd = find(&word);

	if (fd >= 0 && swap(word, 0))
		raw_close(fd);
}

/* A high number that is free: below a limit of 1024 it leaves the lower three quarters alone. A
 * much higher one would make the kernel keep a large table, and copy it at each fork. */
static int move_up(int fd)
{
	static const int lowest[] = {768, 192, 48};

	for (size_t i = 0; i < sizeof(lowest) / sizeof(lowest[0]); i++) {
		int high = raw_fcntl(fd, F_DUPFD_CLOEXEC, lowest[i]);

		if (high >= 0)
			return high;
	}
	return -EMFILE;
}

/* A negative errno if it is better not tried again at the next call. */
static int make(void)
{
	struct ctl_call call = {.op = LFP_CTL_PARK, .fd = -1};
	int conn = ctl_connect(place_instance());
	uint64_t word;
	int fd, rc;

	/* At the descriptor limit; that may be over soon. */
	if (conn == -EMFILE)
		return 0;
	if (conn < 0)
		return conn;
	rc = ctl_send(conn, &call);
	fd = rc ? rc : move_up(conn);
	raw_close(conn);
	if (fd < 0)
		return fd;
	rc = word_of(fd, &word);
	if (rc < 0 || !word || (unsigned int)fd > FD_MASK || !swap(0, word))
		raw_close(fd);
	return rc;
}

void park_make(void)
{
	unsigned int left;

	if (__atomic_load_n(&parked, __ATOMIC_ACQUIRE))
		return;
	left = __atomic_load_n(&pause_left, __ATOMIC_RELAXED);
	if (left) {
		__atomic_store_n(&pause_left, left - 1, __ATOMIC_RELAXED);
		return;
	}
	if (make() < 0)
		__atomic_store_n(&pause_left, PAUSE, __ATOMIC_RELAXED);
}

void park_keep(void)
{
	uint64_t word;

	if (find(&word) < 0 && !__atomic_load_n(&parked, __ATOMIC_ACQUIRE))
		make();
}
