/* SPDX-License-Identifier: Apache-2.0 */
/* hipersockets.c - the transport AF_IUCV over HiperSockets, on devemu's devices */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/hs-inner.h"

/*
 * Theory of operation
 *
 * meet.c and hs-meet.c make the connection, meet.c ends it, hs-frame.c knows the frames,
 * devemu/qdio is the device. Here is the protocol of AF_IUCV as Linux has it, and how it lives on
 * the loop.
 *
 * A message counts as on the way until the peer reports, in a frame with WIN, that its owner has
 * read it. At most the peer's limit may be on the way, and none is sent while a transfer is
 * pending. The reader reports messages when they are half of the limit, or with its next message.
 *
 * Frames are read in place, in the device's buffers. While the owner does not want to read,
 * messages are copied out, at most as many as the limit. So a WIN behind them is always seen: both
 * sides may wait for room to send, and neither reads then.
 *
 * Before the loop sleeps, the hook keeps it awake if there is something to do. After each wait, it
 * looks at the device. The bell is the adapter's interrupt.
 */

static struct hs_frame next_frame(const struct hs_conn *conn)
{
	struct hs_frame frame = {
		.to = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		.from = {0x02}, /* locally administered */
		.type = HS_ETHERTYPE,
		.dest = conn->peer,
		.src = conn->me,
	};

	memcpy(frame.from + 1, conn->me.user, 5);
	return frame;
}

static int send_head(struct hs_conn *conn, const struct hs_frame *frame)
{
	uint8_t head[HS_HEAD];
	int rc;

	hs_frame_head(frame, head);
	rc = qdio_send_copy(&conn->port, head, sizeof(head));
	return rc < 0 ? rc : 0;
}

int hs_control(struct hs_conn *conn, uint8_t flags, uint32_t window)
{
	struct hs_frame frame = next_frame(conn);

	frame.flags = flags;
	frame.window = (uint16_t)window;
	return send_head(conn, &frame);
}

void hs_refuse(struct hs_conn *conn, const struct hs_frame *syn)
{
	struct hs_frame frame = next_frame(conn);

	frame.flags = HS_SYN | HS_FIN;
	frame.src = syn->dest;
	frame.dest = syn->src;
	(void)send_head(conn, &frame); /* a peer that gets no answer sends SYN again */
}

void hs_drop(struct packet_queue *queue)
{
	while (queue->first)
		free(packet_queue_shift(queue));
}

static void tell_read(struct hs_conn *conn)
{
	if (conn->credits && conn->credits >= conn->limit / 2 && !conn->meet.gone &&
	    !hs_control(conn, HS_WIN, conn->credits))
		conn->credits = 0;
}

/* Takes a frame apart. Returns true if it belongs to the connection, which is open. */
static bool is_ours(struct hs_conn *conn, const struct iovec *bytes, struct hs_frame *frame)
{
	int rc = hs_frame_decode(bytes->iov_base, bytes->iov_len, frame);

	if (rc == -EPROTONOSUPPORT)
		conn->no_protocol++;
	else if (rc < 0)
		conn->error = -EPROTO;
	else if (conn->meet.state == MEET_OPENING)
		hs_meet_frame(conn, frame);
	else if (frame->flags == HS_SYN || !hs_is_of(conn, frame))
		hs_meet_stranger(conn, frame);
	else
		return true;
	return false;
}

/* Handles the head of a frame. Returns true if it has a message. */
static bool take_frame(struct hs_conn *conn, const struct iovec *bytes, struct hs_frame *frame)
{
	if (!is_ours(conn, bytes, frame))
		return false;
	if (frame->flags == HS_FIN || frame->flags == HS_SHT)
		conn->ended = true;
	if (frame->flags == HS_WIN) {
		if (frame->window > conn->sent)
			conn->error = -EPROTO;
		else
			conn->sent -= frame->window;
	}
	if (!frame->len || (frame->flags && frame->flags != HS_WIN))
		return false;
	if (conn->ended || ++conn->unread > conn->limit)
		conn->error = -EPROTO;
	return !conn->error;
}

/* The next message where the device has it: 1, 0 or an error. */
static int next_message(struct hs_conn *conn, struct iovec *message)
{
	struct hs_frame frame;
	struct iovec bytes;
	int rc = 0;

	while (!conn->error && conn->meet.state != MEET_CLOSED &&
	       (rc = qdio_receive(&conn->port, &bytes)) == 1) {
		conn->taken++;
		if (!take_frame(conn, &bytes, &frame))
			continue;
		*message = (struct iovec){(void *)(uintptr_t)frame.message, frame.len};
		return 1;
	}
	/* The frame may have been a SYN that was refused, or an answer, which ends the loop too. */
	if (conn->error)
		return conn->error;
	return rc < 0 ? rc : 0;
}

