/* SPDX-License-Identifier: Apache-2.0 */
/* passed.c - to be rid of descriptors that somebody has sent along with a message */
#include "transport/passed.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Threads at a time; what is beyond is left to them. */
#define CLOSERS_MAX 64

/* A descriptor that is closed when a thread has time. */
struct left {
	struct left *next;
	int fd;
};

/* There are entries only while there are closers: none ends before it has seen an empty list. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int closers;
static struct left *first, **last = &first;

/* The next descriptor for a thread, or -1: then it is no closer any more. */
static int take(void)
{
	struct left *left;
	int fd = -1;

	pthread_mutex_lock(&lock);
	left = first;
	if (left) {
		fd = left->fd;
		first = left->next;
		if (!first)
			last = &first;
	} else {
		closers--;
	}
	pthread_mutex_unlock(&lock);
	free(left);
	return fd;
}

static void *run(void *arg)
{
	int fd = (int)(intptr_t)arg;

	do
		close(fd);
	while ((fd = take()) >= 0);
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

/* Have a closer close @fd as soon as it has time. The lock is held. */
static int leave(int fd)
{
	struct left *left = malloc(sizeof(*left));

	if (!left)
		return -ENOMEM;
	left->next = NULL;
	left->fd = fd;
	*last = left;
	last = &left->next;
	return 0;
}

/*
 * Have a thread close @fd. What is queued in a UNIX socket keeps its SO_LINGER, so that all closers
 * can be busy for as long as a peer likes. What is left to them is bounded by the descriptors that
 * this process may have. A negative errno: it is still the caller's.
 */
static int hand_over(int fd)
{
	int rc = -EAGAIN;

	pthread_mutex_lock(&lock);
	/* A new closer waits for the lock before it looks at the number. */
	if (closers < CLOSERS_MAX)
		rc = -start(fd);
	if (!rc)
		closers++;
	else if (closers)
		rc = leave(fd);
	pthread_mutex_unlock(&lock);
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
	/*
	 * The last resort, which can wait: there is no memory, or no closer and none can be
	 * started. To keep @fd would be to lose it.
	 */
	if (hand_over(fd))
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
