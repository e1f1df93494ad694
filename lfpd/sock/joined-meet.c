/* SPDX-License-Identifier: Apache-2.0 */
/* joined-meet.c - finds the two ends of a connection among the sockets of this lfpd */
#include "lfpd/sock/joined.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#include "lfpd/saved/saved-records.h"
#include "lfpd/state/session.h"

/*
 * Theory of operation
 *
 * Sockets that may have their other end here are in instance->unjoined, by a hash of their two
 * names, which both ends have alike. Whichever end is made known last finds the other: its names
 * are the same, the other way round.
 *
 * Such names prove that the two are the ends of one connection. The kernel has at most one socket
 * with given names that is not closed (net/ipv4/inet_hashtables.c, __inet_check_established()), and
 * both are in the same network namespace: lfpd's. That holds for each interface separately. So
 * sockets that are bound to one do not join, nor those with link-local addresses. The kernel itself
 * binds an accepted socket to its VRF (include/net/inet_sock.h, inet_request_bound_dev_if()).
 * getpeername() fails for a socket that is closed already (net/ipv4/af_inet.c, inet_getname()), and
 * TCP_INFO tells of one that ends.
 */

struct name {
	struct in6_addr ip; /* IPv4 mapped */
	in_port_t port;
};

/* Returns false if connections of this address do not join. */
static bool name_from(struct name *name, const struct sockaddr_storage *addr)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)addr;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)addr;

	memset(name, 0, sizeof(*name));
	if (addr->ss_family == AF_INET) {
		memset(name->ip.s6_addr + 10, 0xff, 2);
		memcpy(name->ip.s6_addr + 12, &v4->sin_addr, 4);
		name->port = v4->sin_port;
		return true;
	}
	name->ip = v6->sin6_addr;
	name->port = v6->sin6_port;
	return addr->ss_family == AF_INET6 && !IN6_IS_ADDR_LINKLOCAL(&name->ip);
}

static bool is_same(const struct name *a, const struct name *b)
{
	return a->port == b->port && IN6_ARE_ADDR_EQUAL(&a->ip, &b->ip);
}

struct names {
	struct name local, peer;
};

static bool names_of(const struct socket *sock, struct names *names)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	if (getsockname(sock->fd, (struct sockaddr *)&addr, &len) ||
	    !name_from(&names->local, &addr))
		return false;
	len = sizeof(addr);
	return !getpeername(sock->fd, (struct sockaddr *)&addr, &len) &&
	       name_from(&names->peer, &addr);
}

/* A secret keeps others, who choose ports, from making long chains in the table. */
static uint64_t hash(const struct name *name)
{
	static uint64_t seed;
	uint64_t h;

	if (!seed && getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = 0xcbf29ce484222325u ^ (uintptr_t)&seed;
	h = (seed ^ name->port) * 0x9e3779b97f4a7c15u;
	for (size_t i = 0; i < sizeof(name->ip.s6_addr); i++)
		h = (h ^ (h >> 29) ^ name->ip.s6_addr[i]) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 32);
}

/* Returns the value of an option, or @otherwise. */
static uint64_t asked(const struct socket *sock, int level, int name, uint64_t otherwise)
{
	uint64_t value = 0;
	uint32_t half;
	socklen_t len = sizeof(value);

	if (getsockopt(sock->fd, level, name, &value, &len))
		return otherwise;
	memcpy(&half, &value, sizeof(half));
	return len == sizeof(half) ? half : value;
}

static bool is_established(const struct socket *sock)
{
	uint8_t state; /* the first field of struct tcp_info */
	socklen_t len = sizeof(state);

	return !getsockopt(sock->fd, IPPROTO_TCP, TCP_INFO, &state, &len) &&
	       state == TCP_ESTABLISHED;
}

/* Returns true if the kernel has at most this socket with its names. */
static bool is_sole(const struct socket *sock)
{
	return is_established(sock) && !asked(sock, SOL_SOCKET, SO_BINDTOIFINDEX, 1);
}

