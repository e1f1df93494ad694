/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-via.c - datagrams that go through the proxies of upstreams */
#include "lfpd/sock/datagram-via.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lfp/addr.h"
#include "lfp/interface.h"
#include "lfpd/policy/proxy-datagram.h"
#include "lfpd/policy/rules.h"
#include "lfpd/sock/datagram-kept.h"
#include "lfpd/sock/datagram-whole.h"
#include "lfpd/sock/metered.h"
#include "lfpd/sock/relay.h"
#include "lfpd/sock/via-host.h"

#define DESTS_MAX 64u /* destinations of one socket; the oldest are forgotten */

/* A destination of datagrams. */
struct dest {
	struct lfp_list place;
	struct upstream *upstream; /* a reference */
	struct lfp_addr addr;      /* as the program names it */
	struct proxy_target target;
	char name[]; /* of the target; "": none */
};

struct datagram_via {
	struct lfp_list relays;
	struct lfp_list dests; /* the oldest first, without the peer */
	unsigned int nr_dests;
	struct dest *peer; /* NULL: the socket has no peer behind an upstream */
	int error;         /* for the program, positive, or 0 */
};

static struct datagram_via *via_of(struct datagrams *dg)
{
	if (dg->via)
		return dg->via;
	dg->via = calloc(1, sizeof(*dg->via));
	if (dg->via) {
		lfp_list_init(&dg->via->relays);
		lfp_list_init(&dg->via->dests);
	}
	return dg->via;
}

static void free_dest(struct dest *dest)
{
	if (!dest)
		return;
	lfp_list_del(&dest->place);
	upstream_drop(dest->upstream);
	free(dest);
}

static struct dest *make_dest(const struct lfp_addr *addr, const struct sockaddr_storage *to,
			      const struct socket_way *way)
{
	const char *name = way->name ? way->name : "";
	size_t len = strlen(name) + 1;
	struct dest *dest = malloc(sizeof(*dest) + len);

	if (!dest)
		return NULL;
	*dest = (struct dest){.addr = *addr};
	lfp_list_init(&dest->place);
	(void)rules_addr((const struct sockaddr *)to, true, &dest->target.addr, &dest->target.port);
	dest->upstream = upstream_take(way->upstream);
	memcpy(dest->name, name, len);
	dest->target.name = len > 1 ? dest->name : NULL;
	return dest;
}

static bool is_same_addr(const struct lfp_addr *a, const struct lfp_addr *b)
{
	return a->family == b->family && a->port == b->port && a->scope == b->scope &&
	       !memcmp(a->ip, b->ip, sizeof(a->ip));
}

/* Returns the destination, the newest one from now on; NULL without memory. */
static struct dest *note_dest(struct datagram_via *via, const struct lfp_addr *addr,
			      const struct sockaddr_storage *to, const struct socket_way *way)
{
	struct dest *dest, *found = NULL;

	lfp_list_each(dest, &via->dests, place) {
		if (is_same_addr(&dest->addr, addr) &&
		    upstream_same(dest->upstream, way->upstream) &&
		    !strcmp(dest->name, way->name ? way->name : ""))
			found = dest;
	}
	if (found) {
		lfp_list_del(&found->place);
		via->nr_dests--;
		/* A reload may have made another one of this name. */
		(void)upstream_take(way->upstream);
		upstream_drop(found->upstream);
		found->upstream = way->upstream;
	} else {
		found = make_dest(addr, to, way);
	}
	if (!found)
		return NULL;
	lfp_list_append(&via->dests, &found->place);
	if (++via->nr_dests > DESTS_MAX) {
		free_dest(lfp_list_first_entry(&via->dests, struct dest, place));
		via->nr_dests--;
	}
	return found;
}

static void set_peer(struct socket *sock, struct dest *peer)
{
	struct datagrams *dg = sock->dgram;

	free_dest(dg->via->peer);
	dg->via->peer = peer;
	if (peer)
		dg->behind = peer->addr;
	else
		dg->behind.family = LFP_AF_UNSPEC;
	dg->behind_upstream = peer ? peer->upstream : NULL;
}

/* The kernel has to choose a local address, and to receive nothing. */
static void connect_to_proxy(struct socket *sock, const struct upstream *upstream)
{
	struct sockaddr_storage proxy;
	socklen_t len = via_host_addr(upstream, sock->family, &proxy);

	if (len && !socket_bind_implicitly(sock, &proxy) &&
	    !connect(sock->fd, (struct sockaddr *)&proxy, len))
		return;
	(void)lfp_interface_disconnect(sock->fd, sock->policy.interface);
}

