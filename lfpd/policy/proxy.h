/* SPDX-License-Identifier: Apache-2.0 */
/* proxy.h - the messages between a client and a proxy: SOCKS5 and HTTP CONNECT */
#ifndef LFPD_POLICY_PROXY_H
#define LFPD_POLICY_PROXY_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lfpd/policy/upstream.h"

/*
 * Theory of operation
 *
 * The client writes a message and reads an answer, and so on until PROXY_DONE. These functions know
 * no socket. The proxy may be hostile: it chooses all bytes of its answers, and where they are cut.
 * Each byte of an answer belongs to it for sure before it is taken, since the first byte after the
 * last answer is the peer's.
 */

/* Bytes of the longest message and the longest answer. */
#define PROXY_MESSAGE_MAX 1536u
#define PROXY_ANSWER_MAX  8192u

/* The answer that is awaited. */
enum proxy_step {
	PROXY_METHOD,  /* SOCKS5 (RFC 1928): chooses no login, or user and password */
	PROXY_LOGIN,   /* SOCKS5 (RFC 1929) */
	PROXY_REQUEST, /* SOCKS5: the connection is made, or not */
	PROXY_HEAD,    /* HTTP: the head of the answer to CONNECT */
	PROXY_DONE,    /* none: the peer's bytes follow */
};

/* The peer. */
struct proxy_target {
	const char *name;     /* in the form of rules_name(); NULL: the address is sent */
	struct in6_addr addr; /* IPv4 is mapped */
	uint16_t port;
	bool associates; /* SOCKS5: ask for a relay of datagrams instead of a connection */
};

/* Returns the first answer that an upstream gives. */
enum proxy_step proxy_first(const struct upstream *upstream);

/* Writes the message before the answer @step. Returns its length. */
size_t proxy_message(const struct upstream *upstream, enum proxy_step step,
		     const struct proxy_target *target, uint8_t out[static PROXY_MESSAGE_MAX]);

struct proxy_answer {
	size_t used;          /* bytes that belong to the answer; all of them if more are needed */
	int error;            /* positive errno for the program, or 0 */
	enum proxy_step next; /* without an error: the same step if more bytes are needed */
	const char *why;      /* with an error: a clause, such as "the login failed" */
	unsigned int code;    /* with an error: the proxy's number, or 0 */

	/* With PROXY_DONE of SOCKS5: the address that the proxy has bound. */
	bool has_bound; /* false: a name */
	struct in6_addr bound;
	uint16_t bound_port;
};

/**
 * proxy_read() - read an answer of a proxy
 * @buf:	the first @len bytes of the answer, and perhaps bytes after it
 *
 * A longer @buf that begins with the same bytes gives the same result, unless more bytes are
 * needed. An answer of PROXY_ANSWER_MAX bytes that is not complete is an error.
 */
struct proxy_answer proxy_read(const struct upstream *upstream, enum proxy_step step,
			       const uint8_t *buf, size_t len);

/* The longest address of SOCKS5: its type, a name with its length, and the port. */
#define PROXY_ADDR_MAX (1u + 256u + 2u)

/* Writes the peer as SOCKS5 does. Returns the number of bytes. */
size_t proxy_put_addr(const struct proxy_target *target, uint8_t out[static PROXY_ADDR_MAX]);

/* An address of SOCKS5 that was read. */
struct proxy_addr {
	bool is_name;
	uint8_t name_len;
	const uint8_t *name;  /* in the buffer: any bytes */
	struct in6_addr addr; /* if it is no name; IPv4 is mapped */
	uint16_t port;
};

/* Reads an address of SOCKS5 that begins with its type. Returns the number of its bytes; 0: more
 * are needed; -EPROTO: the type is unknown. */
ssize_t proxy_get_addr(const uint8_t *buf, size_t len, struct proxy_addr *addr);

#endif