static void give_back(struct hs_conn *conn)
{
	uint32_t nr = conn->taken;

	conn->taken = 0;
	if (nr && conn->meet.state != MEET_CLOSED)
		qdio_replenish(&conn->port, nr);
}

/* Copies messages out of the device, so that unread ones do not hide the frames behind them. */
static void fill_backlog(struct hs_conn *conn)
{
	struct iovec message;
	int rc;

	while ((rc = next_message(conn, &message)) == 1) {
		struct packet *packet;

		/* The path cannot have sent a longer message. */
		if (message.iov_len > conn->meet.where.mtu) {
			conn->error = -EMSGSIZE;
			break;
		}
		packet = malloc(sizeof(*packet) + message.iov_len);
		if (!packet) {
			conn->error = -ENOMEM;
			break;
		}
		*packet = (struct packet){.size = message.iov_len, .len = message.iov_len};
		packet->buf = packet->memory;
		memcpy(packet->memory, message.iov_base, message.iov_len);
		packet_queue_append(&conn->backlog, packet);
		give_back(conn);
	}
	if (rc < 0 && !conn->error)
		conn->error = rc;
	give_back(conn);
}

static bool has_ended(struct hs_conn *conn)
{
	return conn->meet.gone || conn->ended || conn->error;
}

static bool is_readable(struct hs_conn *conn)
{
	return conn->meet.state == MEET_OPEN && (conn->meet.events & TRANSPORT_READ) &&
	       (conn->again || conn->backlog.first || has_ended(conn));
}

static bool may_send(struct hs_conn *conn)
{
	return conn->sent < conn->peer_limit && !conn->port.waiting && !conn->port.primed;
}

static bool is_writable(struct hs_conn *conn)
{
	return conn->meet.state == MEET_OPEN && (conn->meet.events & TRANSPORT_WRITE) &&
	       conn->full && (has_ended(conn) || (may_send(conn) && qdio_place(&conn->port)));
}

void hs_before_sleep(struct turn_hook *hook)
{
	struct hs_conn *conn = hook->data;

	turn_hook_ask(hook, is_readable(conn) || is_writable(conn) ||
				    qdio_machine_owes(&conn->port) || conn->port.primed ||
				    atomic_load(&conn->port.mine->control->dsci));
}

/* Drives the device: completions and new frames. */
static void look(struct hs_conn *conn)
{
	bool owes = qdio_machine_owes(&conn->port) || conn->port.primed;
	int rc;

	hs_plant(conn);
	if (!qdio_noticed(&conn->port) && !owes && !conn->meet.gone)
		return;
	conn->again = true;
	rc = qdio_kick(&conn->port);
	if (rc >= 0)
		rc = qdio_complete(&conn->port);
	if (rc < 0 && !conn->error && !conn->meet.gone)
		conn->error = rc == -EPROTO ? rc : -ECONNRESET;
	qdio_machine_run(&conn->port);
}

void hs_after_sleep(struct turn_hook *hook)
{
	struct hs_conn *conn = hook->data;

	look(conn);
	if (conn->again &&
	    (conn->meet.state != MEET_OPEN || !(conn->meet.events & TRANSPORT_READ))) {
		conn->again = false;
		fill_backlog(conn);
	}
	if (conn->meet.state == MEET_OPENING && has_ended(conn)) {
		meet_fail(&conn->meet, -ECONNRESET,
			  "it has disconnected before the connection was complete");
		return;
	}
	if (conn->meet.state != MEET_OPEN)
		return;
	tell_read(conn);
	if (is_writable(conn)) {
		conn->full = false;
		conn->meet.base.on_writable(&conn->meet.base);
	}
	if (is_readable(conn))
		conn->meet.base.on_readable(&conn->meet.base);
}

static void hs_watch(struct transport_conn *base, unsigned int events)
{
	((struct meet_conn *)base)->events = events;
}

static uint8_t *hs_place(struct transport_conn *base, size_t size)
{
	struct hs_conn *conn = (struct hs_conn *)base;
	uint8_t *at =
		size <= conn->segment.geometry.frame - HS_HEAD ? qdio_place(&conn->port) : NULL;

	return at ? at + HS_HEAD : NULL;
}

static int send_message(struct hs_conn *conn, const struct packet *packet)
{
	struct hs_frame frame = next_frame(conn);
	uint8_t *at;
	int rc;

	if (packet->len > qdio_mtu(conn->segment.geometry.frame) - HS_HEAD)
		return -EMSGSIZE;
	at = may_send(conn) ? qdio_place(&conn->port) : NULL;
	if (!at)
		return -EAGAIN;
	if (packet->buf != at + HS_HEAD)
		memcpy(at + HS_HEAD, packet->buf, packet->len);
	frame.flags = conn->credits ? HS_WIN : 0;
	frame.window = (uint16_t)conn->credits;
	frame.tag = conn->tag;
	hs_frame_head(&frame, at);
	rc = qdio_send(&conn->port, HS_HEAD + packet->len);
	/* The message is lost, as on a network device. A later one must not pass for it. */
	if (rc == -ENOBUFS)
		conn->error = rc;
	if (rc < 0)
		return rc;
	conn->credits = 0;
	conn->tag++;
	conn->sent++;
	return 0;
}

