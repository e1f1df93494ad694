/* SPDX-License-Identifier: Apache-2.0 */
/* low-water.c - SO_RCVLOWAT: checks whether a readable descriptor holds less than its mark */
#include "libvsesock/core/low-water.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

#include "libvsesock/core/ctl-client.h"
#include "libvsesock/core/near.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/core/watched.h"

#define READABLE (POLLIN | POLLRDNORM)

/* The kernel nests epoll sets no deeper (fs/eventpoll.c, EP_MAX_NESTS). */
#define DEPTH 5

/* Bytes that always fit into a near end, in whatever pieces they come: the kernel charges less than
 * 1 KiB for a piece of one byte, and the smallest buffer (WindowSize = 4096) has 8 KiB. */
#define ALWAYS_FITS 8

bool low_water_met;

static bool holds(int fd, int depth);

/* A listener's near end has accept records, and its mark is for the sockets that it accepts. */
static bool is_listener(int fd, const char *nn)
{
	int listens = 0;
	struct ctl_call call = {
		.nn = nn,
		.op = LFP_CTL_GETSOCKOPT,
		.a = SOL_SOCKET,
		.b = SO_ACCEPTCONN,
		.c = sizeof(listens),
		.fd = fd,
		.answer = &listens,
		.room = sizeof(listens),
	};

	return ctl_call(&call) < 0 || listens;
}

/* Returns true if the instance has data for which the near end has no room. */
static bool is_full(int fd, const char *nn)
{
	struct ctl_call call = {.nn = nn, .op = LFP_CTL_HELD, .fd = fd};

	return ctl_call(&call) < 0 || call.value > 0;
}

static int number_of(int fd, int name)
{
	int value = 0;
	socklen_t len = sizeof(value);

	return raw_getsockopt(fd, SOL_SOCKET, name, &value, &len) < 0 ? 0 : value;
}

/* The rule of tcp_poll() (net/ipv4/tcp.c, tcp_stream_is_readable()). */
static bool stream_holds(int fd, int mark)
{
	short events = raw_poll_now(fd, POLLIN | POLLOUT | POLLRDHUP);
	int unread = 0, at_urgent = 0;
	char nn[3];

	if (!(events & POLLIN) || (events & (POLLERR | POLLHUP | POLLRDHUP)) ||
	    near_kind(fd, nn) != NEAR_STREAM)
		return false;
	/* A listener is never writable. */
	if (!(events & POLLOUT) && is_listener(fd, nn))
		return false;
	if (raw_ioctl(fd, FIONREAD, (long)&unread) < 0)
		return false;
	/* FIONREAD counts the urgent byte that comes next, but recv() does not return it. */
	if (raw_ioctl(fd, SIOCATMARK, (long)&at_urgent) == 0 && at_urgent &&
	    !number_of(fd, SO_OOBINLINE) && mark < INT32_MAX)
		mark++;
	if (unread >= mark)
		return false;
	return unread < ALWAYS_FITS || !is_full(fd, nn);
}

struct look {
	int depth;
	bool held, other; /* entries that are ready: held by their mark, or for another reason */
};

static bool look_at(void *arg, const struct watched *entry)
{
	struct look *look = arg;
	short asked = (short)(entry->events & 0x3fff), now;

	if (!watched_is_there(entry)) {
		look->other = true;
		return false;
	}
	/* An entry with EPOLLONESHOT that has fired asks for nothing. */
	now = asked ? raw_poll_now(entry->fd, asked) : 0;
	if (!now)
		return true;
	if ((now & ~READABLE) || !holds(entry->fd, look->depth + 1)) {
		look->other = true;
		return false;
	}
	look->held = true;
	return true;
}

static bool set_holds(int fd, int depth)
{
	struct look look = {.depth = depth};

	if (depth == DEPTH || !watched_is_set(fd))
		return false;
	watched_each(fd, look_at, &look);
	return look.held && !look.other;
}

static bool holds(int fd, int depth)
{
	int mark = 0;
	socklen_t len = sizeof(mark);
	int rc = raw_getsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, &len);

	if (rc == -ENOTSOCK)
		return set_holds(fd, depth);
	return rc == 0 && mark > 1 && stream_holds(fd, mark);
}

bool low_water_holds(int fd)
{
	return holds(fd, 0);
}
