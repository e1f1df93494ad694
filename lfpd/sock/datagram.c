/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.c - UDP: datagrams both ways, and the errors that come back for them */
#include "lfpd/sock/datagram.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "lfp/addr.h"
#include "lfp/interface.h"
#include "lfpd/names/ruling.h"
#include "lfpd/policy/upstream.h"
#include "lfpd/sock/datagram-kept.h"
#include "lfpd/sock/datagram-names.h"
#include "lfpd/sock/datagram-via.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/logged.h"
#include "lfpd/sock/metered.h"

/*
 * Theory of operation
 *
 * The host's socket is the queue: datagrams that z/VSE's window or the path does not take now wait
 * there, and the kernel drops those that do not fit, as for any program that does not read. A
 * datagram that is longer than a packet may be interrupted by the path's message limit: its rest is
 * kept and goes first when the path is ready.
 *
 * To the host: what its socket does not take at once, or a rate holds (metered.h), waits in a queue
 * that the window bounds.
 *
 * Errors: the kernel reports a pending error by the next call, whether it receives or sends
 * (sock_error()). So lfpd makes a send that fails again. If that works, or fails with another
 * errno, the first error belonged to an earlier datagram, and z/VSE gets DATAGRAM_ERROR. A send
 * that fails twice has failed by itself; SENT asks for its error. With IP_RECVERR the host's error
 * queue is moved here as it fills, because the socket would poll an error as long as it has an
 * entry.
 */

#define TURN_DATAGRAMS 64u
#define TURN_BYTES     65536u /* of one socket before others have their turn */

int datagram_init(struct socket *sock)
{
	struct datagrams *dg = calloc(1, sizeof(*dg));

	if (!dg)
		return -ENOMEM;
	lfp_list_init(&dg->queue);
	sock->is_datagram = true;
	sock->dgram = dg;
	socket_set_state(sock, SOCKET_DATAGRAM);
	socket_arm(sock);
	return 0;
}

static struct waiting_datagram *first_of(const struct datagrams *dg)
{
	return lfp_list_first_entry(&dg->queue, struct waiting_datagram, place);
}

static void drop(struct waiting_datagram *waiting)
{
	lfp_list_del(&waiting->place);
	free(waiting);
}

void datagram_finish(struct socket *sock)
{
	struct datagrams *dg = sock->dgram;
	struct waiting_datagram *waiting;

	if (!sock->is_datagram)
		return;
	while ((waiting = first_of(dg)))
		drop(waiting);
	lfp_assembly_reset(&dg->in);
	datagram_names_finish(dg);
	datagram_via_finish(sock);
	free(dg->errors);
	free(dg->out_buf);
	free(dg);
	sock->is_datagram = false;
	sock->dgram = NULL;
}

/* Sends what is in dg->out. Copies the rest, because @buf is the caller's. */
static enum pump send_out(struct socket *sock, const uint8_t *buf)
{
	struct datagrams *dg = sock->dgram;
	int rc = parts_send(sock->session->path, &dg->out);

	if (rc == -EAGAIN && !dg->out_buf) {
		dg->out_buf = malloc(dg->out.total ? dg->out.total : 1);
		if (!dg->out_buf)
			rc = -ENOMEM;
		else
			memcpy(dg->out_buf, buf, dg->out.total);
		dg->out.data = dg->out_buf;
	}
	if (rc == -EAGAIN)
		return PUMP_NO_ROOM;
	free(dg->out_buf);
	dg->out_buf = NULL;
	if (!rc)
		return PUMP_IDLE;
	if (!dg->out.begun)
		sock->out.sent = dg->out.position; /* as if it had been dropped before */
	else if (rc != -ENOTCONN)
		disagree_no_memory(sock); /* half a datagram can't be taken back */
	return PUMP_IDLE;
}

/* Receives a datagram that came without a proxy. A peer behind one sends none. */
static ssize_t receive_direct(struct socket *sock, uint8_t *buf, size_t size, struct lfp_meta *meta)
{
	ssize_t n = datagram_host_receive(sock, buf, size, meta);

	if (n >= 0 && sock->dgram->behind.family) {
		metered_pass(sock, METER_IN, (size_t)n + DATAGRAM_HEADS);
		return -EBADMSG;
	}
	if (n > 0)
		datagram_names_learn(sock, &meta->addr, buf, (size_t)n);
	return n;
}

