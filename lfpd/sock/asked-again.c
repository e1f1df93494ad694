/* SPDX-License-Identifier: Apache-2.0 */
/* asked-again.c - what the present rules say about something that goes on already */
#include "lfpd/sock/asked-again.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "lfpd/names/ruling.h"
#include "lfpd/policy/upstream.h"
#include "lfpd/sock/datagram-kept.h"
#include "lfpd/sock/gate.h"

/* Returns whether the socket does something that rules decide about, and sets what and where. */
static bool describe(const struct socket *sock, enum rules_act *act, struct sockaddr_storage *addr)
{
	socklen_t len = sizeof(*addr);
	bool accepted = !sock->is_datagram && sock->stream.accepted;

	if (sock->state == SOCKET_CONNECTING) {
		*act = RULES_CONNECT;
		*addr = sock->stream.peer;
		return true;
	}
	if (sock->state == SOCKET_LISTENING || accepted) {
		*act = RULES_LISTEN;
		return !getsockname(sock->fd, (struct sockaddr *)addr, &len);
	}
	*act = RULES_CONNECT;
	return !socket_peername(sock, (struct sockaddr *)addr, &len);
}

/* Asks about an accepted connection, as its listener may have a wildcard address that the rules
 * allow. */
static bool may_be_of_wildcard(struct socket *sock, struct rules_question *question,
			       const struct sockaddr_storage *addr)
{
	struct sockaddr_storage any = {.ss_family = addr->ss_family};
	struct sockaddr_in6 *any6 = (struct sockaddr_in6 *)&any;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;

	if (!question->by_default)
		return false;
	if (addr->ss_family == AF_INET) {
		((struct sockaddr_in *)&any)->sin_port =
			((const struct sockaddr_in *)addr)->sin_port;
		if (ruling_permits(sock->instance, question, &any))
			return true;
		any6->sin6_family = AF_INET6;
		any6->sin6_port = ((const struct sockaddr_in *)addr)->sin_port;
		return ruling_permits(sock->instance, question, &any);
	}
	any6->sin6_port = in6->sin6_port;
	return ruling_permits(sock->instance, question, &any);
}

/* Returns whether the rules lead a connection another way than it goes. */
static bool goes_elsewhere(const struct socket *sock, const struct rules_question *question)
{
	return question->act == RULES_CONNECT &&
	       !upstream_same(sock->is_datagram ? sock->dgram->behind_upstream
						: sock->stream.upstream,
			      question->upstream);
}

bool asked_again(struct socket *sock, struct rules_question *question, bool *allowed)
{
	struct sockaddr_storage addr;

	*question = (struct rules_question){
		.protocol = sock->is_datagram ? RULES_UDP : RULES_TCP,
	};
	if (sock->state == SOCKET_NEW || sock->state == SOCKET_LOST || sock->state == SOCKET_DEAD ||
	    !sock->share || !describe(sock, &question->act, &addr))
		return false;
	question->uid = socket_uid(sock);
	question->who = sock->who;
	question->v6only = question->act == RULES_LISTEN && socket_is_v6only(sock);
	gate_ask_again(sock, question);
	*allowed =
		ruling_permits(sock->instance, question, &addr) && !goes_elsewhere(sock, question);
	if (!*allowed && !sock->is_datagram && sock->stream.accepted)
		*allowed = may_be_of_wildcard(sock, question, &addr);
	return true;
}