int datagram_via_restore(struct socket *sock, const struct sockaddr_storage *peer,
			 const struct socket_way *way)
{
	struct datagram_via *via = via_of(sock->dgram);
	struct lfp_addr addr;
	struct dest *dest;
	int rc = lfp_addr_from(&addr, (const struct sockaddr *)peer, sizeof(*peer));

	if (rc)
		return rc;
	dest = via ? make_dest(&addr, peer, way) : NULL;
	if (!dest)
		return -ENOMEM;
	set_peer(sock, dest);
	return 0;
}

int datagram_via_connect(struct socket *sock, const struct sockaddr_storage *peer,
			 const struct socket_way *way)
{
	bool was_behind = sock->dgram->behind.family;
	int rc = datagram_via_restore(sock, peer, way);

	if (rc)
		return rc;
	if (was_behind)
		datagram_via_leave_proxy(sock);
	connect_to_proxy(sock, way->upstream);
	return 0;
}

void datagram_via_leave_proxy(struct socket *sock)
{
	if (sock->dgram->behind.family)
		(void)lfp_interface_disconnect(sock->fd, sock->policy.interface);
}

void datagram_via_disconnect(struct socket *sock)
{
	if (sock->dgram->via)
		set_peer(sock, NULL);
}

static struct relay *first_relay(const struct datagram_via *via)
{
	struct lfp_list *first = lfp_list_first(&via->relays);

	return first ? relay_at(first) : NULL;
}

static struct relay *next_relay(const struct datagram_via *via, struct relay *relay)
{
	struct lfp_list *next = lfp_list_next(&via->relays, relay_place(relay));

	return next ? relay_at(next) : NULL;
}

static void on_writable(struct socket *sock, struct relay *relay)
{
	(void)relay;
	sock->dgram->held = false;
	sock->instance->sock_ops->on_event(sock, UV_WRITABLE, false);
}

static void on_change(struct socket *sock, struct relay *relay)
{
	struct datagram_via *via = sock->dgram->via;

	/* A datagram without an address that waits tells the error itself. */
	if (relay_state(relay) == RELAY_FAILED && !(sock->dgram->held && via->peer))
		via->error = relay_error(relay);
	on_writable(sock, relay);
	if (sock->is_datagram && via->error)
		sock->instance->sock_ops->on_event(sock, UV_READABLE, false);
}

static void on_readable(struct socket *sock, struct relay *relay)
{
	/* datagram_via_receive() watches again when the socket may go on. */
	if (sock->from_host != FROM_READS || !sock->session || session_rests(sock->session) ||
	    metered_waits(sock, METER_IN))
		relay_watch(relay, false);
	else
		sock->instance->sock_ops->on_event(sock, UV_READABLE, false);
}

static const struct relay_owner owner = {
	.on_change = on_change,
	.on_readable = on_readable,
	.on_writable = on_writable,
};

/* Returns whether the peer or a destination still has this upstream, as it is. */
static bool is_used(const struct datagram_via *via, const struct upstream *upstream)
{
	const struct dest *dest;

	if (via->peer && upstream_equal(via->peer->upstream, upstream))
		return true;
	lfp_list_each(dest, &via->dests, place) {
		if (upstream_equal(dest->upstream, upstream))
			return true;
	}
	return false;
}

/* Returns the association with this upstream, a new one if need be; NULL without memory. */
static struct relay *find_relay(struct socket *sock, struct upstream *upstream)
{
	struct datagram_via *via = sock->dgram->via;
	struct relay *relay = first_relay(via), *next;

	for (; relay; relay = next) {
		const struct upstream *its = relay_upstream(relay);

		next = next_relay(via, relay);
		if (!upstream_same(its, upstream))
			continue;
		if (upstream_equal(its, upstream) && !relay_is_old(relay))
			return relay;
		/* It has failed, or a reload has changed the upstream for all that used it. */
		if (upstream_equal(its, upstream) || !is_used(via, its))
			relay_end(relay);
	}
	relay = relay_begin(sock, upstream, &owner);
	if (relay)
		lfp_list_append(&via->relays, relay_place(relay));
	return relay;
}

static bool is_group(const struct in6_addr *addr)
{
	uint32_t v4;

	if (!IN6_IS_ADDR_V4MAPPED(addr))
		return IN6_IS_ADDR_MULTICAST(addr);
	memcpy(&v4, addr->s6_addr + 12, sizeof(v4));
	return IN_MULTICAST(ntohl(v4)) || v4 == htonl(INADDR_BROADCAST);
}