/* Receives from the proxies and from the host's socket in turn: a proxy may never be silent. */
static ssize_t receive(struct socket *sock, uint8_t *buf, size_t size, struct lfp_meta *meta)
{
	bool direct = sock->dgram->direct_next;
	ssize_t n = -EAGAIN;

	for (unsigned int i = 0; i < 2 && n == -EAGAIN; i++, direct = !direct)
		n = direct ? receive_direct(sock, buf, size, meta)
			   : datagram_via_receive(sock, buf, size, meta);
	sock->dgram->direct_next = direct;
	return n;
}

enum pump datagram_pump(struct socket *sock, size_t *moved)
{
	static uint8_t buf[65536];
	struct datagrams *dg = sock->dgram;

	*moved = 0;
	if (dg->out_buf && send_out(sock, NULL) == PUMP_NO_ROOM)
		return PUMP_NO_ROOM;
	if (sock->state == SOCKET_DEAD)
		return PUMP_IDLE;
	for (unsigned int i = 0; i < TURN_DATAGRAMS && *moved < TURN_BYTES; i++) {
		struct lfp_meta meta;
		bool own;
		ssize_t n;

		if (!lfp_window_room(&sock->out)) {
			socket_set_from_host(sock, FROM_NO_WINDOW);
			return PUMP_IDLE;
		}
		n = datagram_names_take(dg, buf, sizeof(buf), &meta);
		own = n >= 0;
		if (!own)
			datagram_host_at_peer(sock);
		if (!own && !metered_may(sock, METER_IN))
			return PUMP_IDLE;
		if (!own)
			n = receive(sock, buf, sizeof(buf), &meta);
		if (n == -EAGAIN)
			return PUMP_IDLE;
		if (n == -EBADMSG)
			continue;
		if (n < 0) {
			datagram_tell_error(sock, (int)-n);
			continue;
		}
		dg->out = (struct parts){
			.sock = sock->node.key,
			.position = sock->out.sent,
			.meta = meta,
			.data = buf,
			.total = (uint32_t)n,
		};
		sock->out.sent += (uint64_t)n + LFP_DATAGRAM_COST;
		sock->instance->counters.datagrams_to_vse++;
		sock->instance->counters.datagram_bytes_to_vse += (uint64_t)n;
		if (!own) {
			metered_pass(sock, METER_IN, (size_t)n + DATAGRAM_HEADS);
			logged_count(sock, 0, (size_t)n);
		}
		*moved += (size_t)n + 1;
		if (send_out(sock, buf) == PUMP_NO_ROOM)
			return PUMP_NO_ROOM;
		if (sock->state == SOCKET_DEAD)
			return PUMP_IDLE;
	}
	datagram_via_watch(sock);
	return PUMP_AGAIN;
}

static void on_readable(struct socket *sock)
{
	struct session *session = sock->session;
	size_t moved;

	if (sock->from_host != FROM_READS || session_rests(session))
		return;
	/* Sockets that wait for the path already come first. */
	if (!lfp_list_empty(&session->ready) || datagram_pump(sock, &moved) == PUMP_NO_ROOM)
		socket_wait(sock, false);
}

void datagram_go_on(struct socket *sock)
{
	socket_set_from_host(sock, FROM_READS);
	on_readable(sock);
	socket_arm(sock);
}

static void consume(struct socket *sock, size_t len)
{
	struct lfp_frame frame = {.code = LFP_WINDOW, .sock = sock->node.key};

	if (!lfp_window_consume(&sock->in, (uint32_t)len + LFP_DATAGRAM_COST))
		return;
	frame.window.consumed = sock->in.consumed;
	session_send(sock->session, &frame);
}

static bool has_room(const struct socket *sock)
{
	struct pollfd pfd = {.fd = sock->fd, .events = POLLOUT};

	return poll(&pfd, 1, 0) == 1 && pfd.revents & POLLOUT;
}

