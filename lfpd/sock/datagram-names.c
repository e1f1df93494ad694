/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-names.c - names that a program looks up on a datagram socket of its own */
#include "lfpd/sock/datagram-names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/addr.h"
#include "lfpd/names/ruling.h"
#include "lfpd/sock/datagram-whole.h"
#include "lfpd/sock/logged.h"
#include "lfpd/sock/datagram-kept.h"
#include "lfpd/users/share.h"

#define QUERIES_MAX 32u /* of one socket, without an answer; older ones are forgotten */
#define ANSWERS_MAX 32u

struct noted_query {
	struct lfp_list place;
	struct lfp_addr server;
	struct dns_question question;
};

/* An answer of lfpd's own. */
struct own_answer {
	struct lfp_list place;
	struct lfp_addr server;
	size_t len;
	uint8_t msg[DNS_QUERY_MAX];
};

struct datagram_names {
	struct lfp_list queries, answers; /* the oldest first */
	unsigned int nr_queries, nr_answers;
};

static struct datagram_names *names_of(struct datagrams *dg)
{
	if (dg->names)
		return dg->names;
	dg->names = calloc(1, sizeof(*dg->names));
	if (dg->names) {
		lfp_list_init(&dg->names->queries);
		lfp_list_init(&dg->names->answers);
	}
	return dg->names;
}

static void forget(struct datagram_names *names, struct noted_query *query)
{
	lfp_list_del(&query->place);
	names->nr_queries--;
	free(query);
}

static struct noted_query *first_query(const struct datagram_names *names)
{
	return lfp_list_first_entry(&names->queries, struct noted_query, place);
}

/* Without memory the answer teaches nothing, and the program may ask again. */
static void note(struct datagrams *dg, const struct lfp_addr *server,
		 const struct dns_question *question)
{
	struct datagram_names *names = names_of(dg);
	struct noted_query *query = names ? malloc(sizeof(*query)) : NULL;

	if (!query)
		return;
	query->server = *server;
	query->question = *question;
	lfp_list_init(&query->place);
	lfp_list_append(&names->queries, &query->place);
	if (++names->nr_queries > QUERIES_MAX)
		forget(names, first_query(names));
}

/* An answer too many is lost, as answers may be. */
static void answer(struct datagrams *dg, const struct lfp_addr *server, const uint8_t *query,
		   const struct dns_question *question)
{
	struct datagram_names *names = names_of(dg);
	struct own_answer *own;

	if (!names || names->nr_answers == ANSWERS_MAX)
		return;
	own = malloc(sizeof(*own));
	if (!own)
		return;
	own->server = *server;
	own->len = dns_write_nxdomain(own->msg, query, question);
	lfp_list_init(&own->place);
	lfp_list_append(&names->answers, &own->place);
	names->nr_answers++;
}

int datagram_names_ask(struct socket *sock, const struct sockaddr_storage *to,
		       const struct lfp_meta *meta, const uint8_t *data, size_t len)
{
	struct datagrams *dg = sock->dgram;
	struct dns_question question;
	struct sockaddr_storage peer;
	socklen_t peer_len = sizeof(peer);
	struct lfp_addr server;
	int rc;

	if (!sock->instance->rules ||
	    (to ? !ruling_is_name_server(sock->instance, (const struct sockaddr *)to)
		: !dg->at_server))
		return 0;
	if (!to && getpeername(sock->fd, (struct sockaddr *)&peer, &peer_len))
		return -errno;
	rc = lfp_addr_from(&server, (const struct sockaddr *)(to ? to : &peer), sizeof(peer));
	if (rc)
		return rc;
	rc = ruling_query(sock->instance, socket_uid(sock), sock->who, data,
			  datagram_is_whole(sock, meta) ? len : 0, &question);
	logged_query(sock, question.name, rc);
	if (rc == -ENOENT) {
		answer(dg, &server, data, &question);
		return 1;
	}
	if (!rc && question.end)
		note(dg, &server, &question);
	return rc;
}

static bool is_same(const struct lfp_addr *a, const struct lfp_addr *b)
{
	return a->family == b->family && a->port == b->port && !memcmp(a->ip, b->ip, sizeof(a->ip));
}

void datagram_names_learn(struct socket *sock, const struct lfp_addr *from, const uint8_t *data,
			  size_t len)
{
	struct datagram_names *names = sock->dgram->names;
	struct noted_query *query;
	struct dns_answer found;

	if (!names)
		return;
	lfp_list_each(query, &names->queries, place) {
		if (!is_same(&query->server, from) ||
		    !dns_read_answer(data, len, &query->question, &found))
			continue;
		ruling_learn_answer(sock->instance, socket_uid(sock), query->question.name, &found);
		forget(names, query);
		return;
	}
}

bool datagram_names_answered(const struct datagrams *dg)
{
	return dg->names && dg->names->nr_answers;
}

ssize_t datagram_names_take(struct datagrams *dg, uint8_t *buf, size_t size, struct lfp_meta *meta)
{
	struct own_answer *own;
	ssize_t len;

	if (!datagram_names_answered(dg))
		return -EAGAIN;
	own = lfp_list_first_entry(&dg->names->answers, struct own_answer, place);
	len = (ssize_t)(own->len < size ? own->len : size);
	memset(meta, 0, sizeof(*meta));
	meta->addr = own->server;
	memcpy(buf, own->msg, (size_t)len);
	lfp_list_del(&own->place);
	dg->names->nr_answers--;
	free(own);
	return len;
}

void datagram_names_finish(struct datagrams *dg)
{
	struct noted_query *query;
	uint8_t buf[DNS_QUERY_MAX];
	struct lfp_meta meta;

	while (dg->names && (query = first_query(dg->names)))
		forget(dg->names, query);
	while (datagram_names_take(dg, buf, sizeof(buf), &meta) >= 0)
		;
	free(dg->names);
	dg->names = NULL;
}
