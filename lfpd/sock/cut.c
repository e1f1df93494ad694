/* SPDX-License-Identifier: Apache-2.0 */
/* cut.c - ends what the present rules of POLICY_FILE forbid */
#include "lfpd/sock/cut.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "lfpd/names/ruling.h"
#include "lfpd/policy/upstream.h"
#include "lfpd/sock/gate.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/life.h"
#include "lfpd/state/session.h"
#include "lfpd/users/share.h"

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

static void end(struct socket *sock)
{
	const struct sockaddr unspec = {.sa_family = AF_UNSPEC};

	switch (sock->state) {
	case SOCKET_CONNECTING:
		connect_give_up(sock, SHUT_RDWR);
		break;
	case SOCKET_ESTABLISHED:
		socket_lose(sock, ECONNRESET);
		/* The peer gets a reset, too (net/ipv4/tcp.c, tcp_disconnect()). */
		(void)connect(sock->fd, &unspec, sizeof(unspec));
		break;
	case SOCKET_ORPHAN:
		socket_lose(sock, ECONNRESET);
		break;
	default:
		socket_kill(sock);
		break;
	}
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
	return !sock->is_datagram && question->act == RULES_CONNECT &&
	       !upstream_same(sock->stream.upstream, question->upstream);
}

static bool cut(struct socket *sock)
{
	struct rules_question question = {
		.protocol = sock->is_datagram ? RULES_UDP : RULES_TCP,
	};
	struct sockaddr_storage addr;

	if (sock->state == SOCKET_NEW || sock->state == SOCKET_LOST || sock->state == SOCKET_DEAD ||
	    !sock->share || !describe(sock, &question.act, &addr))
		return false;
	question.uid = socket_uid(sock);
	question.who = sock->who;
	question.v6only = question.act == RULES_LISTEN && socket_is_v6only(sock);
	gate_ask_again(sock, &question);
	if (ruling_permits(sock->instance, &question, &addr) && !goes_elsewhere(sock, &question)) {
		/* The client has not named its server yet. */
		if (sock->state == SOCKET_CONNECTING && question.naming)
			sock->stream.gated = question.naming;
		return false;
	}
	if (!sock->is_datagram && sock->stream.accepted &&
	    may_be_of_wildcard(sock, &question, &addr))
		return false;
	end(sock);
	return true;
}

unsigned int cut_forbidden(struct instance *inst)
{
	const struct lfp_table *sockets = inst->session ? &inst->session->sockets : NULL;
	struct lfp_table_link *link = NULL;
	struct socket *orphan, *next;
	unsigned int nr = 0;

	/* Frames of a session that rests would come too late, or too early. */
	if (!inst->rules || (inst->session && session_rests(inst->session)))
		return 0;
	while (sockets && (link = lfp_table_next(sockets, link)))
		nr += cut(socket_of(link));
	for (orphan = lfp_list_first_entry(&inst->orphans, struct socket, stream.entry); orphan;
	     orphan = next) {
		next = lfp_list_next_entry(&inst->orphans, orphan, stream.entry);
		nr += cut(orphan);
	}
	return nr;
}