/* Send one: true if it is dealt with, false if the host has no room for it now. EAGAIN despite room
 * is an error of this datagram: mostly, no port is free for an unbound socket. A program that only
 * writes gets the error at its next call, unless it was @told of one. */
static bool deliver(struct socket *sock, const struct lfp_meta *meta, const uint8_t *data,
		    size_t len, bool *told)
{
	struct datagrams *dg = sock->dgram;
	int earlier, again = 0;
	int rc = datagram_host_send(sock, meta, data, len, &earlier);

	if (rc == -EAGAIN && has_room(sock))
		rc = datagram_host_send(sock, meta, data, len, &again);
	if (earlier || again)
		datagram_tell_error(sock, earlier ? earlier : again);
	if (rc == 2 || rc == VIA_WAITS || (rc == -EAGAIN && !has_room(sock)))
		return false;
	if (rc == 1)
		return true;
	if (meta->addr.family != LFP_AF_UNSPEC)
		logged_send(sock, &meta->addr, -rc);
	else if (rc && !*told && dg->behind.family)
		logged_send(sock, &dg->behind, -rc);
	if (!rc) {
		metered_pass(sock, METER_OUT, len + DATAGRAM_HEADS);
		logged_count(sock, len, 0);
	}
	if (!rc && !sock->named && sock->instance->on_named)
		sock->instance->on_named(sock);
	if (rc)
		dg->send_error = -rc;
	if (rc && !*told && meta->addr.family == LFP_AF_UNSPEC) {
		datagram_tell_error(sock, -rc);
		*told = true;
	}
	return true;
}

int datagram_keep(struct datagrams *dg, const struct lfp_assembly *in)
{
	struct waiting_datagram *last = malloc(sizeof(*last) + in->total);

	if (!last)
		return -ENOMEM;
	last->meta = in->meta;
	last->len = in->total;
	memcpy(last->data, in->data, in->total);
	lfp_list_init(&last->place);
	lfp_list_append(&dg->queue, &last->place);
	return 0;
}

void datagram_flush(struct socket *sock)
{
	struct waiting_datagram *first;
	bool told = false;

	while ((first = first_of(sock->dgram))) {
		if (!deliver(sock, &first->meta, first->data, first->len, &told))
			break;
		consume(sock, first->len);
		drop(first);
	}
	socket_arm(sock);
}

int datagram_handle(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	struct datagrams *dg = sock->dgram;
	bool told = false;
	int rc;

	*why = "DATAGRAM for a stream";
	if (!sock->is_datagram)
		return -EPROTO;
	rc = lfp_assembly_take(&dg->in, &sock->in, &frame->datagram, why);
	if (rc == -EPROTO)
		return rc;
	if (rc == -ENOMEM)
		consume(sock, dg->in.total);
	if (rc != 1)
		return 0;
	sock->instance->counters.datagrams_to_host++;
	sock->instance->counters.datagram_bytes_to_host += dg->in.total;
	if ((first_of(dg) || !deliver(sock, &dg->in.meta, dg->in.data, dg->in.total, &told)) &&
	    !datagram_keep(dg, &dg->in))
		socket_arm(sock);
	else
		consume(sock, dg->in.total);
	lfp_assembly_reset(&dg->in);
	if (datagram_names_answered(dg))
		on_readable(sock);
	return 0;
}

int datagram_handle_sent(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	struct datagrams *dg = sock->dgram;

	*why = "SENT for a stream";
	if (!sock->is_datagram)
		return -EPROTO;
	session_answer(sock->session, frame, dg->send_error);
	dg->send_error = 0;
	return 0;
}

void datagram_on_event(struct socket *sock, int events, bool error)
{
	if (error)
		datagram_take_errors(sock);
	if (events & UV_WRITABLE)
		datagram_flush(sock);
	if (events & UV_READABLE || datagram_names_answered(sock->dgram))
		on_readable(sock);
}