int datagram_via_send(struct socket *sock, const struct lfp_addr *to,
		      const struct sockaddr_storage *addr, const struct socket_way *way,
		      const struct lfp_meta *meta, const uint8_t *data, size_t len)
{
	struct datagram_via *via = via_of(sock->dgram);
	uint8_t head[PROXY_HEAD_MAX];
	struct relay *relay;
	struct dest *dest;
	int rc;

	if (!via)
		return -ENOBUFS;
	dest = to->family ? note_dest(via, to, addr, way) : via->peer;
	if (!dest)
		return -ENOBUFS;
	if (is_group(&dest->target.addr))
		return -ENETUNREACH;
	if (!datagram_is_whole(sock, meta))
		return -EIO;
	sock->dgram->held = true;
	if (sock->instance->rests)
		return VIA_WAITS;
	relay = find_relay(sock, dest->upstream);
	if (relay && relay_state(relay) == RELAY_BEGINS)
		return VIA_WAITS;
	rc = !relay ? -ENOBUFS
	     : relay_state(relay) == RELAY_FAILED
		     ? -relay_error(relay)
		     : relay_send(relay, head, proxy_datagram_head(&dest->target, head), data, len);
	if (rc == -EAGAIN)
		return VIA_WAITS;
	sock->dgram->held = false;
	return rc;
}

static bool is_of(const struct dest *dest, const struct proxy_addr *from)
{
	if (dest->target.port != from->port)
		return false;
	if (!from->is_name)
		return IN6_ARE_ADDR_EQUAL(&dest->target.addr, &from->addr);
	return dest->target.name && strlen(dest->name) == from->name_len &&
	       !strncasecmp(dest->name, (const char *)from->name, from->name_len);
}

/* Returns the destination that has answered, the newest one of a name, or NULL. */
static const struct dest *find_sender(const struct datagram_via *via, const struct relay *relay,
				      const struct proxy_addr *from)
{
	const struct upstream *upstream = relay_upstream(relay);
	const struct dest *dest, *exact = NULL, *named = NULL;
	bool is_clear = true;

	if (via->peer)
		return upstream_same(via->peer->upstream, upstream) &&
				       (is_of(via->peer, from) ||
					(via->peer->target.name &&
					 via->peer->target.port == from->port))
			       ? via->peer
			       : NULL;
	lfp_list_each(dest, &via->dests, place) {
		if (!upstream_same(dest->upstream, upstream))
			continue;
		if (is_of(dest, from))
			exact = dest;
		if (!dest->target.name || dest->target.port != from->port || from->is_name)
			continue;
		is_clear = is_clear && (!named || !strcasecmp(named->name, dest->name));
		named = dest;
	}
	if (exact)
		return exact;
	return is_clear ? named : NULL;
}

/* Strips the head, and names the sender. What is thrown away counts, too. */
static ssize_t take(struct socket *sock, const struct relay *relay, uint8_t *buf, size_t len,
		    struct lfp_meta *meta)
{
	const struct datagram_via *via = sock->dgram->via;
	struct proxy_addr from;
	ssize_t head = proxy_datagram_read(buf, len, &from);
	const struct dest *sender = head > 0 ? find_sender(via, relay, &from) : NULL;

	if (!sender) {
		metered_pass(sock, METER_IN, len + DATAGRAM_HEADS);
		return -EBADMSG;
	}
	memset(meta, 0, sizeof(*meta));
	meta->addr = sender->addr;
	memmove(buf, buf + head, len - (size_t)head);
	return (ssize_t)len - head;
}

ssize_t datagram_via_receive(struct socket *sock, uint8_t *buf, size_t size, struct lfp_meta *meta)
{
	struct datagram_via *via = sock->dgram->via;
	int error;

	if (!via)
		return -EAGAIN;
	error = via->error;
	via->error = 0;
	if (error)
		return -error;
	for (struct relay *relay = first_relay(via); relay; relay = next_relay(via, relay)) {
		ssize_t n;

		if (relay_state(relay) != RELAY_READY)
			continue;
		n = relay_receive(relay, buf, size);
		if (n >= 0) {
			/* The others come first then. */
			lfp_list_del(relay_place(relay));
			lfp_list_append(&via->relays, relay_place(relay));
			return take(sock, relay, buf, (size_t)n, meta);
		}
		relay_watch(relay, true);
		if (n != -EAGAIN)
			return n;
	}
	return -EAGAIN;
}

void datagram_via_watch(struct socket *sock)
{
	struct datagram_via *via = sock->dgram->via;

	for (struct relay *relay = via ? first_relay(via) : NULL; relay;
	     relay = next_relay(via, relay))
		relay_watch(relay, true);
}

void datagram_via_rest(struct socket *sock)
{
	struct datagram_via *via = sock->dgram->via;
	struct relay *relay;

	while (via && (relay = first_relay(via)))
		relay_end(relay);
}

void datagram_via_finish(struct socket *sock)
{
	struct datagram_via *via = sock->dgram->via;
	struct dest *dest;

	if (!via)
		return;
	datagram_via_rest(sock);
	set_peer(sock, NULL);
	while ((dest = lfp_list_first_entry(&via->dests, struct dest, place)))
		free_dest(dest);
	free(via);
	sock->dgram->via = NULL;
}
