/* SPDX-License-Identifier: Apache-2.0 */
/* hs-meet.c - the transport hipersockets: two sides come to share a device, and SYN is answered */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/greeting.h"
#include "transport/hs-inner.h"

/*
 * Theory of operation
 *
 * Who connects makes the segment and sends a struct greeting, with it the memory, the eventfd that
 * wakes lfpd, and the one that wakes the sender. lfpd checks them, activates its device and answers
 * with the same struct. All else goes over the devices, as between real ones: SYN with the names
 * and the message limit, SYN|ACK or SYN|FIN. GREETING_MS without an answer ends the connection.
 */

struct greeting {
	char magic[8];
	uint32_t version;
	uint32_t frame, buffers;
};

static const struct greeting hello = {.magic = "LFPhs1", .version = 1};

void hs_meet_fail(struct hs_conn *conn, int error, const char *why)
{
	struct socket_listener *listener = conn->listener;
	struct transport_peer peer;
	char text[256];

	if (listener && why && !listener->stopped && listener->base.on_refused) {
		socket_describe(conn->fd, &peer);
		snprintf(text, sizeof(text), "%s: %s", peer.text, why);
		listener->base.on_refused(&listener->base, text);
	}
	if (listener)
		socket_guest_remove(listener, &conn->guest);
	conn->listener = NULL;
	hs_destroy(conn);
	if (listener)
		socket_listener_release(listener);
	else
		conn->cb(conn->cb_data, error, NULL);
}

static void on_timeout(uv_timer_t *timer)
{
	hs_meet_fail(timer->data, -ETIMEDOUT, "it did not connect within 10 seconds");
}

static bool is_hello(const struct greeting *greeting)
{
	return !memcmp(greeting->magic, hello.magic, sizeof(hello.magic)) &&
	       greeting->version == hello.version;
}

/* Our device of the segment: side 0 is who connects. */
static void activate(struct hs_conn *conn, unsigned int side)
{
	qdio_port_init(&conn->port, &conn->segment, side, conn->segment.geometry.buffers,
		       hs_settings(&conn->where)->cq);
	qdio_activate(&conn->port);
}

static int send_all(struct hs_conn *conn, int memfd)
{
	struct greeting greeting = hello;
	int fds[GREETING_FDS] = {memfd, conn->peer_bell, conn->bell};

	greeting.frame = conn->segment.geometry.frame;
	greeting.buffers = conn->segment.geometry.buffers;
	return greeting_send(conn->fd, &greeting, sizeof(greeting), fds);
}

static void on_answer(uv_poll_t *poll, int status, int events)
{
	struct hs_conn *conn = poll->data;
	struct greeting answer;
	int fds[GREETING_FDS], rc;
	ssize_t n = greeting_receive(conn->fd, &answer, sizeof(answer), fds);

	(void)events;
	greeting_drop(fds); /* none is wanted */
	if ((n == -EAGAIN || n == -EINTR) && !status)
		return;
	/* It has gone and not read who we are. */
	if (n == -ECONNRESET) {
		hs_meet_fail(conn, -ECONNRESET, "");
		return;
	}
	if (n != sizeof(answer) || !is_hello(&answer)) {
		hs_meet_fail(conn, -EPROTONOSUPPORT, "");
		return;
	}
	if (answer.frame != conn->segment.geometry.frame) {
		if (conn->where.why)
			snprintf(conn->where.why, TRANSPORT_WHY,
				 "its HiperSockets device has an MTU of %u, ours of %u: HS_MTU and "
				 "HsMTU must be the same",
				 qdio_mtu(answer.frame), qdio_mtu(conn->segment.geometry.frame));
		hs_meet_fail(conn, -EMSGSIZE, "");
		return;
	}
	rc = hs_begin(conn);
	if (!rc)
		rc = hs_control(conn, HS_SYN, conn->limit);
	if (rc)
		hs_meet_fail(conn, rc, "");
}

