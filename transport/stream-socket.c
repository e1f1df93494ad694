/* SPDX-License-Identifier: Apache-2.0 */
/* stream-socket.c - packets on a connected SOCK_STREAM socket, one behind the other */
#include "transport/stream-socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/bigend.h"
#include "lfp/frame.h"
#include "transport/passed.h"

/*
 * Theory of operation
 *
 * A packet's header has its length, so packets follow each other without anything between them. The
 * MTU bounds a length before anything else looks at the packet.
 *
 * One recv() fetches as many bytes as there is room for. Packets are handed out in that room. The
 * part of a packet at its end moves to the front before the next recv(). More packets may have come
 * than the owner takes, and the kernel does not report them again. So the hook asks for turns while
 * a whole packet waits and the owner watches.
 *
 * AF_VSOCK tells the peer each time that its socket is emptied (Linux since 6.1.66,
 * virtio_transport_stream_do_dequeue()). This message costs an emulated guest an eighth of a round
 * trip. So small amounts are peeked at, and stay in the socket until they are PEEKED_MOST bytes. A
 * level-triggered watch would report them for ever: such a connection watches for edges. A read
 * that filled all its room may have left bytes for which no edge comes, and asks for a turn. The
 * end of the connection may come in the same edge as its last bytes. Then, and while the owner
 * waits for room, everything is received at once and the watch is level-triggered.
 *
 * The kernel may take a part of a packet. Then the packet counts as sent, and this file keeps its
 * rest, which goes out before anything else. The watch waits for room also if the owner does not.
 */

#define SOCKET_BUFFER (256 * 1024) /* asked for; the kernel may give less */
#define PACKETS_MAX   16u
#define ROOM_BYTES    (128u * 1024u)
#define LENGTH_AT     4u /* in the header of a packet */
#define PEEKED_MOST   4096u
#define SMALL         (PEEKED_MOST / 2)

static bool has_rest(const struct streamsock_conn *conn)
{
	return conn->rest_at < conn->rest_end;
}

/* Returns the length of the next packet, 0 if a part of it is missing, or -EMSGSIZE. A header that
 * is none is a packet of its own: the decoder of packets finds the fault. */
static int next_length(struct streamsock_conn *conn)
{
	const uint8_t *at = conn->in + conn->next;
	size_t there = conn->end - conn->next;
	uint32_t length;

	if (conn->broken)
		return -EPROTO;
	if (there < LFP_PACKET_HEADER)
		return 0;
	length = be32_get(at + LENGTH_AT);
	if (be16_get(at) != LFP_MAGIC || length < LFP_PACKET_HEADER)
		return LFP_PACKET_HEADER;
	if (length > conn->mtu)
		return -EMSGSIZE;
	return length <= there ? (int)length : 0;
}

static bool is_good(const struct iovec *packet)
{
	const uint8_t *at = packet->iov_base;

	return be16_get(at) == LFP_MAGIC && be32_get(at + LENGTH_AT) == packet->iov_len;
}

static void update_hook(struct streamsock_conn *conn)
{
	turn_hook_ask(&conn->hook, (conn->events & TRANSPORT_READ) &&
					   (conn->may_have_more || next_length(conn) != 0));
}

static void on_event(struct watch *watch, int status, int events);

static int take_peeked(struct streamsock_conn *conn);

static void update_watch(struct streamsock_conn *conn)
{
	int wanted = 0;

	if (conn->events & TRANSPORT_READ)
		wanted |= UV_READABLE;
	if ((conn->events & TRANSPORT_WRITE) || has_rest(conn))
		wanted |= UV_WRITABLE;
	conn->edges = conn->peeks && wanted == UV_READABLE;
	if (conn->edges)
		wanted |= UV_DISCONNECT | WATCH_EDGES;
	else if (wanted)
		(void)take_peeked(conn); /* an error comes again with the next receive() */
	if (wanted)
		watch_start(&conn->watch, wanted, on_event);
	else
		watch_stop(&conn->watch);
}

