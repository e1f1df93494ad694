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

/*
 * Theory of operation
 *
 * lfpd-policy(5) has the language. The first line that matches decides; the last line, "default",
 * decides about the rest.
 *
 * A walk over all rules would make a call dearer with each rule. So each rule is in a bucket of its
 * peer: a name, the names below a name, a prefix of addresses, or any. A call looks only at the
 * buckets that its address and its names can be in: one for each length of a prefix that the rules
 * use, one for each label of a name, and the one of any. The lowest line of these decides.
 *
 * Rules are made once and never change. reload makes new ones, or keeps the old ones.
 */
struct rules;
struct known_names;

enum rules_act {
	RULES_CONNECT = 1, /* connect to or send to a peer */
	RULES_LISTEN = 2,  /* bind to a port, or listen */
	RULES_LOOKUP = 4,  /* look up a name */
};

enum rules_protocol {
	RULES_TCP = 1,
	RULES_UDP = 2,
};

struct rules_question {
	enum rules_act act;
	enum rules_protocol protocol;
	struct in6_addr addr; /* IPv4 is mapped; not for RULES_LOOKUP */
	uint16_t port;
	uint32_t uid;
	const char *name; /* RULES_LOOKUP: in the form of rules_name(); NULL: an address */

	/* Names that addresses have been found under; NULL: none. @now is in ms. */
	const struct known_names *known;
	uint64_t now;
};

struct rules_verdict {
	bool allowed;
	unsigned int line;
};

/* At most so many lines, and bytes of a file. */
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

/* Frees the rules, if any. */
void rules_free(struct rules *rules);

struct rules_verdict rules_decide(const struct rules *rules, const struct rules_question *question);

#define RULES_NAME_MAX 254u /* bytes, with the NUL */

/* Writes a name in the form that rules compare: in lower case and without a dot at its end. Returns
 * false if it is no name of the DNS: another letter than a to z, 0 to 9, '-', '_' and '.', an empty
 * or too long label, or too long. */
bool rules_name(char out[static RULES_NAME_MAX], const char *name, size_t len);

/* Converts an address; IPv4 becomes mapped. A wildcard becomes the loopback address, as the kernel
 * takes it for a destination, if @destination. Returns false for other families. */
bool rules_addr(const struct sockaddr *addr, bool destination, struct in6_addr *out,
		uint16_t *port);

#endif
