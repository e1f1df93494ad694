/* SPDX-License-Identifier: Apache-2.0 */
/* gate.c - holds the first bytes of a connection until the rules know its server */
#include "lfpd/sock/gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/names/ruling.h"
#include "lfpd/policy/server-name.h"
#include "lfpd/sock/metered.h"
#include "lfpd/users/share.h"

#define VECTORS 64

/* Copies the first queued bytes. Returns their number, or a negative errno. */
static ssize_t peek(struct socket *sock, uint8_t buf[static SERVER_NAME_BYTES])
{
	struct iovec vector[VECTORS];
	size_t nr, len, have = 0;
	int rc = queue_empty_pipes(&sock->stream.queue, &sock->instance->pool);

	if (rc)
		return rc;
	nr = queue_vector(&sock->stream.queue, vector, VECTORS, &len);
	for (size_t i = 0; i < nr && have < SERVER_NAME_BYTES; i++) {
		size_t part = vector[i].iov_len;

		if (part > SERVER_NAME_BYTES - have)
			part = SERVER_NAME_BYTES - have;
		memcpy(buf + have, vector[i].iov_base, part);
		have += part;
	}
	return (ssize_t)have;
}

static void refuse(struct socket *sock, int error)
{
	const struct sockaddr unspec = {.sa_family = AF_UNSPEC};

	sock->stream.gated = RULES_UNNAMED;
	socket_lose(sock, error);
	/* The peer gets a reset, too (net/ipv4/tcp.c, tcp_disconnect()). */
	(void)connect(sock->fd, &unspec, sizeof(unspec));
}

/* Asks the rules about the server's name. */
static bool may_pass(struct socket *sock, const struct server_name *server)
{
	struct rules_question question = {
		.act = RULES_CONNECT,
		.protocol = RULES_TCP,
		.uid = socket_uid(sock),
		.who = sock->who,
		.server = server->why ? NULL : server->name,
		.naming = sock->stream.gated,
		.upstream = sock->stream.upstream,
		.is_encrypted = server->is_encrypted,
	};
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer);

	return !socket_peername(sock, (struct sockaddr *)&peer, &len) &&
	       ruling_server(sock->instance, &question, &peer, server->why) &&
	       !metered_enter(sock, &question);
}

static bool keep_server(struct socket *sock, const struct server_name *server)
{
	struct gate_server *kept = malloc(sizeof(*kept) + strlen(server->name) + 1);

	if (!kept)
		return false;
	*kept = (struct gate_server){.naming = sock->stream.gated,
				     .is_encrypted = server->is_encrypted};
	strcpy(kept->name, server->name);
	gate_forget(sock);
	sock->stream.server = kept;
	return true;
}

void gate_forget(struct socket *sock)
{
	free(sock->stream.server);
	sock->stream.server = NULL;
}

void gate_ask_again(const struct socket *sock, struct rules_question *question)
{
	const struct gate_server *server = sock->is_datagram ? NULL : sock->stream.server;

	if (!server)
		return;
	question->server = server->name;
	question->naming = server->naming;
	question->is_encrypted = server->is_encrypted;
	question->upstream = sock->stream.upstream;
}

int gate_opens(struct socket *sock, bool is_end)
{
	uint8_t buf[SERVER_NAME_BYTES];
	ssize_t len = peek(sock, buf);
	struct server_name server;
	enum server_name_state state;

	if (len < 0)
		return (int)len;
	state = (sock->stream.gated == RULES_BY_HTTP ? server_name_http
						     : server_name_tls)(buf, (size_t)len, &server);
	if (sock->stream.has_urgent) {
		state = SERVER_NAME_NONE;
		server.why = "urgent data";
	} else if (state == SERVER_NAME_MORE && (is_end || (size_t)len == SERVER_NAME_BYTES ||
						 sock->stream.queue.len >= sock->in.window)) {
		state = SERVER_NAME_NONE;
		server.why = is_end ? "the end of its data before a server name"
				    : "too much data before a server name";
	}
	if (state == SERVER_NAME_MORE)
		return 0;
	if (!may_pass(sock, &server)) {
		refuse(sock, ECONNRESET);
		return 0;
	}
	/* Without the name --cut would ask about other names of the address. */
	if (!keep_server(sock, &server)) {
		refuse(sock, ENOBUFS);
		return 0;
	}
	sock->stream.gated = RULES_UNNAMED;
	return 1;
}
