/* SPDX-License-Identifier: Apache-2.0 */
/* near.h - near ends: recognises them, and replaces one */
#ifndef VSESOCK_NEAR_H
#define VSESOCK_NEAR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

/*
 * The kernel is asked for the name of the socket, or for its cookie if this process has made it
 * (recognised.h). The answer is right after dup, fork, exec and descriptor passing. One system
 * call, which fails at once for anything but a socket; a second one for a stream without a path. If
 * a seccomp filter of the program forbids the call, the program's own instance is asked.
 */

enum near_kind {
	NEAR_NONE,
	NEAR_STREAM,
	NEAR_DATAGRAM,
};

/* Returns the kind of @fd. For a near end @nn is set to its instance, NUL-terminated. */
enum near_kind near_kind(int fd, char nn[static 3]);

/* The same. @cookie is set to the socket's cookie (core/known.h), or 0 if it was not asked for. */
enum near_kind near_kind_cookie(int fd, char nn[static 3], uint64_t *cookie);

/* Returns true for a datagram near end, and sets @near to its name. */
bool near_datagram(int fd, struct sockaddr_un *near);

/*
 * Hints about descriptor numbers, so that data calls on streams cost nothing more: noted by the
 * functions above and by those that make sockets, forgotten when the number gets another
 * descriptor. Another descriptor may get a number unnoticed. A wrong hint shows when a call fails
 * as it does on the other kind, or returns data that only the other kind has.
 */
#define NEAR_HINTS_NR 65536u

extern uint64_t near_datagram_bits[NEAR_HINTS_NR / 64], near_other_bits[NEAR_HINTS_NR / 64];
extern uint64_t near_stream_bits[NEAR_HINTS_NR / 64];
/* Streams whose cookies recognised.h may have. */
extern uint64_t near_cookie_bits[NEAR_HINTS_NR / 64];
/* Streams whose connection is new: this process has sent nothing on them. */
extern uint64_t near_quiet_bits[NEAR_HINTS_NR / 64];

static inline bool near_bit(const uint64_t *bits, int fd)
{
	return (unsigned int)fd < NEAR_HINTS_NR &&
	       (__atomic_load_n(&bits[(unsigned int)fd / 64], __ATOMIC_RELAXED) >>
			((unsigned int)fd % 64) &
		1);
}

void near_note(int fd, enum near_kind kind);

/* After near_note(): the socket's cookie is among those of recognised.h. */
void near_note_cookie(int fd);

/* connect() and accept() of this thread do not wait, as with O_NONBLOCK: for calls of the z/VSE
 * interfaces whose program goes on meanwhile. */
extern _Thread_local bool near_dontwait;

/* Notes a stream that has just been connected. */
void near_note_quiet(int fd);

void near_end_quiet(int fd);

/* The process sends on @fd. */
static inline void near_sends(int fd)
{
	if (__builtin_expect(near_bit(near_quiet_bits, fd), 0))
		near_end_quiet(fd);
}

/* Forgets the hints about a number that another descriptor has got. */
void near_forget(int fd);

/* Notes that @to is now a copy of @from. Only forgets hints, because a child of vfork() has its
 * parent's memory but other descriptors. */
void near_copied(int from, int to);

/* Returns true for a datagram near end. Asks the kernel unless the number is noted as something
 * else. */
static inline bool near_datagram_hint(int fd, struct sockaddr_un *near)
{
	return !near_bit(near_other_bits, fd) && near_datagram(fd, near);
}

/* Sets @nn to the instance in the name of a near end. */
void near_instance(const struct sockaddr_un *near, char nn[static 3]);

/* Returns true if @fd is a near end, and sets @nn to its instance, NUL-terminated. */
bool near_end(int fd, char nn[static 3]);

/* Returns true if this near end is connected (or listens). */
bool near_end_paired(int fd);

/* inherit.c: */

/* Copies the options that lfp/sockopt.h calls LOCAL: the kernel gives an accepted socket those of
 * its listener. */
void inherit_options(int from, int to);

/* renew.c: */

/**
 * renew() - replace a near end whose connection is over
 * @fd:		the near end, for which CONNECT has said EBADFD
 * @nn:		its instance
 *
 * All descriptors of the socket in this process are replaced, and so are its places in epoll sets.
 * Return: 0 or a negative errno.
 */
int renew(int fd, const char *nn);

#endif