/* Addresses queued datagrams without a destination to the present peer, before it changes. */
static void keep_peer(struct socket *sock)
{
	struct datagrams *dg = sock->dgram;
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	struct waiting_datagram *at;
	struct lfp_addr peer;

	if (socket_peername(sock, (struct sockaddr *)&addr, &len) ||
	    lfp_addr_from(&peer, (struct sockaddr *)&addr, len))
		return;
	lfp_list_each(at, &dg->queue, place)
		if (at->meta.addr.family == LFP_AF_UNSPEC)
			at->meta.addr = peer;
	if (dg->in.meta.addr.family == LFP_AF_UNSPEC)
		dg->in.meta.addr = peer;
}

int datagram_connect(struct socket *sock, const struct lfp_addr *peer)
{
	struct sockaddr_storage addr;
	socklen_t len = lfp_addr_to(peer, &addr);
	struct socket_way way;
	int rc;

	keep_peer(sock);
	if (peer->family == LFP_AF_UNSPEC) {
		rc = lfp_interface_disconnect(sock->fd, sock->policy.interface);
		if (!rc) {
			sock->dgram->connected = sock->dgram->at_server = false;
			sock->dgram->strayed = false;
			datagram_via_disconnect(sock);
			metered_leave(sock);
			socket_arm(sock);
		}
		return rc;
	}
	rc = socket_reach(sock, &addr, &way);
	if (!rc && !way.upstream)
		datagram_via_leave_proxy(sock);
	snprintf(sock->dgram->upstream, sizeof(sock->dgram->upstream), "%s",
		 !rc && way.upstream ? way.upstream->name : "");
	if (!rc && !way.upstream)
		rc = socket_bind_implicitly(sock, &addr);
	logged_attempt(sock, peer);
	if (!rc && way.upstream)
		rc = datagram_via_connect(sock, &addr, &way);
	else if (!rc && connect(sock->fd, (struct sockaddr *)&addr, len))
		rc = -errno;
	else if (!rc)
		datagram_via_disconnect(sock);
	if (rc) {
		/* The peer is that of before, if there is one. */
		sock->dgram->strayed = sock->dgram->connected;
		datagram_host_at_peer(sock);
	} else {
		sock->dgram->connected = true;
		sock->dgram->strayed = false;
		sock->dgram->at_server =
			!way.upstream &&
			ruling_is_name_server(sock->instance, (struct sockaddr *)&addr);
	}
	logged_connect(sock, -rc);
	return rc;
}

void datagram_restore_peer(struct socket *sock, const struct saved_socket *saved)
{
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer);

	sock->dgram->connected = saved->flags & SAVED_CONNECTED;
	sock->dgram->at_server = sock->dgram->connected &&
				 !getpeername(sock->fd, (struct sockaddr *)&peer, &len) &&
				 ruling_is_name_server(sock->instance, (struct sockaddr *)&peer);
	sock->dgram->send_error = saved->error;
}

int datagram_option(int level, int name)
{
	/* Ancillary data that DATAGRAM has no place for, and options that hand datagrams to the
	 * kernel. */
	static const struct {
		int level, first, last;
	} refused[] = {
		{IPPROTO_IP, IP_RECVOPTS, IP_RETOPTS},
		{IPPROTO_IP, IP_PASSSEC, IP_PASSSEC},
		{IPPROTO_IP, IP_CHECKSUM, IP_CHECKSUM},
		{IPPROTO_IP, IP_RECVFRAGSIZE, IP_RECVFRAGSIZE},
		{IPPROTO_IPV6, IPV6_2292PKTINFO, IPV6_2292PKTOPTIONS},
		{IPPROTO_IPV6, IPV6_2292HOPLIMIT, IPV6_2292HOPLIMIT},
		{IPPROTO_IPV6, IPV6_RECVHOPOPTS, IPV6_RECVHOPOPTS},
		{IPPROTO_IPV6, IPV6_RECVRTHDR, IPV6_RECVRTHDR},
		{IPPROTO_IPV6, IPV6_RECVDSTOPTS, IPV6_RECVDSTOPTS},
		{IPPROTO_IPV6, IPV6_RECVFRAGSIZE, IPV6_RECVFRAGSIZE},
		{IPPROTO_UDP, UDP_ENCAP, UDP_ENCAP},
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (level == refused[i].level && name >= refused[i].first &&
		    name <= refused[i].last)
			return -ENOPROTOOPT;
	return 0;
}
