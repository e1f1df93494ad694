/* SPDX-License-Identifier: Apache-2.0 */
/* rules-cost.c - the time of a decision among 10 rules and among many, beside that of a connection
 *
 *	rules-cost [RULES [PEERS]]
 *
 * By default 100000 rules, and 256 peers that are asked about in turn. More peers than fit into the
 * processor's cache show the cost of memory.
 *
 * Prints a line for each kind of rules: the CPU time to read them, the medians of decisions in ns
 * among 10 and among all, their ratio, and the ratio to a connection over loopback, socket() to
 * close(). The turns alternate; questions and rules are the same in each run.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lfpd/policy/known-names.h"
#include "lfpd/policy/rules.h"

#define FEW       10u
#define TURNS     41u
#define DECISIONS 4096u /* a turn */
#define CONNECTS  64u   /* a turn */
#define LINE_MAX  160u

static uint64_t seed = 1;
static uint32_t nr_peers;
static struct known_names known;

/* Knuth's MMIX generator; its upper bits are good ones. */
static uint32_t number(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) % below);
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "rules-cost: %s\n", what);
	exit(1);
}

/* A kind of rules: the n-th line, and a question about the n-th one. */
struct kind {
	const char *name;
	void (*line)(char text[static LINE_MAX], uint32_t n);
	void (*ask)(struct rules_question *question, uint32_t n);
};

static char asked_name[RULES_NAME_MAX];

static void name_line(char text[static LINE_MAX], uint32_t n)
{
	snprintf(text, LINE_MAX, "allow connect %sh%u.s%u.example.org:443\n", n % 3 ? "" : "*.", n,
		 n % 1000);
}

static void name_ask(struct rules_question *question, uint32_t n)
{
	question->act = RULES_LOOKUP;
	snprintf(asked_name, sizeof(asked_name), "%sh%u.s%u.example.org", n % 3 ? "" : "www.", n,
		 n % 1000);
	question->name = asked_name;
}

/* The address of rule n. */
static uint32_t v4_of(uint32_t n)
{
	return (n + 1) * 2654435761u;
}

/* Networks from /16 on, and hosts. */
static unsigned int v4_bits(uint32_t n)
{
	return n % 4 ? 16 + n * 7 % 17 : 32;
}

static void v4_line(char text[static LINE_MAX], uint32_t n)
{
	uint32_t addr = v4_of(n);

	snprintf(text, LINE_MAX, "%s connect %u.%u.%u.%u/%u:443\n", n % 2 ? "allow" : "deny",
		 addr >> 24, addr >> 16 & 255, addr >> 8 & 255, addr & 255, v4_bits(n));
}

static void v4_ask(struct rules_question *question, uint32_t n)
{
	uint32_t addr = htonl(v4_of(n) ^ 1);

	question->addr = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
	memcpy(question->addr.s6_addr + 12, &addr, sizeof(addr));
}

/* Networks between /32 and /64, and hosts. */
static unsigned int v6_bits(uint32_t n)
{
	return n % 4 ? 32 + n * 7 % 33 : 128;
}

static void v6_line(char text[static LINE_MAX], uint32_t n)
{
	uint32_t addr = v4_of(n);

	snprintf(text, LINE_MAX, "allow connect [2001:%x:%x:%x::%x/%u]:443\n", addr >> 16,
		 addr & 0xffff, n & 0xffff, n & 0xffff, v6_bits(n));
}

static void v6_ask(struct rules_question *question, uint32_t n)
{
	uint32_t addr = v4_of(n);
	uint16_t words[8] = {0x2001, (uint16_t)(addr >> 16), (uint16_t)addr, (uint16_t)n};

	words[7] = (uint16_t)n;
	for (int i = 0; i < 8; i++)
		words[i] = htons(words[i]);
	memcpy(&question->addr, words, sizeof(words));
}

static void port_line(char text[static LINE_MAX], uint32_t n)
{
	snprintf(text, LINE_MAX, "%s connect %s 192.0.2.1:%u\n", n % 2 ? "allow" : "deny",
		 n % 5 ? "tcp" : "udp", n % 65535 + 1);
}

static void port_ask(struct rules_question *question, uint32_t n)
{
	question->port = (uint16_t)(n % 65535 + 1);
	question->addr = (struct in6_addr){
		.s6_addr = {[10] = 0xff, [11] = 0xff, [12] = 192, [14] = 2, [15] = 1}};
}

/* Names and addresses. */
static void mixed_line(char text[static LINE_MAX], uint32_t n)
{
	(n % 2 ? name_line : n % 4 ? v6_line : v4_line)(text, n);
}

static void mixed_ask(struct rules_question *question, uint32_t n)
{
	(n % 2 ? name_ask : n % 4 ? v6_ask : v4_ask)(question, n);
}

static const struct kind kinds[] = {
	{"names", name_line, name_ask},     {"IPv4 prefixes", v4_line, v4_ask},
	{"IPv6 prefixes", v6_line, v6_ask}, {"ports of one peer", port_line, port_ask},
	{"mixed", mixed_line, mixed_ask},
};

