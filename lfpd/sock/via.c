/* SPDX-License-Identifier: Apache-2.0 */
/* via.c - connect() through the proxy of an upstream */
#include "lfpd/sock/via.h"

#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/interface.h"
#include "lfpd/policy/rules.h"
#include "lfpd/sock/proxy-talk.h"
#include "lfpd/sock/via-host.h"
#include "lfpd/users/refusal.h"
#include "lfpd/users/share.h"

enum phase {
	NAMES,    /* the proxy's address is looked up */
	CONNECTS, /* connect() to the proxy */
	TALKS,    /* messages and answers */
};

struct via {
	struct socket *sock;
	struct via_waiter waiter; /* NAMES */
	uv_timer_t timer;
	void (*on_end)(struct socket *sock);
	enum phase phase;
	int error; /* found outside of via_result() */
	char name[RULES_NAME_MAX];
	struct sockaddr_storage proxy;
	socklen_t proxy_len;
	struct proxy_talk talk;
	uint8_t in[]; /* of the talk */
};

static void on_timer_closed(uv_handle_t *handle)
{
	free(handle->data);
}

/* Ends the attempt. The loop frees the memory. */
static void finish(struct socket *sock)
{
	struct via *via = sock->stream.via;

	lfp_list_del(&via->waiter.entry);
	proxy_talk_finish(&via->talk);
	uv_close((uv_handle_t *)&via->timer, on_timer_closed);
	sock->stream.via = NULL;
}

void via_forget(struct socket *sock)
{
	if (sock->stream.via)
		finish(sock);
	socket_set_upstream(sock, NULL);
}

void via_give_up(struct socket *sock)
{
	int error;
	socklen_t len = sizeof(error);

	if (!sock->stream.via)
		return;
	finish(sock);
	/* The kernel leaves ECONNRESET behind (net/ipv4/tcp.c, tcp_disconnect()). */
	if (!lfp_interface_disconnect(sock->fd, sock->policy.interface))
		(void)getsockopt(sock->fd, SOL_SOCKET, SO_ERROR, &error, &len);
}

static int fail(struct via *via, int error, const char *why)
{
	via->error = error;
	via->talk.why = why;
	return error;
}

/* Connects to the proxy. Returns EINPROGRESS or another positive errno. */
static int connect_proxy(struct via *via)
{
	struct socket *sock = via->sock;
	const int off = 0;
	int rc, error;
	socklen_t len = sizeof(error);

	/* An earlier connection may have left its error (net/ipv4/tcp.c, tcp_disconnect()). */
	(void)getsockopt(sock->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	via->proxy_len = via_host_addr(sock->stream.upstream, sock->family, &via->proxy);
	if (!via->proxy_len)
		return fail(via, ENETUNREACH, "it has no address for this kind of socket");
	/* The kernel refuses this for a bound socket, which then reaches no IPv4 address. */
	if (sock->family == AF_INET6)
		(void)setsockopt(sock->fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	rc = socket_bind_implicitly(sock, &via->proxy);
	if (rc)
		return fail(via, -rc, strerror(-rc));
	via->phase = CONNECTS;
	return EINPROGRESS;
}

static void on_timeout(uv_timer_t *timer)
{
	struct via *via = timer->data;

	(void)fail(via, ETIMEDOUT, "it did not answer in time");
	via->on_end(via->sock);
}

static void on_named(struct via_waiter *waiter)
{
	struct via *via = (struct via *)(void *)((char *)waiter - offsetof(struct via, waiter));

	(void)connect_proxy(via);
	via->on_end(via->sock);
}

int via_begin(struct socket *sock, const char *name, void (*on_end)(struct socket *sock))
{
	struct upstream *upstream = sock->stream.upstream;
	size_t in_max = upstream->kind == UPSTREAM_HTTP ? PROXY_ANSWER_MAX : PROXY_SOCKS_ANSWER_MAX;
	struct via *via = calloc(1, sizeof(*via) + in_max);

	if (!via)
		return ENOBUFS;
	via->sock = sock;
	via->on_end = on_end;
	via->talk.upstream = upstream;
	via->talk.in = via->in;
	via->talk.in_max = in_max;
	via->waiter.done = on_named;
	lfp_list_init(&via->waiter.entry);
	if (name) {
		strncpy(via->name, name, sizeof(via->name) - 1);
		via->talk.target.name = via->name;
	}
	uv_timer_init(sock->instance->loop, &via->timer);
	via->timer.data = via;
	sock->stream.via = via;
	if (!rules_addr((const struct sockaddr *)&sock->stream.peer, true, &via->talk.target.addr,
			&via->talk.target.port))
		(void)fail(via, EAFNOSUPPORT, "the peer's address is of another kind");
	else if (!via_host_find(upstream, sock->instance->loop, &via->waiter))
		(void)connect_proxy(via);
	uv_timer_start(&via->timer, on_timeout, 1000ull * upstream->timeout, 0);
	return EINPROGRESS;
}

int via_events(const struct socket *sock)
{
	const struct via *via = sock->stream.via;

	switch (via->phase) {
	case NAMES:
		return 0;
	case CONNECTS:
		return UV_WRITABLE;
	case TALKS:
		break;
	}
	return proxy_talk_events(&via->talk);
}

/* Returns 0, or EALREADY. */
static int finish_connect(struct via *via)
{
	struct socket *sock = via->sock;
	int error = 0;
	socklen_t len = sizeof(error);

	(void)getsockopt(sock->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	while (!error && connect(sock->fd, (const struct sockaddr *)&via->proxy, via->proxy_len))
		if (errno != EINTR) {
			error = errno;
			break;
		}
	if (error == EINPROGRESS || error == EALREADY)
		return EALREADY;
	if (error && error != EISCONN)
		return fail(via, ENETUNREACH, strerror(error));
	via->phase = TALKS;
	proxy_talk_begin(&via->talk);
	return 0;
}

static int go_on(struct via *via)
{
	int rc = 0;

	if (via->error)
		return via->error;
	if (via->phase == NAMES)
		return EALREADY;
	if (via->phase == CONNECTS)
		rc = finish_connect(via);
	if (!rc)
		rc = proxy_talk_go_on(&via->talk, via->sock->fd);
	return rc;
}

int via_result(struct socket *sock)
{
	struct via *via = sock->stream.via;
	int rc = go_on(via);

	if (rc == EALREADY)
		return rc;
	if (rc) {
		refusal_of_upstream(sock->instance, sock->share->base.uid,
				    sock->stream.upstream->name, via->talk.why, via->talk.code);
		via_give_up(sock);
	} else {
		finish(sock);
	}
	return rc;
}
