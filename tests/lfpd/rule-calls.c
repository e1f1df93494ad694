/* SPDX-License-Identifier: Apache-2.0 */
/* rule-calls.c - asks sets of rules about calls, with names that lfpd has found */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "lfpd/policy/known-names.h"
#include "lfpd/policy/rules.h"
#include "lfpd/policy/upstream.h"
#include "tests/lfpd/rule-calls.h"

/* Names that lfpd has found, and until when. */
static const struct {
	const char *name, *addr;
	uint64_t until;
} found[] = {
	{"www.example.org", "203.0.113.5", RULE_CALLS_NOW + 1},
	{"shared.example.com", "203.0.113.5", RULE_CALLS_NOW + 1},
	{"v6.example.org", "2001:db8::5", RULE_CALLS_NOW + 1},
	{"old.example.org", "203.0.113.6", RULE_CALLS_NOW},
	{"rebound.example.org", "127.0.0.1", RULE_CALLS_NOW + 1},
	{"rebound.example.org", "192.168.1.1", RULE_CALLS_NOW + 1},
	{"rebound.example.org", "10.1.2.3", RULE_CALLS_NOW + 1},
	{"rebound.example.org", "172.16.0.1", RULE_CALLS_NOW + 1},
	{"rebound.example.org", "169.254.169.254", RULE_CALLS_NOW + 1},
	{"rebound.example.org", "100.64.0.1", RULE_CALLS_NOW + 1},
	{"rebound.example.org", "::1", RULE_CALLS_NOW + 1},
	{"rebound.example.org", "fd00::1", RULE_CALLS_NOW + 1},
	{"rebound.example.org", "fe80::1", RULE_CALLS_NOW + 1},
	{"example.org", "203.0.113.9", RULE_CALLS_NOW + 1},
};

static struct known_names known;

void rule_calls_addr(const char *text, bool destination, struct in6_addr *out)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
	uint16_t port;

	if (inet_pton(AF_INET, text, &in.sin_addr) == 1) {
		assert_true(rules_addr((struct sockaddr *)&in, destination, out, &port));
		return;
	}
	assert_int_equal(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
	assert_true(rules_addr((struct sockaddr *)&in6, destination, out, &port));
}

int rule_calls_set_up(void **state)
{
	struct in6_addr addr;

	(void)state;
	known_names_init(&known);
	for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++) {
		rule_calls_addr(found[i].addr, true, &addr);
		known_names_add(&known, found[i].name, &addr, found[i].until, RULE_CALLS_UID);
	}
	return 0;
}

int rule_calls_tear_down(void **state)
{
	(void)state;
	known_names_finish(&known);
	return 0;
}

/* Asks the rules about one call. */
static struct rules_verdict decide(const struct rules *rules, const char *call)
{
	struct rules_question question = {
		.known = &known, .now = RULE_CALLS_NOW, .uid = RULE_CALLS_UID};
	char act[16] = "", protocol[16] = "", where[300] = "", name[RULES_NAME_MAX];
	char server[300] = "", addr[50] = "";
	unsigned int port = 0, uid = RULE_CALLS_UID;
	struct rules_verdict verdict;
	bool is_held = false;

	if (sscanf(call, "lookup %299s %u", where, &uid) >= 1) {
		question.act = RULES_LOOKUP;
		if (strcmp(where, "-")) {
			assert_true(rules_name(name, where, strlen(where)));
			question.name = name;
		}
	} else if (sscanf(call, "by %15s %299s %49s %u", act, server, addr, &port) == 4) {
		question.act = RULES_CONNECT;
		question.protocol = RULES_TCP;
		question.server = server;
		question.upstream = rules_upstream(rules, act);
		question.naming = RULES_BY_TLS;
		question.port = (uint16_t)port;
		rule_calls_addr(addr, true, &question.addr);
	} else if (sscanf(call, "server %299s %49s %u", server, addr, &port) == 3 ||
		   sscanf(call, "http %299s %49s %u", server, addr, &port) == 3 ||
		   sscanf(call, "ech %299s %49s %u", server, addr, &port) == 3) {
		question.act = RULES_CONNECT;
		question.protocol = RULES_TCP;
		question.server = server;
		question.naming = *call == 'h' ? RULES_BY_HTTP : RULES_BY_TLS;
		question.is_encrypted = *call == 'e';
		question.port = (uint16_t)port;
		rule_calls_addr(addr, true, &question.addr);
	} else {
		assert_true(sscanf(call, "%15s %15s %299s %u %u", act, protocol, where, &port,
				   &uid) >= 4);
		question.v6only = !strcmp(act, "only6");
		is_held = !strcmp(act, "held");
		question.act = strcmp(act, "connect") && !is_held ? RULES_LISTEN : RULES_CONNECT;
		question.protocol = strcmp(protocol, "udp") ? RULES_TCP : RULES_UDP;
		question.port = (uint16_t)port;
		rule_calls_addr(where, question.act == RULES_CONNECT, &question.addr);
	}
	question.uid = uid;
	verdict = rules_decide(rules, &question);
	if (!!verdict.naming != is_held)
		print_error("%s: naming is %d\n", call, verdict.naming);
	assert_int_equal(!!verdict.naming, is_held);
	return verdict;
}

/* Checks the calls of one set. Returns their number. */
static unsigned int check_calls(const struct rule_calls *set, const struct rules *rules)
{
	unsigned int calls = 0;

	for (size_t k = 0; k < RULE_CALLS_MAX && set->calls[k].call; k++, calls++) {
		struct rules_verdict verdict = decide(rules, set->calls[k].call);
		const char *name = verdict.upstream_name;
		char got[320];

		snprintf(got, sizeof(got), "%c%u", verdict.allowed ? '+' : '-', verdict.line);
		if (verdict.allowed && verdict.upstream)
			snprintf(got, sizeof(got), ">%u %s %s", verdict.line,
				 verdict.upstream->name, name ? name : "-");
		if (strcmp(got, set->calls[k].line))
			print_error("%s%s\n", set->rules, set->calls[k].call);
		assert_string_equal(got, set->calls[k].line);
	}
	return calls;
}

unsigned int rule_calls_check(const struct rule_calls *sets, size_t nr)
{
	unsigned int calls = 0;

	for (size_t i = 0; i < nr; i++) {
		struct lfp_reader_error err = {.line = -1};
		struct rules *rules = NULL;
		int rc = rules_parse(&rules, "rules", sets[i].rules, strlen(sets[i].rules), &err);

		if (rc)
			print_error("%s\n", err.text);
		assert_int_equal(rc, 0);
		calls += check_calls(&sets[i], rules);
		rules_free(rules);
	}
	return calls;
}