static int hs_send(struct transport_conn *base, struct packet **packets, unsigned int nr)
{
	struct hs_conn *conn = (struct hs_conn *)base;
	unsigned int i;
	int rc = 0;

	if (conn->meet.gone || conn->ended)
		return -EPIPE;
	if (conn->error)
		return conn->error;
	for (i = 0; i < nr; i++) {
		rc = send_message(conn, packets[i]);
		if (rc)
			break;
	}
	if (rc && rc != -EAGAIN && !i)
		return rc;
	base->counts.calls_out += i > 0;
	conn->full = i < nr;
	base->counts.full += conn->full;
	return (int)i;
}

static int hs_receive(struct transport_conn *base, struct iovec *packets, unsigned int max)
{
	struct hs_conn *conn = (struct hs_conn *)base;
	unsigned int n = 0;
	int rc = 1;

	for (; n < max && conn->backlog.first; n++) {
		struct packet *packet = packet_queue_shift(&conn->backlog);

		packets[n] = (struct iovec){packet->buf, packet->len};
		packet_queue_append(&conn->shown, packet);
	}
	while (n < max && (rc = next_message(conn, &packets[n])) == 1)
		n++;
	for (unsigned int i = 0; i < n; i++)
		if (packets[i].iov_len > conn->meet.where.mtu)
			return -EMSGSIZE;
	conn->unread -= n;
	conn->credits += n;
	base->counts.calls_in += n > 0;
	if (n)
		return (int)n; /* an error comes again, after these */
	conn->again = false;
	give_back(conn);
	if (rc < 0)
		return rc;
	if (!conn->ended && !conn->meet.gone)
		return -EAGAIN;
	/* Transfers that were pending when the peer went are in our buffers now. */
	conn->again = qdio_state(&conn->port, conn->port.mine, QDIO_IN, conn->port.taken) ==
		      QDIO_IN_PRIMED;
	return conn->again ? -EAGAIN : 0;
}

static void hs_release(struct transport_conn *base)
{
	struct hs_conn *conn = (struct hs_conn *)base;

	hs_drop(&conn->shown);
	give_back(conn);
	if (conn->meet.state == MEET_OPEN)
		tell_read(conn);
}

static int64_t hs_credit(struct transport_conn *base)
{
	return ((struct hs_conn *)base)->sent;
}

static void hs_close(struct transport_conn *base)
{
	struct hs_conn *conn = (struct hs_conn *)base;

	/* If FIN cannot be sent, the end of the socket shows the end. */
	if (!conn->meet.gone)
		(void)hs_control(conn, HS_FIN, 0);
	meet_close(&conn->meet);
}

static void hs_describe(struct transport_conn *base, struct transport_peer *out)
{
	const struct hs_conn *conn = (const struct hs_conn *)base;

	socket_describe(conn->meet.fd, out);
	/* With an hsuid of our own, the peer's names come from the frame's source address and are
	 * passed to the owner. Without one, the peer could claim any names, as in HELLO, so they
	 * stay empty. */
	if (hs_has_id(&conn->meet.where)) {
		(void)hs_name_get(conn->peer.user, out->vmid);
		(void)hs_name_get(conn->peer.app, out->appname);
	}
}

static int hs_listen(uv_loop_t *loop, const struct transport_where *where,
		     struct transport_listener **out)
{
	int rc = hs_check_mtu(where);

	if (!rc)
		rc = meet_listen(loop, where, &hs_kind, out);
	if (!rc && hs_has_id(where))
		snprintf((*out)->vmid, sizeof((*out)->vmid), "%s", iucv_hsuid(&where->settings));
	return rc;
}

static int hs_connect(uv_loop_t *loop, const struct transport_where *where,
		      transport_connected_cb cb, void *data)
{
	int rc = hs_check_mtu(where);

	return rc ? rc : meet_connect(loop, where, &hs_kind, cb, data);
}

const struct transport transport_hipersockets = {
	.name = "hipersockets",
	.msglimit = HS_MSGLIMIT,
	.keys = {{hs_lfpd_keys, HS_KEYS}, {hs_vse_keys, HS_KEYS}},
	.check = hs_check,
	.warns = hs_warns,
	.needs = hs_needs,
	.check_needs = hs_check_needs,
	.pretends_iucv = true,
	.shared = true,
	.batch = 1,
	.listen = hs_listen,
	.stop = meet_stop,
	.connect = hs_connect,
	.place = hs_place,
	.send = hs_send,
	.receive = hs_receive,
	.release = hs_release,
	.watch = hs_watch,
	.credit = hs_credit,
	.device = hs_device,
	.close = hs_close,
	.describe = hs_describe,
};
