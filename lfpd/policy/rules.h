/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h - the rules of POLICY_FILE: which peers, ports and names programs may use */
#ifndef LFPD_POLICY_RULES_H
#define LFPD_POLICY_RULES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "lfp/reader.h"
#include "lfpd/policy/rule.h"

/*
 * Theory of operation
 *
 * lfpd-policy(5) describes the language. The first line that matches decides; the last line,
 * "default", decides about the rest.
 *
 * A search of all rules would cost more with each rule. So each rule is in the list of its peer. A
 * peer is a name, the names below a name, a prefix of addresses, or any. A call looks only into the
 * lists that can match: those of the prefixes of its address (rule-prefixes.h), of its names and
 * the names above them (rule-names.h), and that of any. In a long list it looks only at the rules
 * for its port (rule-list.h). The rule with the lowest line decides. Rules of one peer and port
 * that differ in their users alone are searched one after another.
 *
 * Rules never change. A reload makes a new set of rules, or keeps the old one.
 */
struct rules;
struct known_names;
struct subject;
struct upstream;

struct rules_question {
	enum rules_act act;
	enum rules_protocol protocol;
	struct in6_addr addr; /* IPv4 is mapped; unused for RULES_LOOKUP */
	uint16_t port;
	bool v6only; /* RULES_LISTEN: the wildcard address of IPv6 does not stand for IPv4 */
	uint32_t uid;
	const struct subject *who; /* NULL: nothing but @uid is known */
	const char *name; /* RULES_LOOKUP: as rules_name() writes it; NULL: only "any" matches */

	/* RULES_CONNECT: the server that the client has named; only this name counts then. */
	const char *server;
	enum rules_naming naming; /* with @server: how. Set with the answer without it: the client
				   * has to name its server first */
	bool is_encrypted;        /* it may have named another one, unseen */
	bool by_default;          /* the same: no rule matches */

	/* RULES_CONNECT: with @server, the upstream of the connection. Set with the answer without
	 * it: the upstream that has to carry the connection, and the name that its proxy gets.
	 * Either may be NULL. The rules and @known own them. */
	struct upstream *upstream;
	const char *upstream_name;

	/* RULES_CONNECT. Set with the answer: the rule that allows it within limits, or NULL. The
	 * rules own it. */
	const struct rule *limited;

	/* Names under which addresses were found, or NULL. @now is in ms. */
	const struct known_names *known;
	uint64_t now;
};

struct rules_verdict {
	bool allowed;
	bool by_default; /* no rule matches */
	unsigned int line;
	/* A refusal: line of the rule that would allow the name, but not its private address; or 0.
	 */
	unsigned int passed_over;
	enum rules_naming naming; /* the client has to name its server first; ask again with it */
	/* See struct rules_question. */
	const struct rule *limited;
	struct upstream *upstream;
	const char *upstream_name;
};

/* Limits of a file: lines and bytes. */
#define RULES_LINES_MAX 1000000u
#define RULES_BYTES_MAX (64u << 20)

/**
 * rules_read() - read a file of rules
 * @rules:	set to the rules; free them with rules_free()
 * @path:	a regular file
 * @err:	filled after an error: the first wrong line
 *
 * Return: 0, -EINVAL if a line is wrong, or another negative errno.
 */
int rules_read(struct rules **rules, const char *path, struct lfp_reader_error *err);

/* The same from a text of @len bytes; @path is for messages. */
int rules_parse(struct rules **rules, const char *path, const char *text, size_t len,
		struct lfp_reader_error *err);

/* Returns the upstream of this name, or NULL. */
struct upstream *rules_upstream(const struct rules *rules, const char *name);

/* Returns a number that is another one for another text, but for one case in 2^64. */
uint64_t rules_digest(const struct rules *rules);

/* Return true if a rule names a program, a group. */
bool rules_name_program(const struct rules *rules);
bool rules_name_group(const struct rules *rules);

/* Returns true if a rule has a limit. */
bool rules_have_limits(const struct rules *rules);

/* Returns the rule of this line if it has a limit, or NULL. */
const struct rule *rules_limited(const struct rules *rules, unsigned int line);

/* Drops the upstreams, after which the rules can only be freed. Sockets share upstreams, so this
 * has to be in their thread. */
void rules_drop_upstreams(struct rules *rules);

/* Frees the rules, if any. */
void rules_free(struct rules *rules);

struct rules_verdict rules_decide(const struct rules *rules, const struct rules_question *question);

#define RULES_NAME_MAX 254u /* bytes, with the NUL */

/* Writes a name in the form that rules compare: lower case, without a final dot. Returns false if
 * the name is not valid in the DNS. Allowed are letters, digits, '-', '_' and '.', no empty label,
 * and the lengths of the DNS. */
bool rules_name(char out[static RULES_NAME_MAX], const char *name, size_t len);

/* Converts an address; IPv4 becomes mapped. A wildcard becomes the loopback address, as the kernel
 * takes it for a destination, if @destination. Returns false for other families. */
bool rules_addr(const struct sockaddr *addr, bool destination, struct in6_addr *out,
		uint16_t *port);

#endif
