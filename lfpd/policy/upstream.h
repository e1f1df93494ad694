/* SPDX-License-Identifier: Apache-2.0 */
/* upstream.h - a proxy that carries connections and datagrams: a line "upstream" of POLICY_FILE */
#ifndef LFPD_POLICY_UPSTREAM_H
#define LFPD_POLICY_UPSTREAM_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "lfp/list.h"

#define UPSTREAM_NAME_MAX   32u  /* bytes, with the NUL */
#define UPSTREAM_HOST_MAX   254u /* the same */
#define UPSTREAM_SECRET_MAX 256u /* bytes of a user or a password, with the NUL */

enum upstream_kind {
	UPSTREAM_SOCKS5,
	UPSTREAM_HTTP, /* CONNECT (RFC 9110, 9.3.6) */
};

/* The addresses of the proxy. Writer: lfpd/sock/via-host.c. */
struct upstream_addrs {
	struct sockaddr_in v4; /* family 0: none */
	struct sockaddr_in6 v6;
	uint64_t until;          /* uv_now(); UINT64_MAX: they are in the URL; 0: not known */
	bool is_asked;           /* a look-up is under way */
	struct lfp_list waiting; /* struct via: for its end */
};

/* Shared by the rules and the sockets that it serves. Only @refs and @addrs change. */
struct upstream {
	unsigned int refs;
	enum upstream_kind kind;
	bool sends_names; /* the proxy gets the name of a peer, where it is known */
	char name[UPSTREAM_NAME_MAX];
	char host[UPSTREAM_HOST_MAX]; /* of the proxy: an address or a name; "": only the name
					 of this upstream is known */
	uint16_t port;
	unsigned int timeout; /* seconds for one connect() */
	char user[UPSTREAM_SECRET_MAX], password[UPSTREAM_SECRET_MAX]; /* user "": none */
	struct upstream_addrs addrs;
};

/**
 * upstream_read() - read the words of a line after "upstream"
 * @words:	NAME URL [credentials FILE] [timeout SECONDS]
 * @why:	set to the reason after -EINVAL
 *
 * Return: 0, -EINVAL or -ENOMEM. Release the upstream with upstream_drop().
 */
int upstream_read(struct upstream **upstream, char *const *words, int nr, char *why, size_t size);

/* Returns an upstream of which only the name is known, or NULL without memory. */
struct upstream *upstream_named(const char *name);

struct upstream *upstream_take(struct upstream *upstream);

/* Releases one reference, if @upstream is not NULL. */
void upstream_drop(struct upstream *upstream);

/* Returns true if its proxy takes datagrams, too. */
static inline bool upstream_takes_udp(const struct upstream *upstream)
{
	return upstream->kind == UPSTREAM_SOCKS5;
}

/* Returns true if both are the same by their names, or both are NULL. */
bool upstream_same(const struct upstream *a, const struct upstream *b);

/* Returns true if both also lead to the same proxy in the same way. */
bool upstream_equal(const struct upstream *a, const struct upstream *b);

/* Returns true for 1 to 31 letters, digits, '-', '_' and '.'. */
bool upstream_is_name(const char *text);

#endif
