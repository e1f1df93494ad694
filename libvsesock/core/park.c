/* SPDX-License-Identifier: Apache-2.0 */
/* park.c - a way to the LFP instance for programs that can no longer reach its path */
#include "libvsesock/core/park.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libvsesock/core/ctl-conn.h"
#include "libvsesock/core/early.h"
#include "libvsesock/core/fresh.h"
#include "libvsesock/core/place.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/core/sandbox.h"

/* The word is 0, or the cookie's lower bits above the descriptor. Cookies count up from 1. */
#define FD_BITS 20
#define FD_MASK ((1u << FD_BITS) - 1)

/* In `borrowed`: the connection was dropped meanwhile; park_return() closes it. */
#define LEFT (UINT64_C(1) << 63)

/* Calls between two attempts to park. */
#define PAUSE 64

static uint64_t parked;
static uint64_t aside;    /* set aside by a process that only shares the memory: a word, or 0 */
static long owner;        /* process that owns this memory; 0: not yet known */
static long maker;        /* process that has parked the connection; 0 after a fork */
static uint64_t borrowed; /* word in use by a direct request, or 0 */
static unsigned int pause_left;

static long own_pid(void)
{
	return raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static void on_fork(void)
{
	owner = own_pid();
	/* Answers to direct requests belong to the parent. */
	maker = 0;
	borrowed = 0;
}

/* A child with a copy of the memory that was not made by fork() works without this: it connects by
 * the path when its parked connection is lost. */
static void __attribute__((constructor)) know_owner(void)
{
	if (!pthread_atfork(NULL, NULL, on_fork))
		on_fork();
}

/* Returns true if this process owns the memory. A child of vfork() or of clone() with CLONE_VM does
 * not: the word is about its parent's descriptors. */
static bool is_owner(void)
{
	return !owner || sandbox_kills(SANDBOX_GETPID) || owner == own_pid();
}

static uint64_t make_word(uint64_t cookie, int fd)
{
	return cookie << FD_BITS | (unsigned int)fd;
}

/* Computes the word of a socket, 0 if @fd is no socket. Returns a negative errno if the system call
 * fails. */
static int word_of(int fd, uint64_t *word)
{
	uint64_t cookie;
	socklen_t len = sizeof(cookie);
	int rc = raw_getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len);

	*word = rc < 0 ? 0 : make_word(cookie, fd);
	return rc == -EBADF || rc == -ENOTSOCK ? 0 : rc;
}

/* Closes the descriptor of @word, unless the program has closed it: then the number may be the
 * program's. */
static void close_word(uint64_t word)
{
	int fd = (int)(word & FD_MASK);
	uint64_t now;

	if (word_of(fd, &now) == 0 && now == word)
		raw_close(fd);
}

