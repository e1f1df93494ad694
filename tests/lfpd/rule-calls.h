/* SPDX-License-Identifier: Apache-2.0 */
/* rule-calls.h - sets of rules with calls, and what the rules say to each call */
#ifndef TESTS_LFPD_RULE_CALLS_H
#define TESTS_LFPD_RULE_CALLS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

/* The time of all calls, and the user of those that name none. */
#define RULE_CALLS_NOW 1000u
#define RULE_CALLS_UID 1000u

enum { RULE_CALLS_MAX = 48 };

/* A set of rules; then calls, each with the number of the line that decides, as "+3" or "-3". With
 * ">3 UPSTREAM NAME" the line sends the connection through an upstream, whose proxy gets this name.
 *
 * A call is "connect tcp ADDR PORT UID", "listen udp ADDR PORT UID" or "lookup NAME UID". "only6"
 * is "listen" with IPV6_V6ONLY, "held" is "connect" where the client has to name its server,
 * "server NAME ADDR PORT" is the question then, "http" the same by HTTP, "ech" the same with ECH,
 * and "by UPSTREAM NAME ADDR PORT" the same for a connection through an upstream. */
struct rule_calls {
	const char *rules;
	struct {
		const char *call, *line;
	} calls[RULE_CALLS_MAX];
};

/* For cmocka: the names that lfpd has found, which the sets use; and their end. */
int rule_calls_set_up(void **state);
int rule_calls_tear_down(void **state);

/* Checks each call of each set. Returns the number of calls. */
unsigned int rule_calls_check(const struct rule_calls *sets, size_t nr);

/* Converts an address as the rules see it. */
void rule_calls_addr(const char *text, bool destination, struct in6_addr *out);

#endif