/* As on a real LAN, no two devices have the same id. */
static int check_ids(const struct transport_where *where)
{
	if (!hs_has_id(where) || !where->vmid || strcmp(iucv_hsuid(where), where->vmid))
		return 0;
	if (where->why)
		snprintf(where->why, TRANSPORT_WHY,
			 "this side's device cannot have the hsuid %s, which is that of lfpd's",
			 iucv_hsuid(where));
	return -EADDRINUSE;
}

int hs_meet_send(struct hs_conn *conn)
{
	const struct transport_where *where = &conn->where;
	struct qdio_geometry geometry = {hs_frame_size(where), QDIO_BUFFERS};
	int memfd, rc;

	if (hs_name_put(hs_has_id(where) ? iucv_hsuid(where) : "VSE", conn->me.user) ||
	    hs_name_put(where->own ? where->own : "IJBLFP", conn->me.app) ||
	    hs_name_put(where->vmid ? where->vmid : "LINUX", conn->peer.user) ||
	    hs_name_put(where->name ? where->name : "LFPD", conn->peer.app))
		return -EINVAL;
	rc = check_ids(where);
	if (rc)
		return rc;
	if (hs_has_id(where))
		snprintf(conn->base.vmid, sizeof(conn->base.vmid), "%s", iucv_hsuid(where));
	conn->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	conn->peer_bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (conn->bell < 0 || conn->peer_bell < 0)
		return -errno;
	memfd = qdio_segment_make(&conn->segment, geometry);
	if (memfd < 0)
		return memfd;
	activate(conn, 0);
	rc = send_all(conn, memfd);
	close(memfd);
	if (rc)
		return rc;
	uv_timer_start(&conn->timer, on_timeout, GREETING_MS, 0);
	return uv_poll_start(&conn->socket, UV_READABLE, on_answer);
}

/* Says what the device of this side is like. */
static int answer_hello(const struct hs_conn *conn)
{
	struct greeting greeting = hello;

	greeting.frame = hs_frame_size(&conn->where);
	greeting.buffers = QDIO_BUFFERS;
	return greeting_answer(conn->fd, &greeting, sizeof(greeting));
}

static int take_offer(struct hs_conn *conn, const struct greeting *greeting, ssize_t n,
		      const int fds[static GREETING_FDS], const char **why)
{
	struct qdio_geometry geometry = {greeting->frame, greeting->buffers};
	uint32_t frame = hs_frame_size(&conn->where);

	*why = "it has gone without a word";
	if (n <= 0)
		return n < 0 ? (int)n : -ECONNRESET;
	*why = "it does not use TRANSPORT = hipersockets";
	if (n != sizeof(*greeting) || !is_hello(greeting))
		return -EPROTO;
	*why = "the frames of its device have another size";
	if (geometry.frame != frame || geometry.buffers != QDIO_BUFFERS) {
		(void)answer_hello(conn); /* so that it can say it, too */
		return -EPROTO;
	}
	*why = "its descriptors are not those that belong to a device";
	if (!greeting_complete(fds))
		return -EPROTO;
	return qdio_segment_take(&conn->segment, fds[0], geometry, why);
}

static void on_offer(uv_poll_t *poll, int status, int events)
{
	struct hs_conn *conn = poll->data;
	struct greeting greeting;
	int fds[GREETING_FDS], rc;
	const char *why;
	ssize_t n = greeting_receive(conn->fd, &greeting, sizeof(greeting), fds);

	(void)events;
	if (n == -EAGAIN && !status)
		return;
	rc = take_offer(conn, &greeting, n, fds, &why);
	greeting_keep_bells(fds, !rc, &conn->bell, &conn->peer_bell);
	conn->guest.heard = !rc;
	if (!rc) {
		why = "it cannot be answered";
		activate(conn, 1);
		rc = hs_begin(conn);
	}
	if (!rc)
		rc = answer_hello(conn);
	if (rc || conn->listener->stopped)
		hs_meet_fail(conn, rc, why);
}

static void give_way(void *data, const char *why)
{
	hs_meet_fail(data, -ECONNABORTED, why);
}