static bool may_join(const struct socket *sock)
{
	return sock->state == SOCKET_ESTABLISHED && !sock->stream.broken;
}

/* Returns the socket with these names the other way round, or NULL. */
static struct socket *find(const struct instance *inst, const struct names *names, uint64_t key)
{
	struct lfp_table_link *link = lfp_table_find(&inst->unjoined, key);

	for (; link; link = lfp_table_find_more(link)) {
		struct socket *other = lfp_table_entry(link, struct socket, stream.joined.by_names);
		struct names others;

		if (may_join(other) && names_of(other, &others) &&
		    is_same(&names->local, &others.peer) && is_same(&names->peer, &others.local))
			return other;
	}
	return NULL;
}

static void meet(struct socket *sock, const struct names *names)
{
	struct instance *inst = sock->instance;
	struct joined *joined = &sock->stream.joined;
	uint64_t key = hash(&names->local) ^ hash(&names->peer);
	struct socket *other = find(inst, names, key);

	if (!other) {
		lfp_table_add(&inst->unjoined, &joined->by_names, key);
		joined->listed = true;
		return;
	}
	if (!is_sole(sock) || !is_sole(other))
		return;
	joined_part(other); /* out of the table */
	joined->other = other;
	other->stream.joined.other = sock;
	joined->was = other->stream.joined.was = true;
	inst->counters.joins++;
}

static bool never(const struct socket *sock)
{
	return !sock->instance->config.joined_sockets || sock->stream.joined.never ||
	       sock->stream.upstream || sock->stream.answers || *sock->policy.interface ||
	       sock->stream.joined.listed || sock->stream.joined.other;
}

void joined_connected(struct socket *sock)
{
	struct names names;

	if (sock->instance->nr_listening && !never(sock) && may_join(sock) &&
	    names_of(sock, &names))
		meet(sock, &names);
}

void joined_accepted(struct socket *sock, const struct sockaddr_storage *local,
		     const struct sockaddr_storage *peer)
{
	struct names names;

	if (!never(sock) && name_from(&names.local, local) && name_from(&names.peer, peer))
		meet(sock, &names);
}

void joined_reload(struct instance *inst)
{
	const struct lfp_table *sockets = inst->session ? &inst->session->sockets : NULL;
	struct lfp_table_link *link = NULL;
	struct socket *orphan;

	if (inst->config.joined_sockets)
		return;
	while (sockets && (link = lfp_table_next(sockets, link)))
		joined_part(socket_of(link));
	lfp_list_each(orphan, &inst->orphans, stream.entry)
		joined_part(orphan);
}

/* Options that act on each segment, or choose the interface. */
static bool needs_tcp(int level, int name)
{
	if (level == SOL_SOCKET)
		return name == SO_MAX_PACING_RATE || name == SO_BINDTODEVICE ||
		       name == SO_BINDTOIFINDEX;
	return level == IPPROTO_TCP &&
	       (name == TCP_CORK || name == TCP_MD5SIG || name == TCP_MD5SIG_EXT);
}

void joined_note_option(struct socket *sock, int level, int name)
{
	if (sock->is_datagram || !needs_tcp(level, name))
		return;
	sock->stream.joined.never = true;
	joined_part(sock);
}

void joined_restored(struct socket *sock, const struct saved_socket *saved)
{
	uint64_t rate = asked(sock, SOL_SOCKET, SO_MAX_PACING_RATE, 0);

	sock->stream.joined.never = asked(sock, IPPROTO_TCP, TCP_CORK, 1) ||
				    asked(sock, SOL_SOCKET, SO_BINDTOIFINDEX, 1) ||
				    (rate != UINT64_MAX && rate != UINT32_MAX);
	sock->stream.joined.was = saved->flags & SAVED_JOINED;
	sock->stream.joined.out = saved->joined_out;
	sock->stream.joined.in = saved->joined_in;
}

void joined_inherit(struct socket *sock, const struct socket *listener)
{
	sock->stream.joined.never = listener->stream.joined.never;
}
