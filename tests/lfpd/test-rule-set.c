/* SPDX-License-Identifier: Apache-2.0 */
/* test-rule-set.c - a set of rules decides as a walk over its lines does */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lfpd/policy/known-names.h"
#include "lfpd/policy/rules.h"

#define LINES_MAX 600u
#define NOW       1000u

static uint32_t state = 1;

static uint32_t number(uint32_t below)
{
	state = state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(state >> 4) * below >> 28);
}

static const char *any_of(const char *const *list, uint32_t nr)
{
	return list[number(nr)];
}

#define ANY(...)                                                                                   \
	any_of((const char *const[]){__VA_ARGS__},                                                 \
	       sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Few labels, addresses and ports, so that rules are about the same ones. */
static void make_name(char *out, size_t size)
{
	snprintf(out, size, "%s%s%s", ANY("", "a.", "b.", "a.a.", "b.a."), ANY("a.", "b.", "c."),
		 ANY("org", "com", "a"));
}

static void make_addr(char *out, size_t size)
{
	if (number(2))
		snprintf(out, size, "%s.%s.%u.%u", ANY("203", "198", "10"), ANY("0", "51", "113"),
			 number(4), number(4) * 85);
	else
		snprintf(out, size, "%s:%x::%x", ANY("2001:db8", "2001:db9", "fd00"), number(3),
			 number(4));
}

static void make_ports(char *out, size_t size)
{
	unsigned int first = 1 + number(64), last = first + number(64);

	switch (number(6)) {
	case 0:
		*out = '\0';
		break;
	case 1:
		snprintf(out, size, ":%u-%u", first, number(2) ? last : 65535);
		break;
	case 2:
		snprintf(out, size, ":%u,%u-%u", 1 + number(128), first, last);
		break;
	default:
		snprintf(out, size, ":%u", 1 + number(128));
		break;
	}
}

static void make_line(char *out, size_t size)
{
	char peer[64], addr[48], ports[32];
	const char *act = ANY("connect", "connect", "listen", "lookup");
	bool allow = number(2), is_name = false;

	make_ports(ports, sizeof(ports));
	make_addr(addr, sizeof(addr));
	switch (number(5)) {
	case 0:
		strcpy(peer, "any");
		break;
	case 1:
	case 2:
		is_name = true;
		make_name(peer, sizeof(peer));
		if (number(3) == 0) {
			memmove(peer + 2, peer, strlen(peer) + 1);
			memcpy(peer, "*.", 2);
		}
		break;
	default:
		snprintf(peer, sizeof(peer), "[%s/%u]", addr, number(strchr(addr, ':') ? 129 : 33));
		break;
	}
	if (!strcmp(act, "lookup") ? !is_name : is_name && !strcmp(act, "listen"))
		act = "connect";
	snprintf(out, size, "%s %s %s %s%s %s\n", allow ? "allow" : "deny", act,
		 strcmp(act, "lookup") ? ANY("", "tcp", "udp") : "", peer,
		 strcmp(act, "lookup") ? ports : "", number(4) ? "" : ANY("user 0", "user 1000"));
}

static struct rules *parse(const char *text)
{
	struct lfp_reader_error err = {.text = ""};
	struct rules *rules = NULL;

	if (rules_parse(&rules, "rules", text, strlen(text), &err))
		fail_msg("%s: %s", err.text, text);
	return rules;
}

/* The set of all lines, and for each line a set of its own. */
struct sets {
	struct rules *all, *each[LINES_MAX];
	unsigned int nr;
};

static void make_sets(struct sets *sets, unsigned int nr)
{
	char *all = calloc(nr + 1, 160), line[160], alone[200];

	assert_non_null(all);
	for (unsigned int i = 0; i < nr; i++) {
		make_line(line, sizeof(line));
		strcat(all, line);
		snprintf(alone, sizeof(alone), "%sdefault allow\n", line);
		sets->each[i] = parse(alone);
	}
	strcat(all, "default allow\n");
	sets->all = parse(all);
	sets->nr = nr;
	free(all);
}

static void free_sets(struct sets *sets)
{
	rules_free(sets->all);
	for (unsigned int i = 0; i < sets->nr; i++)
		rules_free(sets->each[i]);
}

/* The first line that matches decides. */
static struct rules_verdict walk(const struct sets *sets, const struct rules_question *question)
{
	struct rules_verdict verdict = {.allowed = true, .by_default = true, .line = sets->nr + 1};

	for (unsigned int i = 0; i < sets->nr && verdict.by_default; i++) {
		verdict = rules_decide(sets->each[i], question);
		verdict.line = verdict.by_default ? sets->nr + 1 : i + 1;
	}
	return verdict;
}

static void ask(struct rules_question *question, char name[static RULES_NAME_MAX])
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	char addr[48];
	uint16_t port;

	*question = (struct rules_question){.act = 1u << number(3),
					    .protocol = number(2) ? RULES_TCP : RULES_UDP,
					    .known = question->known,
					    .now = NOW,
					    .v6only = number(2),
					    .uid = number(2) * 1000};
	make_name(name, RULES_NAME_MAX);
	make_addr(addr, sizeof(addr));
	if (!number(6))
		strcpy(addr, ANY("0.0.0.0", "::", "127.0.0.1", "255.255.255.255",
				 "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"));
	if (inet_pton(AF_INET, addr, &in.sin_addr) == 1)
		assert_true(
			rules_addr((const struct sockaddr *)&in, false, &question->addr, &port));
	else
		assert_int_equal(inet_pton(AF_INET6, addr, &question->addr), 1);
	if (question->act == RULES_LOOKUP)
		question->name = number(8) ? name : NULL;
	else
		question->port = (uint16_t)number(140);
}

