/* SPDX-License-Identifier: Apache-2.0 */
/* near-stopper.c - puts a byte at the end of what a near end has written, and finds it again */
#include "ijblfp/near/near-stopper.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/near/near.h"

#define PIECE 65536

static int set(int fd, int name, int value)
{
	return setsockopt(fd, SOL_SOCKET, name, &value, sizeof(value)) ? -errno : 0;
}

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
	/* SO_SNDBUF reads as twice the value that was set (net/core/sock.c): setting the value that
	 * was read doubles the buffer, and setting half of it restores the buffer. */
	room = near_option_of(near, SO_SNDBUF);
	if (room <= 0 || set(near, SO_SNDBUF, room))
		return rc;
	rc = send_byte(near);
	(void)set(near, SO_SNDBUF, room / 2);
	return rc;
}

/* Returns the offset of the first byte of this process from the offset SO_PEEK_OFF on, which
 * @before is, or a negative errno. The room fits only the credentials, so the kernel drops all
 * other control data. A supervisor can change the offset at its copy at any time, so the search has
 * a bound.
 */
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
	/* With credentials on, recv() would stop between buffers of different senders. */
	(void)set(far, SO_PASSCRED, 0);
	(void)set(far, SO_PEEK_OFF, -1);
}

int64_t near_stopper_leave(int near, int far, unsigned int before)
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

bool near_stopper_is_found(int near, int far)
{
	int waiting = 0;

	return !ioctl(far, FIONREAD, &waiting) &&
	       near_stopper_leave(near, far, (unsigned int)waiting) == waiting;
}
