/* SPDX-License-Identifier: Apache-2.0 */
/* local.c - the transport within one process: packets are handed over by reference */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/list.h"
#include "transport/choice.h"
#include "transport/reactor.h"

/*
 * Theory of operation
 *
 * Both ends live on one loop. A packet that is sent is put on the peer's list, as it is; when the
 * peer has released it, it goes back to the sender's path, or is freed if that is gone. No callback
 * runs within a call: a hook of each end tells its owner what there is, before the loop
 * looks for events. It is older than that of the path, so that it runs after it, and takes what
 * both paths have sent just before; what comes later waits for the next round, which the hook
 * asks for. So a packet passes without a system call, and mostly its answer, too.
 *
 * At most IN_FLIGHT bytes are on their way in one direction, as in the buffer of a socket, or one
 * packet whose pipe has more. Small packets take more memory than that: those without data, which
 * nothing else limits, at most CONTROL_MEMORY.
 */

#define IN_FLIGHT      (128u * 1024u)
#define CONTROL_MEMORY (1024u * 1024u)

struct local_settings {
	char instance[3]; /* NN; "" is none */
};

_Static_assert(sizeof(struct local_settings) <= TRANSPORT_SETTINGS_EACH, "they fit");

static const struct lfp_field lfpd_keys[] = {
	{"LOCAL_INSTANCE", LFP_FIELD_NN, offsetof(struct local_settings, instance), 0, 0, NULL,
	 false, "with TRANSPORT = local: the LFP instance that runs in lfpd's process",
	 LFP_FIELD_OURS, NULL, NULL},
};

struct local_conn {
	struct transport_conn base;
	struct local_conn *peer; /* NULL when it is gone */
	struct turn_hook hook;   /* asks for turns while the owner must be called */
	bool closing;
	unsigned int events;
	bool stuck; /* send() has not taken all; there is room again when `room` is set */
	bool room;
	uint32_t mtu;             /* of what is received */
	struct packet_queue in;   /* sent by the peer */
	struct packet_queue held; /* being looked at */
	uint64_t taken, released; /* packets that were sent, and that came back */
};

struct local_listener {
	struct transport_listener base;
	struct lfp_list entry; /* in listeners */
	uv_loop_t *loop;
	uint32_t mtu;
	char name[9];
};

struct local_connect {
	uv_timer_t timer; /* delivers the result from the loop */
	char name[9];
	uint32_t mtu;
	transport_connected_cb cb;
	void *data;
};

/* One for the process; used only on its one loop. */
static struct lfp_list listeners = {&listeners, &listeners};

static bool is_readable(const struct local_conn *conn)
{
	return (conn->events & TRANSPORT_READ) && (conn->in.first || !conn->peer);
}

/* Also true when the peer is gone: an owner that waits for room then sends, and gets the error. */
static bool is_writable(const struct local_conn *conn)
{
	return (conn->events & TRANSPORT_WRITE) && (conn->room || !conn->peer);
}

/* Keeps the loop awake while the owner must be called. */
static void look(struct local_conn *conn)
{
	if (!conn->closing)
		turn_hook_ask(&conn->hook, is_readable(conn) || is_writable(conn));
}

static void before_sleep(struct turn_hook *hook)
{
	struct local_conn *conn = hook->data;

	if (!is_writable(conn) && !is_readable(conn))
		return;
	if (is_writable(conn)) {
		conn->room = conn->stuck = false;
		conn->base.on_writable(&conn->base);
	}
	if (is_readable(conn))
		conn->base.on_readable(&conn->base);
	if (!conn->closing && conn->base.on_turn)
		conn->base.on_turn(&conn->base);
	if (!conn->closing)
		look(conn);
}

static void local_watch(struct transport_conn *base, unsigned int events)
{
	struct local_conn *conn = (struct local_conn *)base;

	conn->events = events;
	look(conn);
}

