/* SPDX-License-Identifier: Apache-2.0 */
/* server-name.h - the name of the server in the first bytes that a client sends */
#ifndef LFPD_POLICY_SERVER_NAME_H
#define LFPD_POLICY_SERVER_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lfpd/policy/rules.h"

#define SERVER_NAME_BYTES 16384u /* that are looked at; a name must be within them */

enum server_name_state {
	SERVER_NAME_MORE,  /* the name may be in the bytes to come */
	SERVER_NAME_FOUND, /* the message is complete */
	SERVER_NAME_NONE,  /* it names no server, or is none of this protocol */
};

struct server_name {
	char name[RULES_NAME_MAX]; /* as rules_name() writes it */
	bool is_encrypted;         /* ECH: the client may name another server, unseen */
	const char *why;           /* SERVER_NAME_NONE: for people */
};

/* Reads a ClientHello of TLS (RFC 8446), in any number of records. The extension server_name has
 * the name (RFC 6066). */
enum server_name_state server_name_tls(const uint8_t *bytes, size_t len, struct server_name *out);

/* Reads the first request of HTTP/1, its line and headers (RFC 9112). The header Host has the name;
 * a target with a name must have the same. */
enum server_name_state server_name_http(const uint8_t *bytes, size_t len, struct server_name *out);

#endif
