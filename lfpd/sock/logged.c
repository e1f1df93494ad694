/* SPDX-License-Identifier: Apache-2.0 */
/* logged.c - what the log of connections says about sockets */
#include "lfpd/sock/logged.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/addr.h"
#include "lfpd/names/ruling.h"
#include "lfpd/policy/upstream.h"
#include "lfpd/sock/datagram-kept.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/metered.h"
#include "lfpd/users/share.h"
#include "lfpd/users/task.h"

struct logged {
	struct log_who who;
	struct lfp_addr peer, local;
	struct attempt {
		bool under_way;
		struct lfp_addr to;
		struct decision decision;
	} attempt;      /* connect() */
	uint64_t began; /* us, uv_hrtime() */
	bool datagram;
	enum log_direction direction;
	bool open;        /* LOG_END is to come */
	uint64_t out, in; /* positions where a connection began; bytes of a datagram socket */
	char name[LOG_NAME_MAX];
	char upstream[UPSTREAM_NAME_MAX]; /* of a datagram socket */
};

static uint64_t now(void)
{
	return uv_hrtime() / 1000;
}

static void find_who(const struct socket *sock, struct log_who *who)
{
	task_who(socket_owner(sock), sock->share->base.uid, who);
	/* The rules look at the socket's maker, whatever its process executes now. */
	task_who_subject(sock->who, who);
}

/* Returns the facts of the socket, new ones if it has none; NULL without a log or memory. */
static struct logged *facts_of(struct socket *sock)
{
	if (!log_is_on(sock->instance))
		return NULL;
	if (!sock->logged) {
		sock->logged = calloc(1, sizeof(*sock->logged));
		if (sock->logged) {
			find_who(sock, &sock->logged->who);
			sock->logged->datagram = sock->is_datagram;
			sock->logged->began = now();
		}
	}
	return sock->logged;
}

static void forget(struct socket *sock)
{
	free(sock->logged);
	sock->logged = NULL;
}

static void find_name(struct socket *sock, const struct lfp_addr *peer, char *name)
{
	struct sockaddr_storage addr;

	(void)lfp_addr_to(peer, &addr);
	ruling_name_of(sock->instance, (const struct sockaddr *)&addr, name);
}

static void set_peer(struct socket *sock, struct logged *facts, const struct lfp_addr *peer)
{
	facts->peer = *peer;
	find_name(sock, peer, facts->name);
}

static void set_local(const struct socket *sock, struct lfp_addr *local)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	if (getsockname(sock->fd, (struct sockaddr *)&addr, &len) ||
	    lfp_addr_from(local, (struct sockaddr *)&addr, len))
		local->family = LFP_AF_UNSPEC;
}

/* datagram_finish() makes a socket that ends one of no kind. */
static bool is_datagram(const struct socket *sock)
{
	return sock->is_datagram || (sock->logged && sock->logged->datagram);
}

static void put_upstream(const struct socket *sock, struct log_record *record)
{
	if (is_datagram(sock))
		strcpy(record->upstream, sock->logged ? sock->logged->upstream : "");
	else if (sock->stream.upstream)
		strcpy(record->upstream, sock->stream.upstream->name);
}

static struct log_record *begin(struct socket *sock, enum log_event event,
				const struct log_who *who)
{
	struct log_record *record = log_begin(sock->instance, event, who);

	if (record)
		record->protocol = is_datagram(sock) ? LOG_UDP : LOG_TCP;
	return record;
}

void logged_attempt(struct socket *sock, const struct lfp_addr *to)
{
	struct logged *facts = facts_of(sock);

	if (!facts)
		return;
	if (!facts->open)
		facts->began = now();
	facts->attempt = (struct attempt){
		.under_way = true, .to = *to, .decision = sock->instance->decision};
}

