/* SPDX-License-Identifier: Apache-2.0 */
/* stopper.c - a byte behind the program's data that lets it see a reset after shutdown(SHUT_WR) */
#include "ijblfp/sock/stopper.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"

#define PIECE 65536

static int set(int fd, int name, int value)
{
	return setsockopt(fd, SOL_SOCKET, name, &value, sizeof(value)) ? -errno : 0;
}

/* --- leaving it --------------------------------------------------------------------------- */

static int send_byte(int near)
{
	return send(near, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

/* A program that has just written much has often filled its buffer. */
static int send_stopper(int near)
{
	int rc = send_byte(near), room;

	if (rc != -EAGAIN)
		return rc;
	/* The kernel tells twice what it is told. */
	room = near_option_of(near, SO_SNDBUF);
	if (room <= 0 || set(near, SO_SNDBUF, room))
		return rc;
	rc = send_byte(near);
	(void)set(near, SO_SNDBUF, room / 2);
	return rc;
}

/* Takes accept()'s byte if it is still there: a read of no bytes passes over it. */
static void pass_token(const struct near_maker *maker, struct vsock *vs)
{
	char c;

	if (!vs->token)
		return;
	if (stream_is_at_urgent(vs)) {
		(void)!recv(vs->far, &c, 0, MSG_DONTWAIT);
		if (stream_is_at_urgent(vs))
			return;
		vs->passed |= maker->counts_passed;
	}
	vs->token = false;
}

/* The first byte of this process from the offset SO_PEEK_OFF on; @before is that offset. Returns
 * its offset or a negative errno. The kernel drops all control data but the credentials for lack of
 * room. A supervisor can change the offset of its copy at any time, so the search has a bound. */
static int64_t find(int far, int64_t before)
{
	static uint8_t buf[PIECE];
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec iov = {.iov_base = buf, .iov_len = sizeof(buf)};
	int most = 0;

	if (ioctl(far, FIONREAD, &most))
		return -errno;
	while (before < most) {
		struct msghdr msg = {.msg_iov = &iov,
				     .msg_iovlen = 1,
				     .msg_control = &control,
				     .msg_controllen = sizeof(control)};
		struct ucred sender = {0};
		ssize_t n = recvmsg(far, &msg, MSG_PEEK | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOENT;
		if (CMSG_FIRSTHDR(&msg) && control.align.cmsg_level == SOL_SOCKET &&
		    control.align.cmsg_type == SCM_CREDENTIALS)
			memcpy(&sender, CMSG_DATA(&control.align), sizeof(sender));
		if (sender.pid == getpid())
			return before;
		before += n;
	}
	return -ENOENT;
}

static int prepare(int far, unsigned int before)
{
	int rc = set(far, SO_PASSCRED, 1);

	return rc ? rc : set(far, SO_PEEK_OFF, (int)before);
}

static void settle(int far)
{
	/* With credentials recv() would stop between buffers of different senders. */
	(void)set(far, SO_PASSCRED, 0);
	(void)set(far, SO_PEEK_OFF, -1);
}

/* Sends it behind at least @before bytes and shuts down. Returns its offset; -EAGAIN if nothing was
 * done. */
static int64_t leave(int near, int far, unsigned int before)
{
	int64_t at = -EAGAIN;

	if (!prepare(far, before) && !send_stopper(near)) {
		(void)shutdown(near, SHUT_WR);
		at = find(far, before);
		if (at == -EAGAIN)
			at = -ENOENT;
	}
	settle(far);
	return at;
}

int stopper_leave(const struct near_maker *maker, struct vsock *vs, int near)
{
	int64_t at;

	if (!vs->guarded || !maker->finds_stopper || vs->has_stopper || vs->eof_given || vs->rd_shut)
		return 0;
	pass_token(maker, vs);
	if (vs->token)
		return 0;
	at = leave(near, vs->far, stream_waiting(vs));
	if (at < 0)
		return at == -EAGAIN ? 0 : (int)at;
	vs->has_stopper = true;
	vs->stopper = vs->taken + (uint64_t)at;
	return 1;
}

bool stopper_is_found(int near, int far)
{
	int waiting = 0;

	return !ioctl(far, FIONREAD, &waiting) &&
	       leave(near, far, (unsigned int)waiting) == waiting;
}

/* --- reading around it -------------------------------------------------------------------- */

size_t stopper_distance(const struct vsock *vs)
{
	return (size_t)(vs->stopper - vs->taken);
}

void stopper_take(struct vsock *vs)
{
	char c;

	(void)!recv(vs->far, &c, 1, MSG_DONTWAIT);
	vs->has_stopper = false;
}

void stopper_drop(struct vsock *vs)
{
	if (vs->has_stopper && !stopper_distance(vs))
		stopper_take(vs);
}

bool stopper_is_next(struct vsock *vs, size_t *want)
{
	struct pollfd pfd = {.fd = vs->far};
	size_t before;

	if (!vs->has_stopper)
		return false;
	before = stopper_distance(vs);
	if (before) {
		if (*want > before)
			*want = before;
		return false;
	}
	if (vs->eof_given || vs->rd_shut || stream_waiting(vs)) {
		stopper_take(vs);
		return false;
	}
	/* recv() would tell it, if it was not told as an event. */
	vs->aborted |= poll(&pfd, 1, 0) > 0 && (pfd.revents & POLLERR);
	return true;
}
