/* SPDX-License-Identifier: Apache-2.0 */
/* relay.c - a proxy of SOCKS5 that carries the datagrams of one socket (UDP ASSOCIATE) */
#include "lfpd/sock/relay.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/interface.h"
#include "lfpd/policy/limits.h"
#include "lfpd/sock/proxy-talk.h"
#include "lfpd/sock/via-host.h"
#include "lfpd/users/refusal.h"
#include "lfpd/users/share.h"

#define AGAIN_MS 1000u /* after a failure */

/* A descriptor, its watch, and its place in the limits. */
struct end {
	struct relay *relay;
	int fd; /* -1: none */
	struct watch watch;
	struct share *share; /* NULL: it counts for nobody */
};

struct relay {
	struct lfp_list place;
	struct socket *sock; /* NULL: its owner has ended it */
	const struct relay_owner *owner;
	struct upstream *upstream; /* a reference */
	struct via_waiter waiter;
	enum relay_state state;
	bool connected;  /* to the proxy */
	bool has_served; /* an answer has come */
	bool is_told;    /* the owner has it from relay_begin() */
	int error;
	uint64_t since; /* uv_now(), of the state */
	unsigned int refs;
	uv_loop_t *loop;
	uv_timer_t timer;
	struct end control, data;
	struct sockaddr_storage proxy;
	socklen_t proxy_len;
	struct proxy_talk talk;
	uint8_t in[PROXY_SOCKS_ANSWER_MAX];
};

static void put(struct relay *relay)
{
	if (--relay->refs)
		return;
	upstream_drop(relay->upstream);
	free(relay);
}

static void on_timer_closed(uv_handle_t *handle)
{
	put(handle->data);
}

static void on_watch_closed(void *data)
{
	put(((struct end *)data)->relay);
}

static void drop_share(struct instance *inst, struct end *end)
{
	inst->nr_sockets--;
	if (!inst->stopping)
		inst->sock_ops->on_fewer(inst);
	share_drop(inst, end->share, SHARE_SOCKETS);
	end->share = NULL;
}

static void end_close(struct relay *relay, struct end *end)
{
	if (end->fd < 0)
		return;
	watch_close(&end->watch, on_watch_closed);
	close(end->fd);
	end->fd = -1;
	drop_share(relay->sock->instance, end);
}

/* Closes all that it has, but for its memory. */
static void finish(struct relay *relay)
{
	lfp_list_del(&relay->waiter.entry);
	uv_timer_stop(&relay->timer);
	proxy_talk_finish(&relay->talk);
	end_close(relay, &relay->control);
	end_close(relay, &relay->data);
}

static void set_state(struct relay *relay, enum relay_state state)
{
	if (relay->state == RELAY_READY)
		relay->sock->instance->nr_associations--;
	if (state == RELAY_READY)
		relay->sock->instance->nr_associations++;
	relay->state = state;
	relay->since = uv_now(relay->loop);
	if (relay->is_told)
		relay->owner->on_change(relay->sock, relay);
}

/* The caller does not use @relay any more, unless relay_begin() is under way. */
static void fail(struct relay *relay, int error, const char *why)
{
	struct socket *sock = relay->sock;

	relay->error = error;
	if (error)
		refusal_of_upstream(sock->instance, sock->share->base.uid, relay->upstream->name,
				    why, relay->talk.code);
	finish(relay);
	set_state(relay, RELAY_FAILED);
}

/* Counts a descriptor for the user. */
static int take_share(struct relay *relay, struct end *end)
{
	struct instance *inst = relay->sock->instance;
	uint32_t uid = relay->sock->share->base.uid;

	if (inst->nr_sockets >= inst->config.max_sockets) {
		refusal_of_socket(inst, 0);
		return -ENOBUFS;
	}
	if (refusal_if_spent(inst, uid, SHARE_SOCKETS))
		return -ENOBUFS;
	end->share = share_take(inst, uid, SHARE_SOCKETS);
	if (!end->share)
		return -ENOMEM;
	inst->nr_sockets++;
	return 0;
}

/* Makes a socket as lfpd makes those of programs. Returns it or a negative errno. */
static int make_socket(const struct relay *relay, int type)
{
	struct instance *inst = relay->sock->instance;
	const struct policy *policy = &relay->sock->policy;
	struct policy_socket it = {.family = relay->proxy.ss_family,
				   .datagram = type == SOCK_DGRAM};
	struct sockaddr_storage local;
	int len, rc, fd = socket(it.family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 && errno != EMFILE && errno != ENFILE)
		return -errno;
	if (fd < 0 || limits_is_short(fd, instance_hosts(inst))) {
		refusal_of_socket(inst, fd < 0 ? errno : EMFILE);
		if (fd >= 0)
			close(fd);
		return -ENOBUFS;
	}
	rc = lfp_interface_bind(fd, policy->interface);
	len = rc ? rc : policy_implicit(policy, &it, &relay->proxy, &local);
	if (len > 0)
		len = bind(fd, (struct sockaddr *)&local, (socklen_t)len) ? -errno : 0;
	if (!len)
		return fd;
	close(fd);
	return len;
}

