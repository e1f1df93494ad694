/* SPDX-License-Identifier: Apache-2.0 */
/* real.h - libc's own functions behind those that the shim interposes */
#ifndef VSESOCK_REAL_H
#define VSESOCK_REAL_H

#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

#include "libvsesock/core/export.h"

/* Calls that may block are made through libc, so that they stay cancellation points. */
struct real {
	ssize_t (*read)(int fd, void *buf, size_t len);
	ssize_t (*readv)(int fd, const struct iovec *iov, int count);
	ssize_t (*preadv2)(int fd, const struct iovec *iov, int count, off_t at, int flags);
	ssize_t (*splice)(int from, off64_t *from_at, int to, off64_t *to_at, size_t len,
			  unsigned int flags);
	ssize_t (*write)(int fd, const void *buf, size_t len);
	ssize_t (*writev)(int fd, const struct iovec *iov, int count);
	ssize_t (*sendfile)(int to, int from, off_t *at, size_t len);
	ssize_t (*recv)(int fd, void *buf, size_t len, int flags);
	ssize_t (*recvfrom)(int fd, void *buf, size_t len, int flags, struct sockaddr *addr,
			    socklen_t *addrlen);
	ssize_t (*recvmsg)(int fd, struct msghdr *msg, int flags);
	int (*recvmmsg)(int fd, struct mmsghdr *msgs, unsigned int count, int flags,
			struct timespec *timeout);
	ssize_t (*read_chk)(int fd, void *buf, size_t len, size_t room);
	ssize_t (*recv_chk)(int fd, void *buf, size_t len, size_t room, int flags);
	ssize_t (*recvfrom_chk)(int fd, void *buf, size_t len, size_t room, int flags,
				struct sockaddr *addr, socklen_t *addrlen);
	ssize_t (*send)(int fd, const void *buf, size_t len, int flags);
	ssize_t (*sendto)(int fd, const void *buf, size_t len, int flags,
			  const struct sockaddr *addr, socklen_t addrlen);
	ssize_t (*sendmsg)(int fd, const struct msghdr *msg, int flags);
	int (*sendmmsg)(int fd, struct mmsghdr *msgs, unsigned int count, int flags);
	int (*poll)(struct pollfd *fds, nfds_t nr, int timeout);
	int (*ppoll)(struct pollfd *fds, nfds_t nr, const struct timespec *timeout,
		     const sigset_t *mask);
	int (*poll_chk)(struct pollfd *fds, nfds_t nr, int timeout, size_t room);
	int (*ppoll_chk)(struct pollfd *fds, nfds_t nr, const struct timespec *timeout,
			 const sigset_t *mask, size_t room);
	int (*select)(int n, fd_set *read, fd_set *write, fd_set *except, struct timeval *timeout);
	int (*pselect)(int n, fd_set *read, fd_set *write, fd_set *except,
		       const struct timespec *timeout, const sigset_t *mask);
	int (*epoll_wait)(int set, struct epoll_event *events, int most, int timeout);
	int (*epoll_pwait)(int set, struct epoll_event *events, int most, int timeout,
			   const sigset_t *mask);
	int (*epoll_pwait2)(int set, struct epoll_event *events, int most,
			    const struct timespec *timeout, const sigset_t *mask);
	int (*connect)(int fd, const struct sockaddr *addr, socklen_t addrlen);
	int (*accept4)(int fd, struct sockaddr *addr, socklen_t *addrlen, int flags);
	int (*dup)(int fd);
	int (*dup2)(int fd, int to);
	int (*dup3)(int fd, int to, int flags);
	int (*fcntl)(int fd, int cmd, ...);
	int (*fcntl64)(int fd, int cmd, ...);
	FILE *(*fopen)(const char *path, const char *mode);
	FILE *(*fopen64)(const char *path, const char *mode);
	int (*gethostname)(char *buf, size_t len);
	int (*gethostname_chk)(char *buf, size_t len, size_t room);
	long (*gethostid)(void);
	int (*getnameinfo)(const struct sockaddr *addr, socklen_t addrlen, char *host,
			   socklen_t hostlen, char *service, socklen_t servicelen, int flags);
	int (*getaddrinfo)(const char *node, const char *service, const struct addrinfo *hints,
			   struct addrinfo **result);
	struct hostent *(*gethostbyname)(const char *name);
	struct hostent *(*gethostbyname2)(const char *name, int family);
	struct hostent *(*gethostbyaddr)(const void *addr, socklen_t len, int family);
	int (*gethostbyname_r)(const char *name, struct hostent *host, char *buf, size_t len,
			       struct hostent **result, int *herror);
	int (*gethostbyname2_r)(const char *name, int family, struct hostent *host, char *buf,
				size_t len, struct hostent **result, int *herror);
	int (*gethostbyaddr_r)(const void *addr, socklen_t addrlen, int family,
			       struct hostent *host, char *buf, size_t len, struct hostent **result,
			       int *herror);
	bool own_names; /* libc looks names up itself (core/cookie.h) */
	bool found;     /* all of them */
};

extern struct real real_calls;

/* Finds them all; called by the constructor, and by calls that come before it. */
void real_init(void);

static inline const struct real *real(void)
{
	if (__builtin_expect(!__atomic_load_n(&real_calls.found, __ATOMIC_ACQUIRE), 0))
		real_init();
	return &real_calls;
}

/* pass.c: */

/* Replaces those of libc that may wait, if lfp-run's filter is there (core/cookie.h). */
void pass_init(struct real *real);

#endif
