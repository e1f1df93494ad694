/* SPDX-License-Identifier: Apache-2.0 */
/* datagrams.h - calls that send or receive on datagram near ends */
#ifndef VSESOCK_DATAGRAMS_H
#define VSESOCK_DATAGRAMS_H

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

/* As libc's functions, on a datagram near end: a result, or -1 with errno. */
ssize_t datagram_sendmsg(int fd, const struct sockaddr_un *near, const struct msghdr *msg,
			 int flags);
ssize_t datagram_recvmsg(int fd, const struct sockaddr_un *near, struct msghdr *msg, int flags);

/* With a timeout, @left is not NULL and is set to the time until @end after each message
 * (libvsesock/core/deadline.h). */
int datagram_recvmmsg(int fd, const struct sockaddr_un *near, struct mmsghdr *msgs,
		      unsigned int count, int flags, struct timespec *left,
		      const struct timespec *end);

/*
 * For calls that receive several messages and have some already: waits for another message or for
 * an error, which is left for the next call. Returns 1 if receiving may go on, 0 if not, or a
 * negative errno.
 */
int datagram_wait_next(int fd, int flags);

/*
 * A call on the near end has failed with @error (positive) in the kernel. Returns the negative
 * errno for the program, or 0 if the error is gone and the caller must repeat the call.
 */
int datagram_explain(int fd, const struct sockaddr_un *near, int error);

#endif