void hs_meet_wait(struct hs_conn *conn)
{
	conn->guest.give_way = give_way;
	conn->guest.data = conn;
	socket_guest_add(conn->listener, &conn->guest);
	uv_timer_start(&conn->timer, on_timeout, GREETING_MS, 0);
	uv_poll_start(&conn->socket, UV_READABLE, on_offer);
}

static void open_conn(struct hs_conn *conn, const struct hs_frame *frame)
{
	conn->peer_limit = frame->window ? frame->window : HS_MSGLIMIT;
	conn->state = HS_OPEN;
	uv_timer_stop(&conn->timer);
}

/* Is SYN for us, from somebody who can be known? NULL, else what is wrong, which may be in @why,
 * TRANSPORT_WHY bytes. */
static const char *find_fault(const struct socket_listener *listener, const struct hs_frame *frame,
			      char *why)
{
	const struct transport_where *where = &listener->where;
	uint8_t name[8];
	char text[9];

	if (listener->stopped || hs_name_put(where->name ? where->name : "LFPD", name) ||
	    memcmp(name, frame->dest.app, sizeof(name)))
		return "it asks for another application";
	if (hs_has_id(where) &&
	    (hs_name_put(iucv_hsuid(where), name) || memcmp(name, frame->dest.user, sizeof(name))))
		return "it asks for another hsuid";
	if (hs_has_id(where) && hs_name_get(frame->src.user, text))
		return "it has no hsuid";
	if (hs_has_id(where) && hs_name_get(frame->src.app, text))
		return "it has no application name";
	/* A device does not get an hsuid that another one on its LAN has. */
	if (hs_has_id(where) && !memcmp(frame->src.user, frame->dest.user, sizeof(name))) {
		snprintf(why, TRANSPORT_WHY,
			 "its device says to have the hsuid %s, which is that of this side's",
			 iucv_hsuid(where));
		return why;
	}
	return NULL;
}

static void handle_syn(struct hs_conn *conn, const struct hs_frame *frame)
{
	struct socket_listener *listener = conn->listener;
	char why[TRANSPORT_WHY];
	const char *fault = find_fault(listener, frame, why);

	conn->me = frame->dest;
	conn->peer = frame->src;
	if (fault) {
		hs_refuse(conn, frame);
		hs_meet_fail(conn, -ECONNREFUSED, fault);
		return;
	}
	if (hs_control(conn, HS_SYN | HS_ACK, conn->limit)) {
		hs_meet_fail(conn, -EIO, "it cannot be answered");
		return;
	}
	open_conn(conn, frame);
	conn->listener = NULL;
	socket_guest_remove(listener, &conn->guest);
	listener->base.on_connection(&listener->base, &conn->base);
	socket_listener_release(listener);
}

void hs_meet_frame(struct hs_conn *conn, const struct hs_frame *frame)
{
	if (conn->listener && frame->flags == HS_SYN) {
		handle_syn(conn, frame);
	} else if (conn->listener || !hs_is_of(conn, frame)) {
		conn->discarded++;
	} else if (frame->flags == (HS_SYN | HS_ACK)) {
		open_conn(conn, frame);
		conn->cb(conn->cb_data, 0, &conn->base);
	} else if (frame->flags == (HS_SYN | HS_FIN)) {
		hs_meet_fail(conn, -ECONNREFUSED, "");
	} else {
		conn->discarded++;
	}
}

/*
 * A device may carry more than this connection: others' frames are theirs, and who asks for a
 * connection on one that is taken is refused. A pair of names is one connection's, and who has it
 * does not ask for it: so its SYN says that the peer has lost it, though no FIN has come.
 */
void hs_meet_stranger(struct hs_conn *conn, const struct hs_frame *frame)
{
	conn->discarded++;
	if (frame->flags != HS_SYN)
		return;
	hs_refuse(conn, frame);
	if (hs_is_of(conn, frame))
		conn->error = -ECONNRESET;
}