static struct rules *make(const struct kind *kind, uint32_t nr, double *ms)
{
	char *text = malloc((size_t)nr * LINE_MAX + 32), *at = text;
	struct lfp_reader_error err;
	struct rules *rules = NULL;
	uint64_t start;

	if (!text)
		die("not enough memory");
	for (uint32_t n = 0; n < nr; n++) {
		kind->line(at, n);
		at += strlen(at);
	}
	strcpy(at, "default deny\n");
	start = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (rules_parse(&rules, "rules", text, strlen(text), &err))
		die(err.text);
	*ms = (double)(now_ns(CLOCK_PROCESS_CPUTIME_ID) - start) / 1e6;
	free(text);
	return rules;
}

/* A set of questions. Half of them are about any of the rules, half about peers without one. */
static struct rules_question *questions_of(const struct kind *kind, uint32_t nr)
{
	char name[64];
	uint32_t number_of;

	struct rules_question *list = calloc(nr_peers, sizeof(*list));

	if (!list)
		die("not enough memory");
	for (uint32_t i = 0; i < nr_peers; i++) {
		list[i] = (struct rules_question){
			.act = RULES_CONNECT, .protocol = RULES_TCP, .port = 443};
		kind->ask(&list[i], i % 2 ? number(nr) : nr + number(1u << 20));
		list[i].known = &known;
		memcpy(&number_of, list[i].addr.s6_addr + 12, sizeof(number_of));
		snprintf(name, sizeof(name), "www.peer%u.example.com", number_of);
		if (list[i].act == RULES_CONNECT)
			known_names_add(&known, name, &list[i].addr, UINT64_MAX, 0);
		if (list[i].name && !(list[i].name = strdup(list[i].name)))
			die("not enough memory");
	}
	return list;
}

static void free_questions(struct rules_question *list)
{
	for (uint32_t i = 0; i < nr_peers; i++)
		free((char *)(uintptr_t)list[i].name);
	free(list);
}

/* Returns the time of a decision in ns. */
static double decide(const struct rules *rules, const struct rules_question *list)
{
	volatile unsigned int sink = 0; /* no decision is left out */
	uint64_t start = now_ns(CLOCK_MONOTONIC);

	for (uint32_t i = 0; i < DECISIONS; i++)
		sink = sink + rules_decide(rules, &list[i % nr_peers]).line;
	return (double)(now_ns(CLOCK_MONOTONIC) - start) / DECISIONS;
}

/* Returns the time of a connection in ns. */
static double connection(int listener, const struct sockaddr_in *addr)
{
	uint64_t start = now_ns(CLOCK_MONOTONIC);

	for (uint32_t i = 0; i < CONNECTS; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0), peer;

		if (fd < 0 || connect(fd, (const struct sockaddr *)addr, sizeof(*addr)))
			die(strerror(errno));
		peer = accept(listener, NULL, NULL);
		close(fd);
		close(peer);
	}
	return (double)(now_ns(CLOCK_MONOTONIC) - start) / CONNECTS;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *list)
{
	qsort(list, TURNS, sizeof(*list), compare);
	return list[TURNS / 2];
}

static void measure(const struct kind *kind, uint32_t nr, int listener,
		    const struct sockaddr_in *addr)
{
	double few[TURNS], many[TURNS], connects[TURNS], ms;
	struct rules *small = make(kind, FEW, &ms), *large = make(kind, nr, &ms);
	struct rules_question *small_list = questions_of(kind, FEW),
			      *large_list = questions_of(kind, nr);
	double of_few, of_many;

	for (uint32_t i = 0; i < TURNS; i++) {
		few[i] = decide(small, small_list);
		many[i] = decide(large, large_list);
		connects[i] = connection(listener, addr);
	}
	of_few = median(few);
	of_many = median(many);
	printf("%-18s %8.1f %8.0f %8.0f %8.2f %10.4f\n", kind->name, ms, of_few, of_many,
	       of_many / of_few, of_many / median(connects));
	free_questions(small_list);
	free_questions(large_list);
	rules_free(small);
	rules_free(large);
}

int main(int argc, char **argv)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	unsigned long nr = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(addr);

	nr_peers = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 256;
	if (!nr_peers)
		die("the number of peers must be at least 1");
	if (nr < FEW || nr >= RULES_LINES_MAX)
		die("the number of rules must be at least 10 and below 1000000");
	if (bind(listener, (const struct sockaddr *)&addr, len) || listen(listener, 16) ||
	    getsockname(listener, (struct sockaddr *)&addr, &len))
		die(strerror(errno));
	known_names_init(&known);
	printf("%-18s %8s %8s %8lu %8s %10s\n", "ns a decision", "read/ms", "10", nr, "ratio",
	       "of connect");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		measure(&kinds[i], (uint32_t)nr, listener, &addr);
	return 0;
}
