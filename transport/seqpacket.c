/* SPDX-License-Identifier: Apache-2.0 */
/* seqpacket.c - packets on a connected SOCK_SEQPACKET socket, one packet a message */
#include "transport/seqpacket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/passed.h"

/*
 * Theory of operation
 *
 * sendmmsg() and recvmmsg() move several packets a call. Packets are received into room of the
 * connection's own: as many as fit into ROOM_BYTES, so that they stay in the processor's cache, and
 * at least two. The owner releases all of them before the next receive(). So no packet stays here,
 * and the loop waits for nothing but the socket. When recvmmsg() gives fewer packets than there is
 * room for, it has found the socket empty, and need not be called again in this turn. A single
 * packet goes out with send(), which costs less.
 */

#define SOCKET_BUFFER (256 * 1024) /* asked for; the kernel may give less */
#define PACKETS_MAX   16u
#define ROOM_BYTES    (128u * 1024u)

static void on_event(struct watch *watch, int status, int events)
{
	struct seqpacket_conn *conn = watch->data;

	/* The watch has stopped. Receiving finds the error of the socket. An owner that
	 * waits for room may not receive before there is room: it finds the error by sending. */
	if (status < 0) {
		const bool waits = conn->events & TRANSPORT_WRITE;

		conn->events = 0;
		if (waits)
			conn->base.on_writable(&conn->base);
		if (!watch_is_closing(&conn->watch))
			conn->base.on_readable(&conn->base);
		return;
	}
	if ((events & UV_WRITABLE) && (conn->events & TRANSPORT_WRITE))
		conn->base.on_writable(&conn->base);
	/* on_writable() may have closed the connection, which clears events. */
	if ((events & UV_READABLE) && (conn->events & TRANSPORT_READ)) {
		conn->base.counts.wakeups_in++;
		conn->base.on_readable(&conn->base);
	}
}

void seqpacket_watch(struct transport_conn *base, unsigned int events)
{
	struct seqpacket_conn *conn = (struct seqpacket_conn *)base;
	int wanted = 0;

	if (events == conn->events)
		return;
	conn->events = events;
	if (events & TRANSPORT_READ)
		wanted |= UV_READABLE;
	if (events & TRANSPORT_WRITE)
		wanted |= UV_WRITABLE;
	if (wanted)
		watch_start(&conn->watch, wanted, on_event);
	else
		watch_stop(&conn->watch);
}

int seqpacket_create(uv_loop_t *loop, const struct transport *transport, int fd, uint32_t mtu,
		     struct seqpacket_conn **out)
{
	struct seqpacket_conn *conn = calloc(1, sizeof(*conn));
	int size = SOCKET_BUFFER, rc = -ENOMEM;

	if (!conn)
		goto error;
	conn->mtu = mtu;
	conn->nr_rooms = ROOM_BYTES / mtu < 2 ? 2 : ROOM_BYTES / mtu;
	if (conn->nr_rooms > PACKETS_MAX)
		conn->nr_rooms = PACKETS_MAX;
	conn->rooms = malloc((size_t)conn->nr_rooms * mtu);
	if (!conn->rooms)
		goto error;
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	conn->base.transport = transport;
	conn->fd = fd;
	conn->loop = loop;
	conn->watch.data = conn;
	rc = watch_init(loop, &conn->watch, fd);
	if (rc)
		goto error;
	*out = conn;
	return 0;

error:
	passed_close(fd);
	if (conn)
		free(conn->rooms);
	free(conn);
	return rc;
}

static void finish(struct seqpacket_conn *conn)
{
	if (conn->base.on_closed)
		conn->base.on_closed(&conn->base);
	free(conn->rooms);
	free(conn);
}

static void on_conn_closed(void *data)
{
	finish(data);
}

void seqpacket_close(struct transport_conn *base)
{
	struct seqpacket_conn *conn = (struct seqpacket_conn *)base;

	conn->events = 0;
	watch_close(&conn->watch, on_conn_closed);
	passed_end(conn->fd);
	conn->fd = -1;
}

static void do_close(uv_work_t *work)
{
	close(((struct seqpacket_conn *)work->data)->fd);
}

static void on_close_done(uv_work_t *work, int status)
{
	(void)status;
	finish(work->data);
}

static void on_watch_closed(void *data)
{
	struct seqpacket_conn *conn = data;

	conn->closing.data = conn;
	uv_queue_work(conn->loop, &conn->closing, do_close, on_close_done);
}

