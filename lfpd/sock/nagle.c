/* SPDX-License-Identifier: Apache-2.0 */
/* nagle.c - ends of writes that Nagle's algorithm must not hold */
#include "lfpd/sock/nagle.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/*
 * Theory of operation
 *
 * Frames with MORE go out with MSG_MORE, so that Nagle's algorithm sees the program's writes and
 * not the frames. There are two exceptions: the kernel may send a small segment despite MSG_MORE,
 * and a long write arrives in parts that fit into the near end's buffer. The end of the write would
 * then wait for an acknowledgement, 40 ms where the peer delays it. So it is pushed by TCP_NODELAY,
 * if enough bytes have been sent to pay for a small segment. TCP_NODELAY then stays while the ends
 * of further writes are paid for, and z/VSE does not see it.
 */

#define PUSH_COST  2048u /* bytes for each small segment */
#define CREDIT_MAX 65536u

static bool is_on(const struct socket *sock, int option)
{
	int on = 0;
	socklen_t len = sizeof(on);

	return !getsockopt(sock->fd, IPPROTO_TCP, option, &on, &len) && on;
}

static void set_nodelay(const struct socket *sock, int on)
{
	(void)setsockopt(sock->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

void nagle_let(struct socket *sock)
{
	if (sock->stream.nagle != NAGLE_LIFTED)
		return;
	set_nodelay(sock, 0);
	sock->stream.nagle = NAGLE_ACTS;
}

void nagle_forget(struct socket *sock)
{
	nagle_let(sock);
	sock->stream.nagle = NAGLE_UNKNOWN;
}

/* Returns whether Nagle's algorithm holds bytes of the socket, and the program has not corked it.
 */
static bool is_held(struct socket *sock)
{
	int held = 0;

	if (sock->stream.nagle == NAGLE_UNKNOWN)
		sock->stream.nagle =
			is_on(sock, TCP_NODELAY) || is_on(sock, TCP_CORK) ? NAGLE_OUT : NAGLE_ACTS;
	return sock->stream.nagle == NAGLE_ACTS && !ioctl(sock->fd, SIOCOUTQNSD, &held) && held;
}

void nagle_push(struct socket *sock)
{
	if (sock->stream.credit < PUSH_COST)
		return;
	if (sock->stream.nagle != NAGLE_LIFTED) {
		if (!is_held(sock))
			return;
		set_nodelay(sock, 1);
		sock->stream.nagle = NAGLE_LIFTED;
	}
	sock->stream.credit -= PUSH_COST;
	if (sock->stream.credit < PUSH_COST)
		nagle_let(sock);
}

void nagle_note(struct socket *sock, uint32_t len, bool more)
{
	bool whole = !more && !sock->stream.more;

	sock->stream.more = more;
	if (whole && len < PUSH_COST)
		return;
	sock->stream.credit += len;
	if (sock->stream.credit > CREDIT_MAX)
		sock->stream.credit = CREDIT_MAX;
}
