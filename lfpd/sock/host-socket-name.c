/* SPDX-License-Identifier: Apache-2.0 */
/* host-socket-name.c - addresses of a socket: by BIND, or because of RESTRICT_TO_HOSTID */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "lfp/addr.h"
#include "lfpd/names/interfaces.h"
#include "lfpd/names/ruling.h"
#include "lfpd/policy/upstream.h"
#include "lfpd/sock/datagram-kept.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/logged.h"
#include "lfpd/sock/metered.h"
#include "lfpd/sock/published.h"
#include "lfpd/users/share.h"

bool socket_is_v6only(const struct socket *sock)
{
	int on = 0;
	socklen_t len = sizeof(on);

	return sock->family == AF_INET6 &&
	       !getsockopt(sock->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, &len) && on;
}

static struct policy_socket describe(const struct socket *sock)
{
	struct policy_socket to = {
		.family = sock->family,
		.v6only = sock->policy.restricted && socket_is_v6only(sock),
		.datagram = sock->is_datagram,
		.local = sock->local,
	};

	return to;
}

void socket_set_bound(struct socket *sock, enum policy_local local)
{
	sock->bound = true;
	sock->local = local;
}

/* The kernel takes a wildcard for the address that the socket is bound to, if any
 * (net/ipv4/route.c, ip_route_output_key_hash_rcu()). The rules take it for the loopback's. */
static void name_loopback(const struct socket *sock, struct sockaddr_storage *to)
{
	const struct in6_addr v4 = {.s6_addr = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1}};
	const struct in6_addr v4any = {.s6_addr = {[10] = 0xff, [11] = 0xff}};
	struct in6_addr *in6 = &((struct sockaddr_in6 *)to)->sin6_addr;
	struct in_addr *in = &((struct sockaddr_in *)to)->sin_addr;

	if (to->ss_family == AF_INET && in->s_addr == htonl(INADDR_ANY))
		in->s_addr = htonl(INADDR_LOOPBACK);
	else if (to->ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(in6))
		*in6 = sock->local == POLICY_INET ? v4 : in6addr_loopback;
	else if (to->ss_family == AF_INET6 && IN6_ARE_ADDR_EQUAL(in6, &v4any))
		*in6 = v4;
}

/* IPv6 takes the interface from such an address, whatever the socket is bound to
 * (net/ipv6/af_inet6.c, __inet6_bind(); net/ipv6/udp.c, udpv6_sendmsg()). */
static int check_scope(const struct socket *sock, const struct sockaddr_storage *addr)
{
	const struct sockaddr_in6 *to = (const struct sockaddr_in6 *)addr;
	const struct in6_addr *ip = &to->sin6_addr;

	if (!*sock->policy.interface || addr->ss_family != AF_INET6 || !to->sin6_scope_id ||
	    !(IN6_IS_ADDR_LINKLOCAL(ip) || IN6_IS_ADDR_MC_LINKLOCAL(ip) ||
	      IN6_IS_ADDR_MC_NODELOCAL(ip)))
		return 0;
	return interfaces_has(&sock->policy, to->sin6_scope_id) ? 0 : -EINVAL;
}

static struct rules_question question_of(const struct socket *sock, enum rules_act act)
{
	struct rules_question question = {
		.act = act,
		.protocol = sock->is_datagram ? RULES_UDP : RULES_TCP,
		.v6only = act == RULES_LISTEN && sock->instance->rules && socket_is_v6only(sock),
		.uid = socket_uid(sock),
		.who = sock->who,
	};

	return question;
}

/* Notes for the log that @by has refused a call, if @rc is an error. Returns @rc. */
static int refused_by(const struct socket *sock, enum decision_by by, int rc)
{
	if (rc)
		sock->instance->decision.refused_by = by;
	return rc;
}

/* The same for RESTRICT_TO_HOSTID, which the journal names, too. */
static int refused_by_hostid(const struct socket *sock, struct rules_question *question,
			     const struct sockaddr_storage *addr, int rc)
{
	if (rc)
		ruling_note_hostid(sock->instance, question, addr, policy_why(&sock->policy, addr));
	return refused_by(sock, DECISION_HOSTID, rc);
}

static int bind_socket(struct socket *sock, const struct lfp_addr *local)
{
	struct rules_question question = question_of(sock, RULES_LISTEN);
	struct policy_socket it = describe(sock);
	struct sockaddr_storage addr;
	socklen_t len = lfp_addr_to(local, &addr);
	int rc, published;

	sock->instance->decision = (struct decision){.refused_by = DECISION_NONE};
	published = rc = published_bind(sock, local, &addr);
	if (rc >= 0)
		rc = refused_by(sock, DECISION_INTERFACE, check_scope(sock, &addr));
	if (!rc)
		rc = refused_by_hostid(sock, &question, &addr,
				       policy_bind(&sock->policy, &it, &addr));
	if (!rc && local->port)
		rc = ruling_address(sock->instance, &question, &addr);
	if (rc)
		return rc;
	/* IPv4 takes AF_UNSPEC with the wildcard address (net/ipv4/af_inet.c, __inet_bind()); on
	 * IPv6 bind() returns the errno. */
	if (local->family == LFP_AF_UNSPEC)
		len = sock->family == AF_INET ? sizeof(struct sockaddr_in)
					      : sizeof(struct sockaddr_in6);
	if (bind(sock->fd, (struct sockaddr *)&addr, len))
		return -errno;
	socket_set_bound(sock, policy_local(&addr));
	if (published)
		published_note(sock, local);
	return 0;
}