void seqpacket_close_slowly(struct transport_conn *base)
{
	struct seqpacket_conn *conn = (struct seqpacket_conn *)base;

	conn->events = 0;
	watch_close(&conn->watch, on_watch_closed);
}

/* Returns as sendmmsg(). */
static int send_some(const struct seqpacket_conn *conn, struct mmsghdr *messages, unsigned int nr)
{
	const int flags = conn->send_flags | MSG_DONTWAIT | MSG_NOSIGNAL;
	const struct iovec *part = messages[0].msg_hdr.msg_iov;

	if (nr != 1)
		return sendmmsg(conn->fd, messages, nr, flags);
	return send(conn->fd, part->iov_base, part->iov_len, flags) < 0 ? -1 : 1;
}

int seqpacket_send(struct transport_conn *base, struct packet **packets, unsigned int nr)
{
	struct seqpacket_conn *conn = (struct seqpacket_conn *)base;
	struct mmsghdr messages[PACKETS_MAX] = {0};
	struct iovec parts[PACKETS_MAX];
	int n;

	if (nr > PACKETS_MAX)
		nr = PACKETS_MAX;
	for (unsigned int i = 0; i < nr; i++) {
		parts[i] = (struct iovec){packets[i]->buf, packets[i]->len};
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	do
		n = send_some(conn, messages, nr);
	while (n < 0 && errno == EINTR);
	/* A lack of memory is one of the moment, as EAGAIN is. */
	if (n < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM))
		n = 0;
	if (n < 0)
		return -errno;
	base->counts.calls_out += n > 0;
	base->counts.full += (unsigned int)n < nr;
	return n;
}

static int receive_some(int fd, struct mmsghdr *messages, unsigned int max)
{
	ssize_t n;

	if (!numbers_are_short())
		return recvmmsg(fd, messages, max, MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC,
				NULL);
	n = passed_take(fd, &messages[0].msg_hdr, PASSED_MAX);
	if (n >= 0) {
		messages[0].msg_len = (unsigned int)n;
		return 1;
	}
	errno = (int)-n;
	return -1;
}

/* If the peer has gone with packets unread, the kernel reports ECONNRESET once, before the packets
 * that the peer has sent. So receive again: the error counts only if nothing else is there. */
static int receive(int fd, struct mmsghdr *messages, unsigned int max)
{
	int error = 0, n;

	for (;;) {
		n = receive_some(fd, messages, max);
		if (n >= 0)
			return n;
		if (errno == EINTR)
			continue;
		/* The packets stay, and poll() tells of them again. */
		if (errno == ENOMEM || errno == ENOBUFS)
			errno = EAGAIN;
		if (errno != ECONNRESET || error)
			return error && errno == EAGAIN ? error : -errno;
		error = -ECONNRESET;
	}
}

int seqpacket_receive(struct transport_conn *base, struct iovec *packets, unsigned int max)
{
	struct seqpacket_conn *conn = (struct seqpacket_conn *)base;
	struct mmsghdr messages[PACKETS_MAX] = {0};
	union passed passed[PACKETS_MAX];
	int n;

	if (max > conn->nr_rooms)
		max = conn->nr_rooms;
	for (unsigned int i = 0; i < max; i++) {
		packets[i] = (struct iovec){conn->rooms + (size_t)i * conn->mtu, conn->mtu};
		messages[i].msg_hdr = (struct msghdr){
			.msg_iov = &packets[i],
			.msg_iovlen = 1,
			.msg_control = &passed[i],
			.msg_controllen = sizeof(passed[i]),
		};
	}
	n = receive(conn->fd, messages, max);
	base->drained = n > 0 && (unsigned int)n < max;
	/* AF_IUCV says ENOTCONN once where the peer has closed in order. */
	if (n == -ENOTCONN)
		return 0;
	if (n < 0)
		return n;
	for (int i = 0; i < n; i++)
		passed_drop(&messages[i].msg_hdr);
	/* The end of the connection looks like messages without a byte, behind the last one. */
	for (int i = 0; i < n; i++) {
		packets[i].iov_len = messages[i].msg_len;
		if (messages[i].msg_len > conn->mtu || (messages[i].msg_hdr.msg_flags & MSG_TRUNC))
			return -EMSGSIZE;
		if (!messages[i].msg_len)
			n = i;
	}
	base->counts.calls_in += n > 0;
	return n;
}

void seqpacket_release(struct transport_conn *base)
{
	(void)base;
}

/* The kernel's buffer has the packets, not the peer: it cannot tell what was taken. */
int64_t seqpacket_credit(struct transport_conn *base)
{
	(void)base;
	return -ENOTSUP;
}