/* Returns true if one more packet may be on its way to @to. */
static bool has_room(const struct local_conn *to, const struct packet *packet)
{
	const struct packet_queue *in = &to->in;

	if (!in->first)
		return true;
	return in->bytes + packet->len <= IN_FLIGHT &&
	       (packet->has_data || in->control_bytes + packet->size <= CONTROL_MEMORY);
}

static int local_send(struct transport_conn *base, struct packet **packets, unsigned int nr)
{
	struct local_conn *conn = (struct local_conn *)base, *peer = conn->peer;
	bool asleep = peer && !peer->in.first;
	unsigned int i;

	if (!peer)
		return -EPIPE;
	for (i = 0; i < nr; i++) {
		if (!has_room(peer, packets[i]))
			break;
		packet_queue_append(&peer->in, packets[i]);
		conn->taken++;
	}
	base->counts.calls_out += i > 0;
	conn->stuck = i < nr;
	base->counts.full += conn->stuck;
	if (i && asleep) {
		base->counts.wakeups_out++;
		peer->base.counts.wakeups_in++;
	}
	look(peer);
	return (int)i;
}

static int local_receive(struct transport_conn *base, struct iovec *packets, unsigned int max)
{
	struct local_conn *conn = (struct local_conn *)base;
	unsigned int n = 0;

	if (!conn->in.first)
		return conn->peer ? -EAGAIN : 0;
	while (n < max && conn->in.first) {
		struct packet *packet = packet_queue_shift(&conn->in);

		packet_queue_append(&conn->held, packet);
		if (!packet->pipe && packet->len > conn->mtu)
			return -EMSGSIZE;
		packets[n++] = (struct iovec){packet->buf, packet->len};
	}
	base->counts.calls_in++;
	return (int)n;
}

/* Returns packets to the peer. */
static void give_back(struct local_conn *conn, struct packet_queue *queue)
{
	struct local_conn *peer = conn->peer;

	while (queue->first) {
		struct packet *packet = packet_queue_shift(queue);

		if (!peer) {
			packet_free(packet);
			continue;
		}
		peer->released++;
		peer->base.on_sent(&peer->base, packet);
	}
}

static void local_release(struct transport_conn *base)
{
	struct local_conn *conn = (struct local_conn *)base, *peer = conn->peer;

	give_back(conn, &conn->held);
	if (peer && peer->stuck && conn->in.bytes <= IN_FLIGHT / 2 &&
	    conn->in.control_bytes <= CONTROL_MEMORY / 2) {
		peer->room = true;
		look(peer);
	}
}

static struct held_pipe **local_pipe(struct transport_conn *base, unsigned int i)
{
	struct packet *packet = ((struct local_conn *)base)->held.first;

	while (i--)
		packet = packet->next;
	return &packet->pipe;
}

static int64_t local_credit(struct transport_conn *base)
{
	struct local_conn *conn = (struct local_conn *)base;

	return (int64_t)(conn->taken - conn->released);
}

static void on_conn_closed(void *data)
{
	struct local_conn *conn = data;

	if (conn->base.on_closed)
		conn->base.on_closed(&conn->base);
	free(conn);
}

static void local_close(struct transport_conn *base)
{
	struct local_conn *conn = (struct local_conn *)base, *peer = conn->peer;

	conn->events = 0;
	give_back(conn, &conn->held);
	give_back(conn, &conn->in);
	if (peer) {
		/* Data on its way to the peer stays queued; the end follows. */
		peer->peer = NULL;
		look(peer);
	}
	conn->peer = NULL;
	conn->closing = true;
	turn_hook_close(&conn->hook, on_conn_closed);
}

static void local_describe(struct transport_conn *base, struct transport_peer *out)
{
	(void)base;
	memset(out, 0, sizeof(*out));
	out->has_ucred = true;
	out->pid = getpid();
	out->uid = geteuid();
	out->gid = getegid();
	snprintf(out->text, sizeof(out->text), "the LFP instance in this process");
}

static struct local_conn *conn_create(uv_loop_t *loop, uint32_t mtu)
{
	struct local_conn *conn = calloc(1, sizeof(*conn));