void socket_set_upstream(struct socket *sock, struct upstream *upstream)
{
	if (upstream)
		(void)upstream_take(upstream);
	upstream_drop(sock->stream.upstream);
	sock->stream.upstream = upstream;
}

const char *socket_upstream_name(const struct socket *sock)
{
	if (!sock->is_datagram)
		return sock->stream.upstream ? sock->stream.upstream->name : "";
	return sock->dgram->behind_upstream ? sock->dgram->behind_upstream->name
					    : sock->dgram->upstream;
}

int socket_reach(struct socket *sock, struct sockaddr_storage *to, struct socket_way *way)
{
	struct rules_question question = question_of(sock, RULES_CONNECT);
	struct policy_socket it = describe(sock);
	int rc;

	sock->instance->decision = (struct decision){.refused_by = DECISION_NONE};
	rc = refused_by(sock, DECISION_INTERFACE, check_scope(sock, to));
	if (!rc)
		rc = refused_by_hostid(sock, &question, to, policy_reach(&sock->policy, &it, to));
	if (!rc && sock->instance->rules)
		name_loopback(sock, to);
	if (!rc)
		rc = ruling_address(sock->instance, &question, to);
	if (!rc)
		rc = metered_enter(sock, &question);
	if (!sock->is_datagram) {
		sock->stream.gated = question.naming;
		socket_set_upstream(sock, question.upstream);
	}
	*way = (struct socket_way){question.upstream, question.upstream_name};
	return rc;
}

int socket_may_listen(struct socket *sock)
{
	struct rules_question question = question_of(sock, RULES_LISTEN);
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	sock->instance->decision = (struct decision){.refused_by = DECISION_NONE};
	if (getsockname(sock->fd, (struct sockaddr *)&addr, &len))
		return -errno;
	return ruling_address(sock->instance, &question, &addr);
}

int socket_bind_implicitly(struct socket *sock, const struct sockaddr_storage *to)
{
	struct policy_socket it = describe(sock);
	struct sockaddr_storage addr;
	int late = to != NULL, len;

	if (sock->bound)
		return 0;
	len = policy_implicit(&sock->policy, &it, to, &addr);
	if (len < 0)
		(void)refused_by(sock, DECISION_HOSTID, len);
	if (len <= 0)
		return len;
	/* So that the port is chosen at connect(), where more of them can be had. */
	(void)setsockopt(sock->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &late, sizeof(late));
	if (bind(sock->fd, (struct sockaddr *)&addr, (socklen_t)len))
		return -errno;
	socket_set_bound(sock, policy_local(&addr));
	return 0;
}

int socket_handle_bind(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	int rc;

	(void)why;
	if (!sock->is_datagram)
		sock->stream.source.family = 0;
	rc = bind_socket(sock, &frame->bind.local);
	logged_bind(sock, &frame->bind.local, -rc);
	session_answer(sock->session, frame, -rc);
	return 0;
}

int socket_peername(const struct socket *sock, struct sockaddr *addr, socklen_t *len)
{
	struct sockaddr_storage behind;
	socklen_t behind_len;

	/* The kernel's peer is the proxy. */
	if (sock->is_datagram && sock->dgram->behind.family) {
		behind_len = lfp_addr_to(&sock->dgram->behind, &behind);
		memcpy(addr, &behind, *len < behind_len ? *len : behind_len);
		*len = behind_len;
		return 0;
	}
	if (!sock->is_datagram && sock->stream.via) {
		errno = ENOTCONN;
		return -1;
	}
	if (sock->is_datagram || !sock->stream.upstream ||
	    (sock->state != SOCKET_ESTABLISHED && sock->state != SOCKET_ORPHAN))
		return getpeername(sock->fd, addr, len);
	memcpy(addr, &sock->stream.peer,
	       *len < sock->stream.peer_len ? *len : sock->stream.peer_len);
	*len = sock->stream.peer_len;
	return 0;
}

static int sockname(const struct socket *sock, struct sockaddr *addr, socklen_t *len)
{
	return getsockname(sock->fd, addr, len);
}

typedef int (*name_function)(const struct socket *sock, struct sockaddr *addr, socklen_t *len);

static void answer_name(struct socket *sock, const struct lfp_frame *frame, name_function function)
{
	struct lfp_frame reply = session_reply(frame);
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int rc = function(sock, (struct sockaddr *)&addr, &len) ? -errno : 0;

	if (!rc)
		rc = lfp_addr_from(&reply.name.addr, (struct sockaddr *)&addr, len);
	if (!rc && function == sockname)
		published_show(sock, &reply.name.addr, published_is_connected(sock));
	reply.status = (uint16_t)-rc;
	session_send(sock->session, &reply);
}

int socket_handle_getsockname(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	(void)why;
	answer_name(sock, frame, sockname);
	return 0;
}

int socket_handle_getpeername(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	(void)why;
	answer_name(sock, frame, socket_peername);
	return 0;
}