/* Sends the rest. Returns 0, -EAGAIN if some of it is still here, or another negative errno. */
static int send_rest(struct streamsock_conn *conn)
{
	while (has_rest(conn)) {
		ssize_t n = send(conn->fd, conn->rest + conn->rest_at,
				 conn->rest_end - conn->rest_at, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == ENOBUFS || errno == ENOMEM ? -EAGAIN : -errno;
		conn->rest_at += (size_t)n;
	}
	return 0;
}

static void on_event(struct watch *watch, int status, int events)
{
	struct streamsock_conn *conn = watch->data;

	/* The watch has stopped. Receiving finds the error of the socket. An owner that waits for
	 * room may not receive before there is room: it finds the error by sending. */
	if (status < 0) {
		const unsigned int waited = conn->events;

		conn->events = 0;
		turn_hook_ask(&conn->hook, false);
		if (waited & TRANSPORT_WRITE)
			conn->base.on_writable(&conn->base);
		if (waited && !watch_is_closing(&conn->watch))
			conn->base.on_readable(&conn->base);
		return;
	}
	if (events & UV_DISCONNECT) {
		conn->peeks = false;
		update_watch(conn);
	}
	/* An error of the rest comes again with the owner's next call. */
	if ((events & UV_WRITABLE) && has_rest(conn)) {
		if (send_rest(conn) == -EAGAIN)
			events &= ~UV_WRITABLE;
		else
			conn->rest_at = conn->rest_end = 0;
		update_watch(conn);
	}
	if ((events & UV_WRITABLE) && (conn->events & TRANSPORT_WRITE))
		conn->base.on_writable(&conn->base);
	/* on_writable() may have closed the connection, which clears events. */
	if ((events & (UV_READABLE | UV_DISCONNECT)) && (conn->events & TRANSPORT_READ)) {
		conn->base.counts.wakeups_in++;
		conn->base.on_readable(&conn->base);
	}
}

static void on_turn(struct turn_hook *hook)
{
	struct streamsock_conn *conn = hook->data;

	if (conn->events & TRANSPORT_READ)
		conn->base.on_readable(&conn->base);
}

void streamsock_watch(struct transport_conn *base, unsigned int events)
{
	struct streamsock_conn *conn = (struct streamsock_conn *)base;

	if (events == conn->events)
		return;
	conn->events = events;
	update_watch(conn);
	update_hook(conn);
}

static void free_conn(struct streamsock_conn *conn)
{
	free(conn->in);
	free(conn->rest);
	free(conn);
}

static void on_part_closed(void *data)
{
	struct streamsock_conn *conn = data;

	if (--conn->handles)
		return;
	if (conn->base.on_closed)
		conn->base.on_closed(&conn->base);
	free_conn(conn);
}

int streamsock_create(uv_loop_t *loop, const struct transport *transport, int fd, uint32_t mtu,
		      bool peeks, struct streamsock_conn **out)
{
	struct streamsock_conn *conn = calloc(1, sizeof(*conn));
	int size = SOCKET_BUFFER, rc = -ENOMEM;

	if (!conn)
		goto error;
	conn->mtu = mtu;
	conn->peeks = conn->small = peeks;
	conn->in_size = ROOM_BYTES < 2 * (size_t)mtu ? 2 * (size_t)mtu : ROOM_BYTES;
	conn->in = malloc(conn->in_size);
	conn->rest = malloc(mtu);
	if (!conn->in || !conn->rest)
		goto error;
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	conn->base.transport = transport;
	conn->fd = fd;
	conn->watch.data = conn;
	rc = watch_init(loop, &conn->watch, fd);
	if (rc)
		goto error;
	conn->hook = (struct turn_hook){.data = conn, .idle = on_turn};
	rc = turn_hook_init(loop, &conn->hook);
	if (rc) {
		conn->handles = 1;
		watch_close(&conn->watch, on_part_closed);
		passed_close(fd);
		return rc;
	}
	conn->handles = 2;
	*out = conn;
	return 0;

error:
	passed_close(fd);
	if (conn)
		free_conn(conn);
	return rc;
}

void streamsock_close(struct transport_conn *base)
{
	struct streamsock_conn *conn = (struct streamsock_conn *)base;

	conn->events = 0;
	/* The packets stay until the parts are closed: the caller may look at one. */
	watch_close(&conn->watch, on_part_closed);
	turn_hook_close(&conn->hook, on_part_closed);
	passed_end(conn->fd);
	conn->fd = -1;
	if (conn->on_close)
		conn->on_close(conn->on_close_data);
}

/* The kernel has taken @sent bytes of these packets. Returns how many of them it has begun with,
 * and keeps the rest of the last one. */
static int count_sent(struct streamsock_conn *conn, const struct iovec *parts, unsigned int nr,
		      size_t sent)
{
	for (unsigned int i = 0; i < nr; i++) {
		size_t len = parts[i].iov_len;

		if (!sent)
			return (int)i;
		if (sent < len) {
			conn->rest_at = 0;
			conn->rest_end = len - sent;
			memcpy(conn->rest, (const uint8_t *)parts[i].iov_base + sent, len - sent);
			update_watch(conn);
			return (int)i + 1;
		}
		sent -= len;
	}
	return (int)nr;
}

int streamsock_send(struct transport_conn *base, struct packet **packets, unsigned int nr)
{
	struct streamsock_conn *conn = (struct streamsock_conn *)base;
	struct iovec parts[PACKETS_MAX];
	struct msghdr msg = {.msg_iov = parts};
	int taken, rc = send_rest(conn);
	ssize_t n;

	if (rc && rc != -EAGAIN)
		return rc;
	for (unsigned int i = 0; !rc && i < nr && i < PACKETS_MAX; i++) {
		if (packets[i]->len > conn->mtu)
			return -EMSGSIZE;
		parts[msg.msg_iovlen++] = (struct iovec){packets[i]->buf, packets[i]->len};
	}
	do
		n = rc ? 0 : sendmsg(conn->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	/* A lack of memory is one of the moment, as EAGAIN is. */
	if (n < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM))
		n = 0;
	if (n < 0)
		return -errno;
	taken = count_sent(conn, parts, (unsigned int)msg.msg_iovlen, (size_t)n);
	base->counts.calls_out += taken > 0;
	base->counts.full += (unsigned int)taken < nr || has_rest(conn);
	return taken;
}

/* As recv(), or a negative errno. Descriptors that a peer sends along are dropped. */
static ssize_t receive_once(int fd, struct iovec part)
{
	union passed passed;
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &passed,
		.msg_controllen = sizeof(passed),
	};
	ssize_t n;

	if (numbers_are_short()) {
		n = passed_take(fd, &msg, PASSED_MAX);
	} else {
		n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		n = n < 0 ? -errno : n;
	}
	if (n >= 0)
		passed_drop(&msg);
	return n;
}

