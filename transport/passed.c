/* SPDX-License-Identifier: Apache-2.0 */
/* passed.c - to be rid of descriptors that somebody has sent along with a message */
#include "transport/passed.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Threads at a time; what is beyond is closed at once. */
#define CLOSERS_MAX 64

static int closers;

static void *run(void *arg)
{
	close((int)(intptr_t)arg);
	__atomic_sub_fetch(&closers, 1, __ATOMIC_RELAXED);
	return NULL;
}

static int start(int fd)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, old;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* Signals are the loop's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&thread, &attr, run, (void *)(intptr_t)fd);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}

void passed_close(int fd)
{
	struct linger off = {0};
	socklen_t len = sizeof(int);
	int domain = AF_UNIX;

	/* So that it is mostly over at once. */
	if (!getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) && domain != AF_UNIX)
		(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &off, sizeof(off));
	if (__atomic_add_fetch(&closers, 1, __ATOMIC_RELAXED) <= CLOSERS_MAX && !start(fd))
		return;
	__atomic_sub_fetch(&closers, 1, __ATOMIC_RELAXED);
	close(fd);
}

void passed_drop(struct msghdr *msg)
{
	struct cmsghdr *header;

	for (header = CMSG_FIRSTHDR(msg); header; header = CMSG_NXTHDR(msg, header)) {
		size_t nr = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (header->cmsg_level != SOL_SOCKET ||
		    (header->cmsg_type != SCM_RIGHTS && header->cmsg_type != SCM_PIDFD))
			continue;
		for (size_t i = 0; i < nr; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(fd));
			if (header->cmsg_type == SCM_PIDFD)
				close(fd); /* this one waits for nothing */
			else
				passed_close(fd);
		}
	}
}

ssize_t passed_receive(int fd, void *buf, size_t len)
{
	union passed control;
	struct iovec iov = {.iov_base = buf, .iov_len = len};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n >= 0)
		passed_drop(&msg);
	return n;
}
