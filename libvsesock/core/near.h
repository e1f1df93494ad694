/* SPDX-License-Identifier: Apache-2.0 */
/* near.h - near ends: is a descriptor one, and a new one in its place */
#ifndef VSESOCK_NEAR_H
#define VSESOCK_NEAR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

/*
 * Ask the kernel for the name of the socket: the answer is right after dup, fork, exec and
 * descriptor passing, and there is no table that could be wrong. One system call; for what is no
 * socket it fails at once. Where a seccomp filter of the program forbids it the program's own
 * instance is asked.
 */

enum near_kind {
	NEAR_NONE,
	NEAR_STREAM,
	NEAR_DATAGRAM,
};

/* What is @fd? If it is a near end @nn is its instance, NUL-terminated. */
enum near_kind near_kind(int fd, char nn[static 3]);

/* Is it a datagram near end? Then @near is its name. */
bool near_datagram(int fd, struct sockaddr_un *near);

/*
 * What has been found out about a number, so that data calls on streams pay nothing: noted by the
 * functions above and by those that make sockets, forgotten when the number gets a descriptor from
 * elsewhere. A hint, because numbers may change hands unseen: one that is wrong is found out when a
 * call fails as it does on the other kind, or gives what only the other kind has.
 */
#define NEAR_HINTS_NR 65536u

extern uint64_t near_datagram_bits[NEAR_HINTS_NR / 64], near_other_bits[NEAR_HINTS_NR / 64];
extern uint64_t near_stream_bits[NEAR_HINTS_NR / 64];

static inline bool near_bit(const uint64_t *bits, int fd)
{
	return (unsigned int)fd < NEAR_HINTS_NR &&
	       (__atomic_load_n(&bits[(unsigned int)fd / 64], __ATOMIC_RELAXED) >>
			((unsigned int)fd % 64) &
		1);
}

void near_note(int fd, enum near_kind kind);

/* connect() and accept() of this thread do not wait, as with O_NONBLOCK: for calls of the z/VSE
 * interfaces that are made on behalf of a program which goes on meanwhile. */
extern _Thread_local bool near_dontwait;

/* The number is somebody else's now: nothing is known about it. */
void near_forget(int fd);

/* The number @to is now what @from is. Only forgets, because a child of vfork() has other
 * descriptors than its parent, but the same memory. */
void near_copied(int from, int to);

/* Is it a datagram near end? Asks unless it is noted as something else. */
static inline bool near_datagram_hint(int fd, struct sockaddr_un *near)
{
	return !near_bit(near_other_bits, fd) && near_datagram(fd, near);
}

/* The instance in the name of a near end. */
void near_instance(const struct sockaddr_un *near, char nn[static 3]);

/* Is @fd a near end? If so @nn is its instance, NUL-terminated. */
bool near_end(int fd, char nn[static 3]);

/* Is this near end connected (or listening)? */
bool near_end_paired(int fd);

/* inherit.c: */

/* What lfp/sockopt.h calls LOCAL: the kernel gives an accepted socket that of its listener. */
void inherit_options(int from, int to);

/* renew.c: */

/**
 * renew() - put a new near end in the place of one whose connection is over
 * @fd:		the near end, for which CONNECT has said EBADFD
 * @nn:		its instance
 *
 * All descriptors of the socket in this process are replaced, and so are its places in epoll sets.
 * Return: 0 or a negative errno.
 */
int renew(int fd, const char *nn);

#endif