/* If the peer has gone with bytes unread, the kernel reports ECONNRESET once, before the bytes that
 * the peer has sent. So receive again: the error counts only if nothing else is there. */
static ssize_t receive_bytes(struct streamsock_conn *conn, struct iovec part)
{
	ssize_t error = 0;

	for (;;) {
		ssize_t n = receive_once(conn->fd, part);

		if (n >= 0)
			return n;
		if (n == -EINTR)
			continue;
		/* The bytes stay, and a level-triggered watch tells of them again. */
		if (n == -ENOMEM || n == -ENOBUFS) {
			conn->may_have_more = conn->edges;
			n = -EAGAIN;
		}
		/* AF_VSOCK says ENOTCONN where the peer has ended the connection. */
		if (n == -ENOTCONN)
			return 0;
		if (n != -ECONNRESET || error)
			return error && n == -EAGAIN ? error : n;
		error = n;
	}
}

/* Takes what was peeked at from the socket. Returns 1, 0 at the end, or a negative errno. */
static int take_peeked(struct streamsock_conn *conn)
{
	uint8_t again[PEEKED_MOST];

	while (conn->peeked) {
		ssize_t n = receive_bytes(conn, (struct iovec){again, conn->peeked});

		if (n <= 0)
			return (int)n;
		conn->peeked -= (size_t)n;
	}
	return 1;
}

/* Peeks for a small amount of more bytes, at most @room. Returns their number, or 0: receive. */
static size_t peek_more(struct streamsock_conn *conn, size_t room)
{
	uint8_t again[PEEKED_MOST];
	struct iovec parts[] = {{again, conn->peeked}, {conn->in + conn->end, room}};
	struct msghdr msg = {.msg_iov = parts, .msg_iovlen = 2};
	ssize_t n;

	if (!conn->edges || !conn->small || conn->peeked > PEEKED_MOST - SMALL)
		return 0;
	if (room > SMALL)
		parts[1].iov_len = SMALL;
	n = recvmsg(conn->fd, &msg, MSG_PEEK | MSG_DONTWAIT);
	/* Some hypervisors have no MSG_PEEK. All the room used: much may be there. */
	if (n <= (ssize_t)conn->peeked || (size_t)n == conn->peeked + parts[1].iov_len)
		return 0;
	n -= (ssize_t)conn->peeked;
	conn->peeked += (size_t)n;
	return (size_t)n;
}

/* Gets more bytes. Returns a positive number, 0 at the end, or a negative errno. */
static ssize_t fetch(struct streamsock_conn *conn, bool *drained)
{
	size_t room;
	ssize_t n;

	memmove(conn->in, conn->in + conn->next, conn->end - conn->next);
	conn->end -= conn->next;
	conn->next = 0;
	room = conn->in_size - conn->end;
	conn->may_have_more = false;
	n = (ssize_t)peek_more(conn, room);
	if (!n) {
		n = take_peeked(conn);
		if (n > 0)
			n = receive_bytes(conn, (struct iovec){conn->in + conn->end, room});
	}
	conn->small = n < (ssize_t)SMALL;
	if (n > 0)
		conn->end += (size_t)n;
	if (n == (ssize_t)room)
		conn->may_have_more = conn->edges;
	*drained = n > 0 && (size_t)n < room;
	return n;
}

int streamsock_receive(struct transport_conn *base, struct iovec *packets, unsigned int max)
{
	struct streamsock_conn *conn = (struct streamsock_conn *)base;
	bool drained = false;
	unsigned int i = 0;
	int length = next_length(conn);

	if (!length) {
		ssize_t n = fetch(conn, &drained);

		if (n <= 0) {
			update_hook(conn);
			return (int)n;
		}
		length = next_length(conn);
	}
	for (; i < max && length > 0; i++) {
		packets[i] = (struct iovec){conn->in + conn->next, (size_t)length};
		conn->next += (size_t)length;
		conn->broken = !is_good(&packets[i]);
		length = next_length(conn);
	}
	base->drained = drained && !length;
	base->counts.calls_in += i > 0;
	update_hook(conn);
	if (i)
		return (int)i; /* an error comes again, after these */
	return length ? length : -EAGAIN;
}

void streamsock_release(struct transport_conn *base)
{
	(void)base;
}

/* The kernel's buffer has the packets, not the peer: it cannot tell what was taken. */
int64_t streamsock_credit(struct transport_conn *base)
{
	(void)base;
	return -ENOTSUP;
}
