/* SPDX-License-Identifier: Apache-2.0 */
/* hs-meet.c - the transport hipersockets: two sides come to share a device, and SYN is answered */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/hs-inner.h"

/*
 * Theory of operation
 *
 * Who connects makes the segment and sends a struct greeting, with it the memory, the eventfd that
 * wakes lfpd, and the one that wakes the sender. lfpd checks them, activates its device and answers
 * with the same struct. All else goes over the devices, as between real ones: SYN with the names
 * and the message limit, SYN|ACK or SYN|FIN. GREETING_MS without an answer ends the connection.
 */

#define GREETING_MS 10000
#define NR_FDS      3

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

	if (listener && !listener->stopped && listener->base.on_refused) {
		socket_describe(conn->fd, &peer);
		snprintf(text, sizeof(text), "%s: %s", peer.text, why);
		listener->base.on_refused(&listener->base, text);
	}
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
	qdio_port_init(&conn->port, &conn->segment, side, conn->segment.geometry.buffers, true);
	qdio_activate(&conn->port);
}

/* --- Who connects --- */

static int send_all(struct hs_conn *conn, int memfd)
{
	struct greeting greeting = hello;
	struct iovec part = {&greeting, sizeof(greeting)};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(NR_FDS * sizeof(int))];
	} control = {0};
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};
	int fds[NR_FDS] = {memfd, conn->peer_bell, conn->bell};

	greeting.frame = conn->segment.geometry.frame;
	greeting.buffers = conn->segment.geometry.buffers;
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(&control.header), fds, sizeof(fds));
	return sendmsg(conn->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static void on_answer(uv_poll_t *poll, int status, int events)
{
	struct hs_conn *conn = poll->data;
	struct greeting answer;
	ssize_t n = recv(conn->fd, &answer, sizeof(answer), MSG_DONTWAIT);
	int rc;

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR) && !status)
		return;
	if (n != sizeof(answer) || !is_hello(&answer)) {
		hs_meet_fail(conn, -EPROTONOSUPPORT, "");
		return;
	}
	rc = hs_begin(conn);
	if (!rc)
		rc = hs_control(conn, HS_SYN, conn->limit);
	if (rc)
		hs_meet_fail(conn, rc, "");
}

int hs_meet_send(struct hs_conn *conn)
{
	const struct transport_where *where = &conn->where;
	struct qdio_geometry geometry = {hs_frame_size(where), QDIO_BUFFERS};
	int memfd, rc;

	if (hs_name_put("VSE", conn->me.user) || hs_name_put("IJBLFP", conn->me.app) ||
	    hs_name_put(where->vmid ? where->vmid : "LINUX", conn->peer.user) ||
	    hs_name_put(where->name ? where->name : "LFPD", conn->peer.app))
		return -EINVAL;
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

/* --- Who listens --- */

/* Nothing else may be written to when the peer is to be woken. */
static bool is_eventfd(int fd)
{
	char link[64], name[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, name, sizeof(name) - 1);
	if (n < 0)
		return false;
	name[n] = '\0';
	return !strcmp(name, "anon_inode:[eventfd]");
}

/* One message and the descriptors that came with it, -1 where there is none. */
static ssize_t receive_greeting(int fd, struct greeting *greeting, int fds[static NR_FDS])
{
	struct iovec part = {greeting, sizeof(*greeting)};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(NR_FDS * sizeof(int))];
	} control;
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};
	ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *header;
	size_t nr;

	for (int i = 0; i < NR_FDS; i++)
		fds[i] = -1;
	if (n < 0)
		return -errno;
	header = CMSG_FIRSTHDR(&msg);
	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
		return n;
	nr = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	for (size_t i = 0; i < nr; i++) {
		int got;

		memcpy(&got, CMSG_DATA(header) + i * sizeof(int), sizeof(got));
		if (nr == NR_FDS)
			fds[i] = got;
		else
			close(got);
	}
	return n;
}

static int take_offer(struct hs_conn *conn, const struct greeting *greeting, ssize_t n,
		      const int fds[static NR_FDS], const char **why)
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
	if (geometry.frame != frame || geometry.buffers != QDIO_BUFFERS)
		return -EPROTO;
	*why = "its descriptors are not those that belong to a device";
	for (int i = 0; i < NR_FDS; i++)
		if (fds[i] < 0 || (i && !is_eventfd(fds[i])))
			return -EPROTO;
	return qdio_segment_take(&conn->segment, fds[0], geometry, why);
}

static void on_offer(uv_poll_t *poll, int status, int events)
{
	struct hs_conn *conn = poll->data;
	struct greeting greeting;
	int fds[NR_FDS], rc;
	const char *why;
	ssize_t n = receive_greeting(conn->fd, &greeting, fds);

	(void)events;
	if (n == -EAGAIN && !status)
		return;
	rc = take_offer(conn, &greeting, n, fds, &why);
	if (!rc) {
		conn->bell = fds[1];
		conn->peer_bell = fds[2];
		fds[1] = fds[2] = -1;
		activate(conn, 1);
		why = "it cannot be answered";
	}
	for (int i = 0; i < NR_FDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (!rc)
		rc = hs_begin(conn);
	if (!rc && send(conn->fd, &hello, sizeof(hello), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		rc = -errno;
	if (rc || conn->listener->stopped)
		hs_meet_fail(conn, rc, why);
}

void hs_meet_wait(struct hs_conn *conn)
{
	uv_timer_start(&conn->timer, on_timeout, GREETING_MS, 0);
	uv_poll_start(&conn->socket, UV_READABLE, on_offer);
}

/* --- Over the devices --- */

static void open_conn(struct hs_conn *conn, const struct hs_frame *frame)
{
	conn->peer_limit = frame->window ? frame->window : HS_MSGLIMIT;
	conn->state = HS_OPEN;
	uv_timer_stop(&conn->timer);
}

static void handle_syn(struct hs_conn *conn, const struct hs_frame *frame)
{
	struct socket_listener *listener = conn->listener;
	const char *name = listener->where.name ? listener->where.name : "LFPD";
	uint8_t app[8];

	conn->me = frame->dest;
	conn->peer = frame->src;
	if (listener->stopped || hs_name_put(name, app) || memcmp(app, frame->dest.app, 8)) {
		(void)hs_control(conn, HS_SYN | HS_FIN, 0);
		hs_meet_fail(conn, -ECONNREFUSED, "it asks for another application");
		return;
	}
	if (hs_control(conn, HS_SYN | HS_ACK, conn->limit)) {
		hs_meet_fail(conn, -EIO, "it cannot be answered");
		return;
	}
	open_conn(conn, frame);
	conn->listener = NULL;
	listener->base.on_connection(&listener->base, &conn->base);
	socket_listener_release(listener);
}

void hs_meet_frame(struct hs_conn *conn, const struct hs_frame *frame)
{
	if (conn->listener && frame->flags == HS_SYN)
		handle_syn(conn, frame);
	else if (conn->listener)
		conn->error = -EPROTO;
	else if (memcmp(&frame->src, &conn->peer, sizeof(frame->src)) ||
		 memcmp(&frame->dest, &conn->me, sizeof(frame->dest)))
		return;
	else if (frame->flags == (HS_SYN | HS_ACK)) {
		open_conn(conn, frame);
		conn->cb(conn->cb_data, 0, &conn->base);
	} else if (frame->flags == (HS_SYN | HS_FIN)) {
		hs_meet_fail(conn, -ECONNREFUSED, "");
	} else {
		conn->error = -EPROTO;
	}
}