/* Returns how many calls a rule has decided about. */
static unsigned int agrees(unsigned int lines, unsigned int questions)
{
	struct rules_question question = {.act = RULES_CONNECT};
	struct known_names known;
	char name[RULES_NAME_MAX];
	struct sets sets;
	unsigned int by_rule = 0;

	known_names_init(&known);
	question.known = &known;
	make_sets(&sets, lines);
	for (unsigned int i = 0; i < questions; i++) {
		struct rules_verdict want, got;

		ask(&question, name);
		if (question.act == RULES_CONNECT && number(2))
			known_names_add(&known, name, &question.addr, NOW + number(2),
					question.uid);
		want = walk(&sets, &question);
		got = rules_decide(sets.all, &question);
		assert_int_equal(got.line, want.line);
		assert_int_equal(got.allowed, want.allowed);
		assert_int_equal(got.by_default, want.by_default);
		by_rule += !got.by_default;
	}
	free_sets(&sets);
	known_names_finish(&known);
	return by_rule;
}

static void few_rules(void **unused)
{
	unsigned int by_rule = 0;

	(void)unused;
	for (unsigned int i = 0; i < 400; i++)
		by_rule += agrees(1 + number(12), 60);
	assert_true(by_rule > 400 * 60 / 16);
}

static void many_rules(void **unused)
{
	(void)unused;
	for (unsigned int i = 0; i < 10; i++)
		assert_true(agrees(LINES_MAX, 1000) > 500);
}

/* Each rule of a large set is found, and nothing beside it. */
static void large_sets(void **unused)
{
	const unsigned int nr = 20000;
	char *text = calloc(nr + 1, 64), *at = text, name[64];
	struct rules *rules;

	(void)unused;
	assert_non_null(text);
	for (unsigned int i = 0; i < nr; i++) {
		const char *format[] = {"deny lookup h%u.example.org\n",
					"deny connect 192.0.2.1:%u\n", "deny connect ::%x/127\n"};

		at += sprintf(at, format[i % 3], i % 3 == 2 ? 2 * i : i + 1);
	}
	strcpy(at, "default allow\n");
	rules = parse(text);
	for (unsigned int i = 0; i < nr + 9; i++) {
		struct rules_question question = {.act = RULES_CONNECT, .protocol = RULES_TCP};
		struct in6_addr v4 = {
			.s6_addr = {[10] = 0xff, [11] = 0xff, [12] = 192, [14] = 2, [15] = 1}};
		uint32_t low = htonl(2 * i + 1);

		if (i % 3 == 0) {
			snprintf(name, sizeof(name), "h%u.example.org", i + 1);
			question.act = RULES_LOOKUP;
			question.name = name;
		} else if (i % 3 == 1) {
			question.addr = v4;
			question.port = (uint16_t)(i + 1);
		} else {
			memcpy(question.addr.s6_addr + 12, &low, sizeof(low));
		}
		assert_int_equal(rules_decide(rules, &question).line, i < nr ? i + 1 : nr + 1);
	}
	rules_free(rules);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_rules),
		cmocka_unit_test(many_rules),
		cmocka_unit_test(large_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