static int end_open(struct relay *relay, struct end *end, int type)
{
	struct instance *inst = relay->sock->instance;
	int fd, rc = take_share(relay, end);

	if (rc)
		return rc;
	fd = make_socket(relay, type);
	rc = fd < 0 ? fd : watch_init(relay->loop, &end->watch, fd);
	if (rc) {
		if (fd >= 0)
			close(fd);
		drop_share(inst, end);
		return rc;
	}
	end->fd = fd;
	end->relay = relay;
	end->watch.data = end;
	relay->refs++;
	return 0;
}

static struct relay *relay_of(const struct watch *watch)
{
	return ((struct end *)watch->data)->relay;
}

static void on_data(struct watch *watch, int status, int events)
{
	struct relay *relay = relay_of(watch);

	/* An error is found by the next call: the owner receives. */
	if (status < 0)
		watch_stop(watch);
	else if (events & UV_WRITABLE)
		watch_start(watch, watch->events & ~UV_WRITABLE, on_data);
	if (events & UV_WRITABLE)
		relay->owner->on_writable(relay->sock, relay);
	if (relay->state == RELAY_READY && (status < 0 || events & UV_READABLE))
		relay->owner->on_readable(relay->sock, relay);
}

/* The proxy says nothing any more on this connection (RFC 1928, section 7). */
static void on_ended(struct relay *relay)
{
	bool early;

	/* Its last answers are in the other socket. */
	relay->owner->on_readable(relay->sock, relay);
	if (relay->state != RELAY_READY)
		return;
	early = !relay->has_served && uv_now(relay->loop) - relay->since < AGAIN_MS;
	fail(relay, early ? ECONNABORTED : 0, "it has ended the association");
}

/* Returns true if the relay is at the proxy's address, and sets @relay->proxy to it. Proxies say
 * the wildcard for their address. */
static bool find_relay(struct relay *relay)
{
	const struct proxy_answer *answer = &relay->talk.last;
	const struct in6_addr v4any = {.s6_addr = {[10] = 0xff, [11] = 0xff}};
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&relay->proxy;
	struct sockaddr_in *in = (struct sockaddr_in *)&relay->proxy;
	struct in6_addr own = v4any;

	if (!answer->has_bound || !answer->bound_port)
		return false;
	if (relay->proxy.ss_family == AF_INET) {
		memcpy(own.s6_addr + 12, &in->sin_addr, 4);
		in->sin_port = htons(answer->bound_port);
	} else {
		own = in6->sin6_addr;
		in6->sin6_port = htons(answer->bound_port);
	}
	return IN6_ARE_ADDR_EQUAL(&answer->bound, &own) ||
	       IN6_ARE_ADDR_EQUAL(&answer->bound, &v4any) ||
	       IN6_IS_ADDR_UNSPECIFIED(&answer->bound);
}

static void associate(struct relay *relay)
{
	int rc;

	if (!find_relay(relay)) {
		fail(relay, ECONNABORTED, "its relay is not at its own address");
		return;
	}
	rc = end_open(relay, &relay->data, SOCK_DGRAM);
	if (!rc && connect(relay->data.fd, (struct sockaddr *)&relay->proxy, relay->proxy_len))
		rc = -errno;
	if (rc) {
		fail(relay, -rc, strerror(-rc));
		return;
	}
	uv_timer_stop(&relay->timer);
	relay_watch(relay, true);
	set_state(relay, RELAY_READY);
}

static void on_control(struct watch *watch, int status, int events)
{
	struct relay *relay = relay_of(watch);
	int error = 0, rc;
	socklen_t len = sizeof(error);

	(void)status;
	(void)events;
	if (relay->state == RELAY_READY) {
		on_ended(relay);
		return;
	}
	if (!relay->connected) {
		(void)getsockopt(relay->control.fd, SOL_SOCKET, SO_ERROR, &error, &len);
		if (error) {
			fail(relay, ENETUNREACH, strerror(error));
			return;
		}
		relay->connected = true;
		proxy_talk_begin(&relay->talk);
	}
	rc = proxy_talk_go_on(&relay->talk, relay->control.fd);
	if (rc == EALREADY) {
		watch_start(watch, proxy_talk_events(&relay->talk), on_control);
	} else if (rc) {
		fail(relay, rc, relay->talk.why);
	} else {
		watch_start(watch, UV_READABLE, on_control);
		associate(relay);
	}
}