static bool swap(uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(&parked, &from, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

/* Forgets @word, which this process cannot use. Returns true if its descriptor is this process's to
 * close. */
static bool forget(uint64_t word)
{
	bool owns = is_owner();

	if (!swap(word, 0))
		return false;
	if (owns) {
		fresh_forget();
		early_forget();
	} else {
		__atomic_store_n(&aside, word, __ATOMIC_RELEASE);
	}
	return owns;
}

/* Returns the word. If need be, takes back the one that was set aside. */
static uint64_t current(void)
{
	uint64_t word = __atomic_load_n(&parked, __ATOMIC_ACQUIRE), back;

	if (word || !__atomic_load_n(&aside, __ATOMIC_ACQUIRE) || !is_owner())
		return word;
	back = __atomic_exchange_n(&aside, 0, __ATOMIC_ACQ_REL);
	if (back)
		swap(0, back);
	return __atomic_load_n(&parked, __ATOMIC_ACQUIRE);
}

int park_fd(void)
{
	uint64_t word = current();

	return word ? (int)(word & FD_MASK) : -1;
}

/* Returns the descriptor of the parked connection if that is still there, else a negative errno. */
static int find(uint64_t *word)
{
	uint64_t now;
	int fd, rc;

	*word = current();
	if (!*word)
		return -ENETDOWN;
	fd = (int)(*word & FD_MASK);
	rc = word_of(fd, &now);
	/* The program's own filter forbids the call that reads the cookie. */
	if (rc < 0)
		return rc;
	if (now == *word)
		return fd;
	/* The program has closed it, and the number is the program's now. */
	forget(*word);
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
	/* The program has closed it since find(). */
	return rc == -EBADF ? -ENETDOWN : rc;
}

int park_borrow(void)
{
	uint64_t word, free_now = 0;
	int fd;

	if (!__atomic_load_n(&parked, __ATOMIC_ACQUIRE) || sandbox_kills(SANDBOX_GETPID) ||
	    __atomic_load_n(&maker, __ATOMIC_RELAXED) != own_pid())
		return -ENETDOWN;
	fd = find(&word);
	if (fd < 0)
		return fd;
	if (!__atomic_compare_exchange_n(&borrowed, &free_now, word, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_RELAXED))
		return -EBUSY;
	/* Another thread that dropped it in between may have closed it. */
	if (__atomic_load_n(&parked, __ATOMIC_SEQ_CST) == word)
		return fd;
	park_return(false);
	return -ENETDOWN;
}

void park_return(bool spoilt)
{
	uint64_t word = __atomic_load_n(&borrowed, __ATOMIC_RELAXED) & ~LEFT;

	if (spoilt && forget(word))
		__atomic_fetch_or(&borrowed, LEFT, __ATOMIC_SEQ_CST);
	if (__atomic_exchange_n(&borrowed, 0, __ATOMIC_SEQ_CST) & LEFT)
		close_word(word);
}

bool park_lasts(void)
{
	uint64_t word = __atomic_load_n(&borrowed, __ATOMIC_RELAXED) & ~LEFT, now;

	return word && word_of((int)(word & FD_MASK), &now) == 0 && now == word;
}

/* Returns true if the connection is not borrowed; else the borrower will close it. */
static bool nobody_uses(uint64_t word)
{
	return !__atomic_compare_exchange_n(&borrowed, &word, word | LEFT, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED);
}

void park_drop(void)
{
	uint64_t word;
	int fd = find(&word);

	if (fd >= 0 && forget(word) && nobody_uses(word))
		raw_close(fd);
}

/* Moves @fd to a high free number: with a limit of 1024 the lower three quarters stay free. With a
 * much higher number the kernel would keep a large table and copy it at each fork (fs/file.c,
 * dup_fd()). */
static int move_up(int fd)
{
	static const int lowest[] = {768, 192, 48};

	/* Not the number of a connection on which a caller waits and which a handler has closed:
	 * the kernel restarts the wait by the number (SA_RESTART). */
	int used = (int)(__atomic_load_n(&borrowed, __ATOMIC_RELAXED) & FD_MASK);

	for (size_t i = 0; i < sizeof(lowest) / sizeof(lowest[0]); i++) {
		int high = raw_fcntl(fd, F_DUPFD_CLOEXEC, used >= lowest[i] ? used + 1 : lowest[i]);

		if (high >= 0)
			return high;
	}
	return -EMFILE;
}

/* Parks a connection. Returns a negative errno if the next call had better not try again. */
static int make(void)
{
	struct ctl_call call = {.op = LFP_CTL_PARK, .fd = -1};
	uint64_t word;
	int conn, fd, rc;

	if (!is_owner())
		return 0;
	conn = ctl_connect(place_instance());
	/* The descriptor limit is reached; that may change soon. */
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
	else
		__atomic_store_n(&maker, own_pid(), __ATOMIC_RELAXED);
	return rc;
}

void park_make(void)
{
	unsigned int left;

	if (current())
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

	if (find(&word) < 0 && !current())
		make();
}
