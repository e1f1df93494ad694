/* SPDX-License-Identifier: Apache-2.0 */
/* would.c - what the configuration would decide about a call, for a person */
#include "lfpd/policy/would.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <limits.h>
#include <netdb.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "lfp/accounts.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/number.h"
#include "lfpd/policy/known-names.h"
#include "lfpd/policy/name-servers.h"
#include "lfpd/policy/policy.h"
#include "lfpd/policy/privileged.h"
#include "lfpd/policy/rule.h"
#include "lfpd/policy/rules.h"
#include "lfpd/policy/subject.h"

/*
 * Theory of operation
 *
 * rules_decide() gets the same questions as for a program: first the look-up of the name, then a
 * connection to each address. RESTRICT_TO_HOSTID comes before them, as for a program. The
 * exceptions that names/ruling.c makes beside the rules are made here, too.
 */

#define PEER_MAX 320 /* bytes: a name with a port */

struct query {
	const struct would *would;
	FILE *out;
	struct rules_question question;
	const char *host, *at;
	struct subject_terms terms;
	struct subject subject; /* what the question tells; the rest is unknown */
	char program[PATH_MAX];
	char text[PEER_MAX]; /* what @host points into */
	unsigned long port;
	unsigned int allowed;
};

static int __attribute__((format(printf, 1, 2))) wrong(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	lfp_msg("VLFD049E", "The call is wrong: %s.", text);
	return LFP_EXIT_USAGE;
}

/* Prints "allowed" or "denied", the call, and the reason. */
static void __attribute__((format(printf, 4, 5)))
say(struct query *query, bool allowed, const struct rules_verdict *verdict, const char *fmt, ...)
{
	va_list ap;

	fprintf(query->out, "%-8s ", allowed ? "allowed" : "denied");
	va_start(ap, fmt);
	vfprintf(query->out, fmt, ap);
	va_end(ap);
	if (verdict && verdict->line)
		fprintf(query->out, "%s line %u", verdict->by_default ? ": default," : ":",
			verdict->line);
	if (verdict && !allowed && verdict->passed_over)
		fprintf(query->out, "; line %u does not allow the private address",
			verdict->passed_over);
}

/* Splits "HOST:PORT", "[HOST]:PORT" and ":PORT". */
static int read_peer(struct query *query, const char *word)
{
	bool bracket = *word == '[';
	char *end, *port = NULL;

	if (strlen(word) >= sizeof(query->text))
		return wrong("%.40s... is too long", word);
	strcpy(query->text, word + bracket);
	query->host = query->text;
	end = strchr(query->text, bracket ? ']' : ':');
	if (bracket && (!end || (end[1] && end[1] != ':')))
		return wrong("%s is not [ADDRESS]:PORT", word);
	if (bracket) {
		port = end[1] ? end + 2 : NULL;
		*end = '\0';
	} else if (end && !strchr(end + 1, ':')) {
		port = end + 1;
		*end = '\0';
	}
	if (query->question.act == RULES_LOOKUP && port)
		return wrong("lookup takes no port");
	if (port && lfp_number(port, 1, 65535, &query->port))
		return wrong("a port is a number from 1 to 65535, not %s", port);
	if (query->question.act == RULES_CONNECT && !port)
		return wrong("connect needs HOST:PORT");
	return LFP_EXIT_OK;
}

static int read_act(struct query *query, char ***words)
{
	static const struct {
		const char *word;
		enum rules_act act;
	} acts[] = {{"connect", RULES_CONNECT},
		    {"listen", RULES_LISTEN},
		    {"bind", RULES_LISTEN},
		    {"lookup", RULES_LOOKUP}};

	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (**words && !strcmp(**words, acts[i].word))
			query->question.act = acts[i].act;
	if (!query->question.act)
		return wrong("it begins with connect, listen, bind or lookup, not %s",
			     **words ? **words : "nothing");
	++*words;
	query->question.protocol = RULES_TCP;
	if (query->question.act == RULES_LOOKUP || !**words ||
	    (strcmp(**words, "tcp") != 0 && strcmp(**words, "udp") != 0))
		return LFP_EXIT_OK;
	if (!strcmp(**words, "udp"))
		query->question.protocol = RULES_UDP;
	++*words;
	return LFP_EXIT_OK;
}

static int read_user(struct query *query, const char *name)
{
	unsigned long uid;

	if (!lfp_number(name, 0, UINT32_MAX - 1, &uid))
		query->question.uid = (uint32_t)uid;
	else if (!lfp_accounts_user(name, &query->question.uid))
		return wrong("this host has no user %s", name);
	return LFP_EXIT_OK;
}