static void put_connect(struct socket *sock, const struct logged *facts, int error)
{
	struct log_record *record = begin(sock, LOG_CONNECT, &facts->who);

	if (!record)
		return;
	record->result = error;
	record->direction = LOG_OUTGOING;
	record->decision = facts->attempt.decision;
	put_upstream(sock, record);
	record->peer = facts->attempt.to;
	record->local = facts->local;
	find_name(sock, &record->peer, record->name);
	record->has_duration = !sock->is_datagram;
	record->duration = now() - facts->began;
	log_end(sock->instance);
}

void logged_connect(struct socket *sock, int error)
{
	struct logged *facts = sock->logged;

	if (!facts)
		return;
	if (!error)
		set_local(sock, &facts->local);
	if (sock->is_datagram)
		strcpy(facts->upstream, sock->dgram->upstream);
	put_connect(sock, facts, error);
	facts->attempt.under_way = false;
	if (error && !sock->is_datagram)
		forget(sock);
	/* A datagram socket keeps the peer that it had. */
	if (error)
		return;
	set_peer(sock, facts, &facts->attempt.to);
	facts->direction = LOG_OUTGOING;
	facts->open = true;
	if (sock->is_datagram)
		return;
	facts->began = now();
	facts->out = sock->in.received;
	facts->in = sock->out.sent;
}

/* A call about the local address. */
static void put_local(struct socket *sock, enum log_event event, const struct lfp_addr *asked,
		      int error)
{
	struct log_record *record;
	struct log_who who;

	if (!log_is_on(sock->instance))
		return;
	find_who(sock, &who);
	record = begin(sock, event, &who);
	if (!record)
		return;
	record->result = error;
	record->decision = sock->instance->decision;
	if (error && asked)
		record->local = *asked;
	else
		set_local(sock, &record->local);
	log_end(sock->instance);
}

void logged_bind(struct socket *sock, const struct lfp_addr *asked, int error)
{
	struct logged *facts;

	put_local(sock, LOG_BIND, asked, error);
	facts = sock->is_datagram && !error ? facts_of(sock) : NULL;
	if (!facts)
		return;
	facts->open = true;
	set_local(sock, &facts->local);
}

void logged_listen(struct socket *sock, int error)
{
	put_local(sock, LOG_LISTEN, NULL, error);
}

void logged_accept(struct socket *sock, const struct lfp_addr *peer, const struct lfp_addr *local)
{
	struct logged *facts = facts_of(sock);
	struct log_record *record;

	if (!facts)
		return;
	set_peer(sock, facts, peer);
	facts->local = *local;
	facts->open = true;
	facts->direction = LOG_INCOMING;
	record = begin(sock, LOG_ACCEPT, &facts->who);
	if (!record)
		return;
	record->direction = LOG_INCOMING;
	record->peer = *peer;
	record->local = *local;
	strcpy(record->name, facts->name);
	log_end(sock->instance);
}

static bool is_same(const struct lfp_addr *a, const struct lfp_addr *b)
{
	return a->family == b->family && a->port == b->port && !memcmp(a->ip, b->ip, sizeof(a->ip));
}

void logged_send(struct socket *sock, const struct lfp_addr *to, int error)
{
	struct logged *facts = facts_of(sock);
	struct log_record *record;

	if (!facts || (!error && facts->open && is_same(&facts->peer, to)))
		return;
	strcpy(facts->upstream, sock->dgram->upstream);
	/* After an error the next good one to this address is the first. */
	if (!error) {
		set_peer(sock, facts, to);
		facts->open = true;
		facts->direction = LOG_OUTGOING;
		if (facts->local.family == LFP_AF_UNSPEC)
			set_local(sock, &facts->local);
	}
	record = begin(sock, LOG_SEND, &facts->who);
	if (!record)
		return;
	record->direction = LOG_OUTGOING;
	record->result = error;
	record->decision = sock->instance->decision;
	put_upstream(sock, record);
	record->peer = *to;
	record->local = facts->local;
	find_name(sock, to, record->name);
	log_end(sock->instance);
}