/* A proxy that is gone without a word ends the association in two minutes. */
static void keep_alive(int fd)
{
	static const int options[][3] = {
		{SOL_SOCKET, SO_KEEPALIVE, 1},
		{IPPROTO_TCP, TCP_KEEPIDLE, 60},
		{IPPROTO_TCP, TCP_KEEPINTVL, 20},
		{IPPROTO_TCP, TCP_KEEPCNT, 3},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		(void)setsockopt(fd, options[i][0], options[i][1], &options[i][2], sizeof(int));
}

static void connect_proxy(struct relay *relay)
{
	int rc;

	/* The program's family has no meaning for the proxy. */
	relay->proxy_len = via_host_addr(relay->upstream, AF_INET, &relay->proxy);
	if (!relay->proxy_len)
		relay->proxy_len = via_host_addr(relay->upstream, AF_INET6, &relay->proxy);
	if (!relay->proxy_len) {
		fail(relay, ENETUNREACH, "it has no address");
		return;
	}
	rc = end_open(relay, &relay->control, SOCK_STREAM);
	if (rc) {
		fail(relay, -rc, strerror(-rc));
		return;
	}
	keep_alive(relay->control.fd);
	if (connect(relay->control.fd, (struct sockaddr *)&relay->proxy, relay->proxy_len) &&
	    errno != EINPROGRESS) {
		fail(relay, ENETUNREACH, strerror(errno));
		return;
	}
	watch_start(&relay->control.watch, UV_WRITABLE, on_control);
}

static void on_named(struct via_waiter *waiter)
{
	connect_proxy((struct relay *)(void *)((char *)waiter - offsetof(struct relay, waiter)));
}

static void on_timeout(uv_timer_t *timer)
{
	fail(timer->data, ETIMEDOUT, "it did not answer in time");
}

struct relay *relay_begin(struct socket *sock, struct upstream *upstream,
			  const struct relay_owner *owner)
{
	struct relay *relay = calloc(1, sizeof(*relay));

	if (!relay)
		return NULL;
	lfp_list_init(&relay->place);
	lfp_list_init(&relay->waiter.entry);
	relay->waiter.done = on_named;
	relay->sock = sock;
	relay->loop = sock->instance->loop;
	relay->owner = owner;
	relay->upstream = upstream_take(upstream);
	relay->control.fd = relay->data.fd = -1;
	relay->talk = (struct proxy_talk){
		.upstream = upstream,
		.target.associates = true,
		.in = relay->in,
		.in_max = sizeof(relay->in),
	};
	relay->refs = 2; /* the owner and the timer */
	relay->timer.data = relay;
	uv_timer_init(relay->loop, &relay->timer);
	uv_timer_start(&relay->timer, on_timeout, 1000ull * upstream->timeout, 0);
	if (!*upstream->host)
		fail(relay, ENETUNREACH, "the rules have it no more");
	else if (!via_host_find(upstream, relay->loop, &relay->waiter))
		connect_proxy(relay);
	relay->is_told = true;
	return relay;
}

void relay_end(struct relay *relay)
{
	finish(relay);
	lfp_list_del(&relay->place);
	relay->sock->instance->nr_associations -= relay->state == RELAY_READY;
	relay->state = RELAY_FAILED;
	uv_close((uv_handle_t *)&relay->timer, on_timer_closed);
	put(relay);
}

enum relay_state relay_state(const struct relay *relay)
{
	return relay->state;
}

const struct upstream *relay_upstream(const struct relay *relay)
{
	return relay->upstream;
}

int relay_error(const struct relay *relay)
{
	return relay->error;
}

bool relay_is_old(const struct relay *relay)
{
	return relay->state == RELAY_FAILED &&
	       (!relay->error || uv_now(relay->loop) - relay->since >= AGAIN_MS);
}

int relay_send(struct relay *relay, const uint8_t *head, size_t head_len, const uint8_t *data,
	       size_t len)
{
	struct iovec iov[] = {
		{.iov_base = (void *)(uintptr_t)head, .iov_len = head_len},
		{.iov_base = (void *)(uintptr_t)data, .iov_len = len},
	};
	const struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};
	ssize_t n;

	do
		n = sendmsg(relay->data.fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		watch_start(&relay->data.watch, relay->data.watch.events | UV_WRITABLE, on_data);
	return n < 0 ? -errno : 0;
}

ssize_t relay_receive(struct relay *relay, uint8_t *buf, size_t size)
{
	ssize_t n;

	do
		n = recv(relay->data.fd, buf, size, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	relay->has_served = true;
	return n;
}

void relay_watch(struct relay *relay, bool wanted)
{
	struct watch *watch = &relay->data.watch;
	int events = (watch->events & ~UV_READABLE) | (wanted ? UV_READABLE : 0);

	if (relay->data.fd < 0 || events == watch->events)
		return;
	if (events)
		watch_start(watch, events, on_data);
	else
		watch_stop(watch);
}

struct lfp_list *relay_place(struct relay *relay)
{
	return &relay->place;
}

struct relay *relay_at(struct lfp_list *place)
{
	return (struct relay *)(void *)((char *)place - offsetof(struct relay, place));
}
