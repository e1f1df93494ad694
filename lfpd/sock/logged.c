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
#include "lfpd/sock/host-socket.h"
#include "lfpd/users/share.h"
#include "lfpd/users/task.h"

struct logged {
	struct log_who who;
	struct lfp_addr peer, local;
	struct decision decision; /* about the connect() that is under way */
	uint64_t began;           /* us, uv_hrtime() */
	bool datagram;
	enum log_direction direction;
	bool open;        /* LOG_END is to come */
	uint64_t out, in; /* positions where a connection began; bytes of a datagram socket */
	char name[LOG_NAME_MAX];
};

static uint64_t now(void)
{
	return uv_hrtime() / 1000;
}

static void find_who(const struct socket *sock, struct log_who *who)
{
	task_who(socket_owner(sock), sock->share->base.uid, who);
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

static void set_peer(struct socket *sock, struct logged *facts, const struct lfp_addr *peer)
{
	struct sockaddr_storage addr;

	facts->peer = *peer;
	(void)lfp_addr_to(peer, &addr);
	ruling_name_of(sock->instance, (const struct sockaddr *)&addr, facts->name);
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
	facts->direction = LOG_OUTGOING;
	facts->decision = sock->instance->decision;
	set_peer(sock, facts, to);
}

void logged_connect(struct socket *sock, int error)
{
	struct logged *facts = sock->logged;
	struct log_record *record;

	if (!facts)
		return;
	if (!error)
		set_local(sock, &facts->local);
	record = begin(sock, LOG_CONNECT, &facts->who);
	if (record) {
		record->result = error;
		record->direction = LOG_OUTGOING;
		record->decision = facts->decision;
		record->peer = facts->peer;
		record->local = facts->local;
		strcpy(record->name, facts->name);
		record->has_duration = !sock->is_datagram;
		record->duration = now() - facts->began;
		log_end(sock->instance);
	}
	if (sock->is_datagram) {
		facts->open = true;
	} else if (error) {
		forget(sock);
	} else {
		facts->open = true;
		facts->began = now();
		facts->out = sock->in.received;
		facts->in = sock->out.sent;
	}
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
	set_peer(sock, facts, to);
	if (!error) {
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
	record->peer = *to;
	record->local = facts->local;
	strcpy(record->name, facts->name);
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

void logged_end(struct socket *sock, int error)
{
	struct logged *facts = sock->logged;
	struct log_record *record;

	if (!facts)
		return;
	record = facts->open ? begin(sock, LOG_END, &facts->who) : NULL;
	if (record) {
		record->result = error;
		record->direction = facts->direction;
		record->peer = facts->peer;
		record->local = facts->local;
		strcpy(record->name, facts->name);
		record->has_bytes = record->has_duration = true;
		record->bytes_out = facts->out;
		record->bytes_in = facts->in;
		if (record->protocol == LOG_TCP) {
			record->bytes_out = sock->in.received - facts->out;
			record->bytes_in = sock->out.sent - facts->in;
		}
		record->duration = now() - facts->began;
		log_end(sock->instance);
	}
	forget(sock);
}

void logged_resume(struct socket *sock)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	struct lfp_addr peer = {.family = LFP_AF_UNSPEC};
	struct logged *facts;

	if (!sock->is_datagram && sock->state != SOCKET_ESTABLISHED && sock->state != SOCKET_ORPHAN)
		return;
	facts = facts_of(sock);
	if (!facts)
		return;
	if (!getpeername(sock->fd, (struct sockaddr *)&addr, &len))
		(void)lfp_addr_from(&peer, (struct sockaddr *)&addr, len);
	set_peer(sock, facts, &peer);
	set_local(sock, &facts->local);
	facts->open = true;
	if (sock->is_datagram)
		return;
	facts->out = sock->in.received;
	facts->in = sock->out.sent;
}
