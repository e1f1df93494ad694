/* SPDX-License-Identifier: Apache-2.0 */
/* polls.c - poll(), select() and epoll sets of a process */
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "tests/campaign/oracle/perform.h"

void polls_poll(const struct op *op)
{
	struct pollfd pfd = {.fd = fds[op->slot], .events = (short)op->len};
	char events[80];
	int rc = poll(&pfd, 1, op->behind ? BEHIND_MS : 0);

	if (!tell_result(rc) || op->behind)
		return;
	(void)events_text((unsigned int)pfd.revents, events, sizeof(events));
	tell(" %s", events);
}

void polls_select(void)
{
	fd_set sets[3];
	struct timeval now = {0};
	int most = -1, rc;

	for (int i = 0; i < 3; i++)
		FD_ZERO(&sets[i]);
	for (int slot = 0; slot < SLOTS; slot++)
		for (int i = 0; i < 3 && fds[slot] >= 0; i++) {
			FD_SET(fds[slot], &sets[i]);
			most = fds[slot] > most ? fds[slot] : most;
		}
	rc = select(most + 1, &sets[0], &sets[1], &sets[2], &now);
	if (!tell_result(rc))
		return;
	for (int i = 0; i < 3; i++) {
		tell("%s", i == 0 ? " r" : i == 1 ? " w" : " e");
		for (int slot = 0; slot < SLOTS; slot++)
			if (fds[slot] >= 0 && FD_ISSET(fds[slot], &sets[i]))
				tell(" %d", slot);
	}
}

void polls_epoll_ctl(const struct op *op)
{
	struct epoll_event event = {.events = op->len | (uint32_t)op->b << 24};

	event.data.u64 = op->other | (event.events & EPOLLET ? 0x100u : 0) |
			 (uint64_t)common->id[me][op->other] << 16;
	(void)tell_result(epoll_ctl(fds[op->slot], op->a, fds[op->other], &event));
}

static int by_slot(const void *a, const void *b)
{
	const struct epoll_event *one = a, *two = b;

	return (int)(one->data.u64 & 0xff) - (int)(two->data.u64 & 0xff);
}

void polls_epoll_wait(const struct op *op)
{
	struct epoll_event got[16];
	char events[80];
	int n = epoll_wait(fds[op->slot], got, 16, 0);

	if (n < 0) {
		(void)tell_result(n);
		return;
	}
	qsort(got, (size_t)n, sizeof(*got), by_slot);
	for (int i = 0; i < n; i++) {
		(void)events_text(got[i].events, events, sizeof(events));
		/* shutdown(), AF_UNSPEC and a connect() that fails make an edge even if nothing
		 * changes. */
		tell("%s%u:%s%s %s", i ? ";" : "", (unsigned int)got[i].data.u64 & 0xff,
		     got[i].data.u64 & 0x100 ? "ET" : "",
		     common->shaken[got[i].data.u64 >> 16 & 0xff] ? "?" : "", events);
	}
}