static int read_words(struct query *query, char **words)
{
	char why[SUBJECT_WHY];
	int code = read_act(query, &words), rc;

	if (code)
		return code;
	if (!*words)
		return wrong("the peer is missing");
	code = read_peer(query, *words++);
	for (; !code && *words; words += 2) {
		rc = subject_read(&query->terms, *words, words[1], query->program, why);
		if (rc < 0)
			return wrong("%s", why);
		if (rc)
			continue;
		if (!words[1])
			return wrong("%s is not expected here, or needs a value", *words);
		if (!strcmp(*words, "user"))
			code = read_user(query, words[1]);
		else if (!strcmp(*words, "at"))
			query->at = words[1];
		else
			return wrong("%s is not expected here", *words);
	}
	return code;
}

static const char *protocol_of(const struct query *query)
{
	return query->question.protocol == RULES_TCP ? "tcp" : "udp";
}

static struct rules_verdict decide(const struct query *query)
{
	struct rules_verdict all = {.allowed = true};

	return query->would->rules ? rules_decide(query->would->rules, &query->question) : all;
}

/* Returns whether the look-up is allowed. */
static bool ask_lookup(struct query *query)
{
	struct rules_question question = query->question;
	char plain[RULES_NAME_MAX];
	struct rules_verdict verdict;

	query->question.act = RULES_LOOKUP;
	query->question.name = rules_name(plain, query->host, strlen(query->host)) ? plain : NULL;
	verdict = decide(query);
	query->question = question;
	say(query, verdict.allowed, &verdict, "lookup %s", query->host);
	putc('\n', query->out);
	return verdict.allowed;
}

/* The kernel's places of the host's name servers have rules of their own. */
static bool is_server(const struct query *query, bool covers)
{
	struct name_servers servers = {.nr = 0};
	const struct rules_question *question = &query->question;

	if (!query->would->rules)
		return false;
	return covers ? name_servers_covers(&servers, 1, &question->addr, question->port)
		      : name_servers_has(&servers, 1, &question->addr, question->port);
}

static void ask_listen(struct query *query, const char *text)
{
	struct rules_verdict verdict = decide(query);
	bool privileged =
		(!query->would->rules ? query->would->ports_of_root : verdict.by_default) &&
		privileged_port(query->question.port, query->question.uid);
	bool taken = is_server(query, true);

	if (verdict.allowed && (privileged || taken))
		verdict.line = 0;
	say(query, verdict.allowed && !privileged && !taken, &verdict, "listen %s %s",
	    protocol_of(query), text);
	if (verdict.allowed && taken)
		fputs(": the place of this host's name server", query->out);
	else if (verdict.allowed && privileged)
		fputs(": a privileged port, which needs root or a rule", query->out);
	else
		query->allowed += verdict.allowed;
	putc('\n', query->out);
}

/* An allowed call may still fail: how much of the rule is in use is known to the running lfpd. */
static void say_limit(const struct query *query, const struct rule *rule)
{
	const struct rule_limit *limit = &rule->limit;
	const char *whose = limit->of_user ? "user" : "task";

	if (limit->connections)
		fprintf(query->out, ", limit connections %u per %s", limit->connections, whose);
	if (limit->rate)
		fprintf(query->out, ", limit rate %" PRIu64 " per %s", limit->rate, whose);
	fputs(" (see lfpd-admin limits)", query->out);
}

static void ask_connect(struct query *query, const char *text)
{
	struct rules_verdict verdict = decide(query), with_name = {.allowed = false};
	bool server = verdict.by_default && !verdict.allowed &&
		      query->question.protocol == RULES_UDP && is_server(query, false);
	char plain[RULES_NAME_MAX];

	if (verdict.naming && rules_name(plain, query->host, strlen(query->host))) {
		query->question.server = plain;
		query->question.naming = verdict.naming;
		query->question.upstream = verdict.upstream;
		with_name = decide(query);
		query->question.upstream = NULL;
		query->question.server = NULL;
		query->question.naming = RULES_UNNAMED;
		verdict.allowed = with_name.allowed;
	}
	say(query, verdict.allowed || server, &verdict, "connect %s %s", protocol_of(query), text);
	if (server)
		fputs(": a name server of this host; the rules decide about each query",
		      query->out);
	else if (verdict.naming)
		fprintf(query->out, ", if %s names the server %s (line %u)",
			verdict.naming == RULES_BY_TLS ? "TLS" : "HTTP", query->host,
			with_name.line);
	if (verdict.naming)
		verdict.limited = with_name.limited;
	if (verdict.allowed && verdict.limited)
		say_limit(query, verdict.limited);
	query->allowed += verdict.allowed || server;
	putc('\n', query->out);
}

/* Returns 0, or what RESTRICT_TO_HOSTID answers. A wildcard address is replaced. */
static int check_hostid(const struct query *query, struct sockaddr_storage *addr)
{
	const struct policy_socket sock = {.family = addr->ss_family,
					   .datagram = query->question.protocol == RULES_UDP};
	const struct policy *policy = query->would->policy;

	if (!policy)
		return 0;
	return query->question.act == RULES_CONNECT ? policy_reach(policy, &sock, addr)
						    : policy_bind(policy, &sock, addr);
}

