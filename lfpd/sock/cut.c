/* SPDX-License-Identifier: Apache-2.0 */
/* cut.c - ends what the present rules of POLICY_FILE forbid */
#include "lfpd/sock/cut.h"

#include <errno.h>
#include <sys/socket.h>

#include "lfpd/sock/asked-again.h"
#include "lfpd/sock/life.h"
#include "lfpd/state/session.h"

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

static bool cut(struct socket *sock)
{
	struct rules_question question;
	bool allowed;

	if (!asked_again(sock, &question, &allowed))
		return false;
	if (allowed) {
		/* The client has not named its server yet. */
		if (sock->state == SOCKET_CONNECTING && question.naming)
			sock->stream.gated = question.naming;
		return false;
	}
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
