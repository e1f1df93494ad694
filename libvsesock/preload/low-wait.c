/* SPDX-License-Identifier: Apache-2.0 */
/* low-wait.c - waits for more data in place of descriptors that are readable already */
#include "libvsesock/preload/low-wait.h"

#include <errno.h>
#include <sys/epoll.h>

#include "libvsesock/core/raw.h"

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

/* As core/park.c, and for the same reasons. */
static int move_up(int fd)
{
	static const int lowest[] = {768, 192, 48};
	int high = -EMFILE;

	for (size_t i = 0; i < sizeof(lowest) / sizeof(lowest[0]) && high < 0; i++)
		high = raw_fcntl(fd, F_DUPFD_CLOEXEC, lowest[i]);
	raw_close(fd);
	return high;
}

int low_wait_begin(struct low_wait *wait)
{
	int fd = (int)raw_call(SYS_epoll_create1, EPOLL_CLOEXEC, 0, 0, 0, 0, 0);

	if (fd >= 0)
		fd = move_up(fd);
	wait->set = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}

void low_wait_end(void *data)
{
	struct low_wait *wait = data;

	if (wait->set >= 0)
		raw_close(wait->set);
	wait->set = -1;
}

int low_wait_watch(const struct low_wait *wait, int fd)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLRDHUP | EPOLLET,
	};
	long rc = raw_call(SYS_epoll_ctl, wait->set, EPOLL_CTL_ADD, fd, (long)&event, 0, 0);

	return rc == -EEXIST ? 0 : (int)rc;
}

void low_wait_drain(const struct low_wait *wait)
{
	struct epoll_event events[16];
	const int room = sizeof(events) / sizeof(events[0]);
	long rc;

	do
		rc = raw_call(SYS_epoll_pwait, wait->set, (long)events, room, 0, 0, 0);
	while (rc == room);
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static int64_t after(int64_t seconds, int64_t ns)
{
	int64_t begin = now();

	return seconds >= (LOW_WAIT_NEVER - begin) / NS_PER_S - 1 ? LOW_WAIT_NEVER
								  : begin + seconds * NS_PER_S + ns;
}

int64_t low_wait_until_ms(int ms)
{
	return ms < 0 ? LOW_WAIT_NEVER : after(0, ms * NS_PER_MS);
}

int64_t low_wait_until(const struct timespec *timeout)
{
	return timeout ? after(timeout->tv_sec, timeout->tv_nsec) : LOW_WAIT_NEVER;
}

int64_t low_wait_until_tv(const struct timeval *timeout)
{
	if (!timeout)
		return LOW_WAIT_NEVER;
	/* More than 999,999 microseconds are accepted. */
	return after(timeout->tv_sec + timeout->tv_usec / 1000000,
		     timeout->tv_usec % 1000000 * 1000);
}

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

bool low_wait_left(int64_t end, struct timespec *left)
{
	int64_t ns = end == LOW_WAIT_NEVER ? 0 : end - now();

	*left = to_timespec(ns > 0 ? ns : 0);
	return end != LOW_WAIT_NEVER;
}

bool low_wait_over(int64_t end)
{
	return end != LOW_WAIT_NEVER && now() >= end;
}

struct timespec low_wait_look(int64_t end)
{
	int64_t ns = end == LOW_WAIT_NEVER ? INT64_MAX : end - now();

	if (ns > LOW_WAIT_LOOK_MS * NS_PER_MS)
		ns = LOW_WAIT_LOOK_MS * NS_PER_MS;
	return to_timespec(ns > 0 ? ns : 0);
}
