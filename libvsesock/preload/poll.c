/* SPDX-License-Identifier: Apache-2.0 */
/* poll.c - poll, ppoll: where SO_RCVLOWAT counts as on TCP */
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "libvsesock/core/low-water.h"
#include "libvsesock/preload/hooks.h"
#include "libvsesock/preload/low-wait.h"

/*
 * Theory of operation
 *
 * The kernel answers first. Descriptors that hold less than their mark are taken out of the answer.
 * If nothing else is ready, the call waits again, with a set of our own (low-wait.h) in the place
 * of these descriptors, until a look at the program's own list finds one that is ready.
 *
 * Without a descriptor for that set the kernel's answer counts.
 */
#define READABLE (POLLIN | POLLRDNORM)

#define LIST_MOST 128 /* most entries that are kept on the stack */

struct list {
	struct pollfd *fds;  /* the program's */
	struct pollfd *copy; /* a copy, in which held entries are replaced */
	nfds_t nr;
	bool replaced; /* one held entry is replaced by the set */
	struct low_wait wait;
	struct pollfd small[LIST_MOST];
};

/* Takes held entries out. Returns how many are left. */
static int take_out(struct pollfd *fds, nfds_t nr)
{
	int ready = 0;

	for (nfds_t i = 0; i < nr; i++) {
		if ((fds[i].revents & READABLE) && low_water_holds(fds[i].fd))
			fds[i].revents &= (short)~READABLE;
		ready += fds[i].revents != 0;
	}
	return ready;
}

/* As take_out(), and adds the held descriptors to the set. */
static int replace(struct list *list)
{
	int ready = 0;

	for (nfds_t i = 0; i < list->nr; i++) {
		struct pollfd *at = &list->fds[i];

		if ((at->revents & READABLE) && low_water_holds(at->fd) &&
		    low_wait_watch(&list->wait, at->fd) == 0) {
			at->revents &= (short)~READABLE;
			if (list->copy[i].fd != list->wait.set)
				list->copy[i].fd = -1;
			if (!list->replaced)
				list->copy[i] = (struct pollfd){list->wait.set, POLLIN, 0};
			list->replaced = true;
		}
		ready += at->revents != 0;
	}
	return ready;
}

static int look(struct list *list)
{
	struct timespec zero = {0};
	int rc = (int)raw_call(SYS_ppoll, (long)list->fds, (long)list->nr, (long)&zero, 0, 0, 0);

	return rc > 0 ? replace(list) : (int)give(rc);
}

static int wait_on(struct list *list, int64_t end, const sigset_t *mask)
{
	struct timespec ts;
	int rc;

	memcpy(list->copy, list->fds, list->nr * sizeof(*list->fds));
	for (;;) {
		low_wait_drain(&list->wait);
		rc = look(list);
		if (rc || low_wait_over(end))
			return rc;
		ts = low_wait_look(end);
		rc = real()->ppoll(list->copy, list->nr, &ts, mask);
		if (rc < 0)
			return rc;
	}
}

static void free_list(void *data)
{
	struct list *list = data;

	low_wait_end(&list->wait);
	if (list->copy && list->copy != list->small)
		munmap(list->copy, list->nr * sizeof(*list->copy));
}

static bool make_list(struct list *list)
{
	list->copy = list->small;
	if (list->nr > LIST_MOST)
		list->copy = mmap(NULL, list->nr * sizeof(*list->copy), PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (list->copy == MAP_FAILED)
		list->copy = NULL;
	return list->copy && low_wait_begin(&list->wait) == 0;
}

/* Handles a result of the kernel that some are ready. */
static int finish(struct pollfd *fds, nfds_t nr, int64_t end, const sigset_t *mask)
{
	struct list list = {.fds = fds, .nr = nr, .wait.set = -1};
	int saved = errno, rc = take_out(fds, nr);
	struct timespec left;

	if (rc || low_wait_over(end))
		return rc;
	pthread_cleanup_push(free_list, &list);
	if (make_list(&list)) {
		rc = wait_on(&list, end, mask);
		if (rc >= 0)
			errno = saved;
	} else {
		errno = saved;
		rc = real()->ppoll(fds, nr, low_wait_left(end, &left) ? &left : NULL, mask);
	}
	pthread_cleanup_pop(1);
	return rc;
}

EXPORT int poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	int64_t end;
	int rc;

	if (!low_water_on())
		return real()->poll(fds, nr, timeout);
	end = low_wait_until_ms(timeout);
	rc = real()->poll(fds, nr, timeout);
	return rc > 0 ? finish(fds, nr, end, NULL) : rc;
}

EXPORT int ppoll(struct pollfd *fds, nfds_t nr, const struct timespec *timeout,
		 const sigset_t *mask)
{
	int64_t end;
	int rc;

	if (!low_water_on())
		return real()->ppoll(fds, nr, timeout, mask);
	end = low_wait_until(timeout);
	rc = real()->ppoll(fds, nr, timeout, mask);
	return rc > 0 ? finish(fds, nr, end, mask) : rc;
}

/* Called by programs that were built with _FORTIFY_SOURCE. */
int __poll_chk(struct pollfd *fds, nfds_t nr, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t nr, const struct timespec *timeout, const sigset_t *mask,
		size_t room);

EXPORT int __poll_chk(struct pollfd *fds, nfds_t nr, int timeout, size_t room)
{
	/* libc's function ends the program if the array is too small. */
	if (room / sizeof(*fds) < nr)
		return real()->poll_chk(fds, nr, timeout, room);
	return poll(fds, nr, timeout);
}

EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t nr, const struct timespec *timeout,
		       const sigset_t *mask, size_t room)
{
	if (room / sizeof(*fds) < nr)
		return real()->ppoll_chk(fds, nr, timeout, mask, room);
	return ppoll(fds, nr, timeout, mask);
}