	if (!conn)
		return NULL;
	conn->hook = (struct turn_hook){.data = conn, .before = before_sleep};
	if (turn_hook_init(loop, &conn->hook)) {
		free(conn);
		return NULL;
	}
	conn->base.transport = &transport_local;
	conn->mtu = mtu;
	packet_queue_init(&conn->in);
	packet_queue_init(&conn->held);
	return conn;
}

static int local_listen(uv_loop_t *loop, const struct transport_where *where,
			struct transport_listener **out)
{
	struct local_listener *listener = calloc(1, sizeof(*listener));

	if (!listener)
		return -ENOMEM;
	listener->base.transport = &transport_local;
	listener->loop = loop;
	listener->mtu = where->mtu;
	snprintf(listener->name, sizeof(listener->name), "%s", where->name);
	lfp_list_init(&listener->entry);
	lfp_list_prepend(&listeners, &listener->entry);
	*out = &listener->base;
	return 0;
}

static void local_stop(struct transport_listener *base)
{
	struct local_listener *listener = (struct local_listener *)base;

	lfp_list_del(&listener->entry);
	free(listener);
}

static void on_connect_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static int make_pair(const struct local_connect *request, uv_loop_t *loop, struct local_conn **out)
{
	struct local_listener *listener;
	struct local_conn *near, *far;

	lfp_list_each(listener, &listeners, entry)
		if (!strcmp(listener->name, request->name) && listener->loop == loop)
			break;
	if (!listener)
		return -ECONNREFUSED;
	near = conn_create(loop, request->mtu);
	if (!near)
		return -ENOMEM;
	far = conn_create(loop, listener->mtu);
	if (!far) {
		near->base.on_closed = NULL;
		local_close(&near->base);
		return -ENOMEM;
	}
	near->peer = far;
	far->peer = near;
	listener->base.on_connection(&listener->base, &far->base);
	*out = near;
	return 0;
}

static void on_connect(uv_timer_t *timer)
{
	struct local_connect *request = timer->data;
	struct local_conn *conn = NULL;
	int rc = make_pair(request, timer->loop, &conn);

	request->cb(request->data, rc, conn ? &conn->base : NULL);
	uv_close((uv_handle_t *)timer, on_connect_closed);
}

static int local_connect(uv_loop_t *loop, const struct transport_where *where,
			 transport_connected_cb cb, void *data)
{
	struct local_connect *request = calloc(1, sizeof(*request));

	if (!request)
		return -ENOMEM;
	snprintf(request->name, sizeof(request->name), "%s", where->name);
	request->mtu = where->mtu;
	request->cb = cb;
	request->data = data;
	uv_timer_init(loop, &request->timer);
	request->timer.data = request;
	uv_timer_start(&request->timer, on_connect, 0, 0);
	return 0;
}

static const char *local_hosted(const struct transport_settings *settings)
{
	const struct local_settings *local = transport_settings_of(settings, &transport_local);

	return local->instance;
}

static int local_check(const struct transport_settings *settings, enum transport_side side,
		       uint32_t mtu, struct transport_fault *fault)
{
	(void)mtu;
	if (side != TRANSPORT_LFPD || *local_hosted(settings))
		return 0;
	fault->key = lfpd_keys[0].key;
	snprintf(fault->text, sizeof(fault->text), "is mandatory with TRANSPORT = %s",
		 transport_local.name);
	return -EINVAL;
}

const struct transport transport_local = {
	.name = "local",
	.keys = {{lfpd_keys, sizeof(lfpd_keys) / sizeof(lfpd_keys[0])}},
	.check = local_check,
	.hosted = local_hosted,
	.pretends_iucv = true,
	.keeps = true,
	.batch = 1,
	.listen = local_listen,
	.stop = local_stop,
	.connect = local_connect,
	.send = local_send,
	.receive = local_receive,
	.release = local_release,
	.pipe = local_pipe,
	.watch = local_watch,
	.credit = local_credit,
	.close = local_close,
	.describe = local_describe,
};