static void ask_addr(struct query *query, struct sockaddr_storage *addr, const char *name)
{
	struct known_names known;
	char text[INET6_ADDRSTRLEN + PEER_MAX + 16], ip[INET6_ADDRSTRLEN], plain[RULES_NAME_MAX];
	bool connects = query->question.act == RULES_CONNECT;
	int rc = check_hostid(query, addr);
	uint16_t port;

	if (!rules_addr((const struct sockaddr *)addr, connects, &query->question.addr, &port))
		return;
	query->question.port = (uint16_t)query->port;
	if (IN6_IS_ADDR_V4MAPPED(&query->question.addr))
		inet_ntop(AF_INET, query->question.addr.s6_addr + 12, ip, sizeof(ip));
	else
		inet_ntop(AF_INET6, &query->question.addr, ip, sizeof(ip));
	snprintf(text, sizeof(text), strchr(ip, ':') ? "[%s]:%lu%s%s%s" : "%s:%lu%s%s%s", ip,
		 query->port, name ? " (" : "", name ? name : "", name ? ")" : "");
	if (rc) {
		say(query, false, NULL, "%s %s %s: %s", connects ? "connect" : "listen",
		    protocol_of(query), text, policy_why(query->would->policy, addr));
		putc('\n', query->out);
		return;
	}
	known_names_init(&known);
	if (name && rules_name(plain, name, strlen(name)))
		known_names_add(&known, plain, &query->question.addr, 1, query->question.uid);
	query->question.known = &known;
	if (connects)
		ask_connect(query, text);
	else
		ask_listen(query, text);
	query->question.known = NULL;
	known_names_finish(&known);
}

/* Asks about each address of @host, which has @name if that is not NULL. */
static int ask_each(struct query *query, const char *host, const char *name, int flags)
{
	const struct addrinfo hints = {
		.ai_flags = flags,
		.ai_socktype = query->question.protocol == RULES_TCP ? SOCK_STREAM : SOCK_DGRAM};
	struct addrinfo *list = NULL;
	int rc = getaddrinfo(host, NULL, &hints, &list);

	if (rc)
		return wrong("%s has no address here: %s; add an address to the call: at ADDRESS",
			     host, gai_strerror(rc));
	for (const struct addrinfo *at = list; at; at = at->ai_next) {
		struct sockaddr_storage addr = {.ss_family = AF_UNSPEC};

		memcpy(&addr, at->ai_addr, at->ai_addrlen);
		ask_addr(query, &addr, name);
	}
	freeaddrinfo(list);
	return LFP_EXIT_OK;
}

static bool is_address(const char *text)
{
	struct in6_addr in6;
	struct in_addr in;

	return inet_pton(AF_INET, text, &in) == 1 || inet_pton(AF_INET6, text, &in6) == 1;
}

/* Without it a listener of IPv6 is at VSE_HOSTID, too. */
static bool has_inet6(const struct query *query)
{
	const struct policy *policy = query->would->policy;

	return !policy || !policy->restricted || !IN6_IS_ADDR_UNSPECIFIED(&policy->hostid6);
}

static int ask(struct query *query)
{
	bool any = !*query->host || !strcmp(query->host, "any");
	int code;

	if (query->question.act == RULES_LOOKUP) {
		query->allowed += ask_lookup(query);
		return LFP_EXIT_OK;
	}
	if (query->question.act == RULES_LISTEN) {
		if (!any && !is_address(query->host) && strcmp(query->host, "localhost") != 0)
			return wrong("listen takes an address of this host, not %s", query->host);
		if (!any)
			return ask_each(query, query->host, NULL, 0);
		code = ask_each(query, "0.0.0.0", NULL, AI_NUMERICHOST);
		return code || !has_inet6(query) ? code
						 : ask_each(query, "::", NULL, AI_NUMERICHOST);
	}
	if (any)
		return wrong("connect needs one HOST");
	if (is_address(query->host))
		return ask_each(query, query->host, NULL, AI_NUMERICHOST);
	/* A refused look-up leaves the program without an address. */
	if (!ask_lookup(query))
		return LFP_EXIT_OK;
	return ask_each(query, query->at ? query->at : query->host, query->host,
			query->at ? AI_NUMERICHOST : 0);
}

/* Makes a subject of the words. A group that is named is one of several. */
static void describe(struct query *query)
{
	query->subject = (struct subject){
		.has_task = query->terms.has_task,
		.task = query->terms.task,
		.has_program = query->terms.program,
		.program = query->program,
		.nr_groups = query->terms.has_group,
		.groups = &query->terms.group,
	};
	query->question.who = &query->subject;
}

int would_ask(const struct would *would, char **words, FILE *out)
{
	static struct query query;
	int code;

	query = (struct query){.would = would, .out = out, .question = {.uid = getuid()}};
	code = read_words(&query, words);
	if (!code) {
		describe(&query);
		code = ask(&query);
	}
	if (code)
		return code;
	return query.allowed ? LFP_EXIT_OK : LFP_EXIT_FAILURE;
}
