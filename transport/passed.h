/* SPDX-License-Identifier: Apache-2.0 */
/* passed.h - how to close descriptors that came with a message */
#ifndef TRANSPORT_PASSED_H
#define TRANSPORT_PASSED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "lfp/rights.h"

/*
 * The last close() of a file can block as long as the file's owner likes: a TCP socket with
 * SO_LINGER, a file of a FUSE file system, and whatever is queued in a UNIX socket. The caller
 * would serve nothing else meanwhile. The kernel itself closes descriptors that have no room in the
 * receive buffer. So the buffer has room for SCM_MAX_FD, the kernel's limit. The kernel also closes
 * descriptors for which the process has no free number. So passed_take() looks first when free
 * numbers are few.
 */
#define PASSED_MAX  LFP_RIGHTS_MAX
#define PASSED_ROOM CMSG_SPACE(PASSED_MAX * sizeof(int))
#define PASSED_MORE 512u /* extra bytes if socket options may add facts about the sender */

union passed {
	struct cmsghdr header;
	char room[PASSED_ROOM];
};

#define PASSED_BY_NOBODY UINT32_MAX /* as a user id: the sender of the descriptors is unknown */

/* SO_PASSRIGHTS (Linux 6.16), which older headers do not have. */
#define PASSED_PASSRIGHTS 83

/* Closes any descriptor without waiting: a thread does it, maybe later. */
void passed_close(int fd);

/* The same for a descriptor that a program of user @uid has passed: slow closes of one user do not
 * hold up others. */
void passed_close_of(int fd, uint32_t uid);

/* The same for a descriptor that is known to be a UNIX socket. */
void passed_close_unix(int fd, uint32_t uid);

/* Ends a socket that others can send to and that no other process has: at once if nothing is
 * unread, else a thread closes it. Its peer sees the end at once in both cases. For a socket that
 * another process has as well, use passed_close(): that process may read the messages that were
 * seen. */
void passed_end(int fd);
void passed_end_of(int fd, uint32_t uid);

/* Ends a socket with an answer that its peer may not have read. A thread reads the unread data
 * first. Otherwise Linux would give the peer ECONNRESET instead of the answer (net/unix/af_unix.c,
 * unix_release_sock()). */
void passed_end_answered(int fd, uint32_t uid);

/* Returns true if so many files of user @uid wait for their close() that the caller must take no
 * message of this user. */
bool passed_is_crowded(uint32_t uid);

/* As passed_end_of(), for a UNIX socket for which passed_refuse() was called. @own of its unread
 * bytes were sent by this process itself. @uid may be PASSED_BY_NOBODY. */
void passed_end_refusing(int fd, uint64_t own, uint32_t uid);

/* Makes a UNIX socket refuse descriptors. Returns true from Linux 6.16 on; on older kernels read
 * the socket with passed_receive(). Urgent bytes come in line from now on: the kernel closes the
 * descriptors of an urgent byte that a read skips. */
bool passed_refuse(int fd);

/* Closes, as passed_close(), all descriptors that came with a received message. */
void passed_drop(struct msghdr *msg);

/**
 * passed_take() - recvmsg() that does not wait, and during which the kernel closes nothing
 * @fd:		a socket that only this process reads
 * @msg:	with one part, and room for control messages: at least PASSED_ROOM
 * @nr:		most descriptors that come with a good message
 *
 * Descriptor numbers may be short, or many files of nobody may wait to be closed. Then a message
 * stays in the socket if it has more than @nr descriptors, or more than there are numbers. End the
 * socket in that case: a thread closes the descriptors that it holds.
 * Return: the length; -EMFILE for a message that stays; another negative errno.
 */
ssize_t passed_take(int fd, struct msghdr *msg, unsigned int nr);

/* Looks at the next message, and leaves it in the socket: for a socket that others may read, too.
 * Returns as passed_take(). The caller owns the copies of the descriptors. */
ssize_t passed_look(int fd, struct msghdr *msg, unsigned int nr);

/* recv() that does not wait, from a socket that can be sent descriptors; they are dropped. Fails
 * with EMFILE as passed_take() does. */
ssize_t passed_receive(int fd, void *buf, size_t len);

/* numbers.c: are there numbers for all descriptors that one message can bring? */

/* The numbers below the limit of this process that have to be unused: the kernel's SCM_MAX_FD (253)
 * and some for descriptors that the process does not note. */
#define NUMBERS_KEPT 320u

/* Notes a new descriptor. Makes a system call the first time only. */
void numbers_note(int fd);

/* Returns true unless the last NUMBERS_KEPT numbers are unused. Makes no system call until one of
 * them has been noted, and then looks at most once in 100 ms. For the thread that receives. */
bool numbers_are_short(void);

/* Read RLIMIT_NOFILE, and look again: for a process that has changed it. */
void numbers_start(void);

#endif