void logged_query(struct socket *sock, const char *name, int rc)
{
	struct log_record *record;
	struct log_who who;

	if (!log_is_on(sock->instance))
		return;
	find_who(sock, &who);
	record = begin(sock, LOG_LOOKUP, &who);
	if (!record)
		return;
	snprintf(record->name, sizeof(record->name), "%s", name);
	record->numbers = rc == -ENOENT ? LOG_EAI : LOG_ERRNO;
	record->result = rc == -ENOENT ? EAI_NONAME : -rc;
	record->decision = sock->instance->decision;
	log_end(sock->instance);
}

void logged_count(struct socket *sock, size_t out, size_t in)
{
	if (!sock->logged)
		return;
	sock->logged->out += out;
	sock->logged->in += in;
}

/* Returns why connect() was given up at the end of the socket, a positive errno. */
static int end_of_attempt(const struct socket *sock, int error)
{
	int found = 0;
	socklen_t len = sizeof(found);

	/* It may have failed a moment ago. */
	if (!getsockopt(sock->fd, SOL_SOCKET, SO_ERROR, &found, &len) && found)
		return found;
	return error ? error : ECONNABORTED;
}

void logged_taken(struct socket *sock)
{
	if (sock->logged)
		find_who(sock, &sock->logged->who);
}

void logged_end(struct socket *sock, int error)
{
	struct logged *facts = sock->logged;
	struct log_record *record;

	if (!facts)
		return;
	/* After ERESTART another lfpd sees the end of the attempt. */
	if (facts->attempt.under_way && error != ERESTART)
		put_connect(sock, facts, end_of_attempt(sock, error));
	record = facts->open ? begin(sock, LOG_END, &facts->who) : NULL;
	if (record) {
		record->result = error;
		record->direction = facts->direction;
		put_upstream(sock, record);
		record->peer = facts->peer;
		record->local = facts->local;
		strcpy(record->name, facts->name);
		record->has_bytes = record->has_duration = true;
		record->bytes_out = facts->out;
		record->bytes_in = facts->in;
		if (record->protocol == LOG_TCP) {
			record->bytes_out = sock->in.received - facts->out;
			record->bytes_in = sock->out.sent - facts->in;
			record->joined = sock->stream.joined.was;
		}
		record->duration = now() - facts->began;
		record->has_slowed = metered_has_rate(sock);
		record->slowed = metered_slowed(sock) * 1000;
		log_end(sock->instance);
	}
	forget(sock);
}

void logged_resume(struct socket *sock)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	struct lfp_addr peer = {.family = LFP_AF_UNSPEC};
	bool connects = sock->state == SOCKET_CONNECTING;
	struct logged *facts;

	if (!sock->is_datagram && !connects && sock->state != SOCKET_ESTABLISHED &&
	    sock->state != SOCKET_ORPHAN)
		return;
	facts = facts_of(sock);
	if (!facts)
		return;
	if (connects) {
		facts->attempt.under_way = true;
		(void)lfp_addr_from(&facts->attempt.to, (struct sockaddr *)&sock->stream.peer,
				    sock->stream.peer_len);
		return;
	}
	if (!socket_peername(sock, (struct sockaddr *)&addr, &len))
		(void)lfp_addr_from(&peer, (struct sockaddr *)&addr, len);
	set_peer(sock, facts, &peer);
	set_local(sock, &facts->local);
	facts->open = true;
	if (sock->is_datagram) {
		facts->direction = peer.family ? LOG_OUTGOING : LOG_NO_DIRECTION;
		strcpy(facts->upstream, socket_upstream_name(sock));
		return;
	}
	/* lfpd chooses the ids of the connections that it has accepted. */
	facts->direction = sock->node.key & LFP_ID_LFPD ? LOG_INCOMING : LOG_OUTGOING;
	facts->out = sock->in.received;
	facts->in = sock->out.sent;
}
