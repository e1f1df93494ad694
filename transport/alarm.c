/* SPDX-License-Identifier: Apache-2.0 */
/* alarm.c - a timer of the kernel ends a reactor's wait when a timer of libuv is due */
#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "transport/reactor-inner.h"

/*
 * Theory of operation
 *
 * Almost always some timer of libuv runs. With a time limit each epoll_wait() starts a timer of the
 * kernel, and stops it again: a fiftieth of a round trip. So a timerfd in the reactor's set is
 * started once, and wait after wait has no limit, until it ends one of them. It may end one too
 * early, because its timer of libuv was stopped meanwhile: then it is started again.
 *
 * It is started only for a time that is earlier than its own, and not soon. A short wait has a
 * limit.
 *
 * The set tells each expiry once (EPOLLET), so nobody reads the timerfd. Whoever takes events from
 * the set must pass this one on: without it the next wait would have no end.
 */

#define SOON_MS 10

void alarm_open(struct reactor *reactor)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = EVENT_OF_ALARM};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	reactor->alarm = (struct alarm){.fd = fd};
	if (fd >= 0 && epoll_ctl(reactor->epfd, EPOLL_CTL_ADD, fd, &event))
		alarm_close(reactor);
}

void alarm_close(struct reactor *reactor)
{
	if (reactor->alarm.fd >= 0)
		close(reactor->alarm.fd);
	reactor->alarm.fd = -1;
}

int alarm_limit(struct reactor *reactor, int timeout)
{
	struct itimerspec in = {.it_value = {timeout / 1000, timeout % 1000 * 1000000L}};
	uint64_t due = uv_now(reactor->loop) + (uint64_t)timeout;

	if (timeout <= 0 || reactor->alarm.fd < 0)
		return timeout;
	if (reactor->alarm.due && reactor->alarm.due <= due)
		return -1;
	if (timeout < SOON_MS)
		return timeout;
	if (timerfd_settime(reactor->alarm.fd, 0, &in, NULL))
		return timeout;
	reactor->alarm.due = due;
	return -1;
}

void alarm_on_event(struct reactor *reactor)
{
	reactor->alarm.due = 0;
}
