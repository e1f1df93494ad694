/* SPDX-License-Identifier: Apache-2.0 */
/* learn.c - lfpd-admin's "policy learn": rules that the calls in the log would need */
#include "lfpd-admin/learn.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/exit.h"
#include "lfp/inside.h"
#include "lfp/log.h"
#include "lfpd-admin/log.h"

/*
 * Theory of operation
 *
 * Each record of a call becomes a struct seen. Sorted, the calls to one peer stand together, by
 * their ports, and become one struct need: a rule. Names of one domain that have the same ports
 * become one rule for the domain. What rules have refused is written as a comment: a person has to
 * decide whether the refusal was right.
 */

#define DOMAIN_LEAST  3u   /* names of a domain that become "*." */
#define RANGES_A_LINE 32u  /* of ports; lfpd takes 64 */
#define PEER_MAX      264u /* bytes: a name, or an address in brackets */
#define PORTS_TEXT    (RANGES_A_LINE * 12)
#define PROGRAMS_TOLD 4u
#define DNS_PORT      53u

enum act { CONNECT, LISTEN, LOOKUP };

static const char *const acts[] = {"connect", "listen", "lookup"};

struct seen {
	bool refused;
	enum act act;
	const char *protocol; /* "tcp", "udp", or "" of a look-up */
	char peer[PEER_MAX];
	bool is_name;
	unsigned int port;
	const char *program, *name; /* in the rows; @name: of an address */
};

struct need {
	const struct seen *first;
	size_t nr; /* of the calls at @first */
	char ports[PORTS_TEXT];
	bool covered; /* by another need */
};

struct list {
	struct seen *seen;
	struct need *needs;
	size_t nr_seen, nr_needs;
};

/* Sets @addr; IPv4 becomes mapped. */
static bool read_addr(const char *text, struct in6_addr *addr)
{
	struct in_addr v4;

	if (inet_pton(AF_INET, text, &v4) != 1)
		return inet_pton(AF_INET6, text, addr) == 1;
	*addr = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
	memcpy(addr->s6_addr + 12, &v4, sizeof(v4));
	return true;
}

/* Writes a name as rules have it. Returns false for one that they cannot have. */
static bool write_name(char out[static PEER_MAX], const char *name)
{
	size_t len = strlen(name);
	struct in6_addr addr;

	if (len && name[len - 1] == '.')
		len--;
	if (!len || len > 253)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i];

		if (!isascii(c) || !(isalnum(c) || strchr("-_.", c)) ||
		    (c == '.' && (!i || name[i - 1] == '.')))
			return false;
		out[i] = (char)tolower(c);
	}
	out[len] = '\0';
	/* In a rule these are all peers, and an address. */
	return strcmp(out, "any") != 0 && !read_addr(out, &addr);
}

static bool is_loopback(const struct in6_addr *addr)
{
	return IN6_IS_ADDR_LOOPBACK(addr) ||
	       (IN6_IS_ADDR_V4MAPPED(addr) && addr->s6_addr[12] == 127);
}

static bool is_wildcard(const struct in6_addr *addr)
{
	static const struct in6_addr v4any = {.s6_addr = {[10] = 0xff, [11] = 0xff}};

	return IN6_IS_ADDR_UNSPECIFIED(addr) || IN6_ARE_ADDR_EQUAL(addr, &v4any);
}

/* Chooses the widest peer that makes sense for an address. Returns false if there is none. */
static bool set_peer(struct seen *seen, const char *address, const char *name)
{
	struct in6_addr addr;

	if (!read_addr(address, &addr))
		return false;
	if (is_loopback(&addr)) {
		strcpy(seen->peer, "localhost");
	} else if (seen->act == LISTEN && is_wildcard(&addr)) {
		*seen->peer = '\0';
	} else if (seen->act == CONNECT && !lfp_is_inside(&addr) && write_name(seen->peer, name)) {
		seen->is_name = true;
	} else {
		snprintf(seen->peer, sizeof(seen->peer), strchr(address, ':') ? "[%.60s]" : "%.60s",
			 address);
		seen->name = name;
	}
	return true;
}

/* Returns false if the record needs no rule. */
static bool take(const struct rows *rows, size_t row, struct seen *seen)
{
	const char *event = rows_named(rows, row, "event"),
		   *by = rows_named(rows, row, "refused_by");
	const char *name = rows_named(rows, row, "name"), *result = rows_named(rows, row, "result");

	*seen = (struct seen){.refused = !strcmp(by, "rule"),
			      .protocol = rows_named(rows, row, "protocol"),
			      .program = rows_named(rows, row, "program"),
			      .name = ""};
	/* Limits and RESTRICT_TO_HOSTID are no matter of rules. */
	if (*by && !seen->refused)
		return false;
	if (!strcmp(event, "lookup")) {
		seen->act = LOOKUP;
		seen->protocol = "";
		/* A name that does not exist may as well be refused. */
		return (seen->refused || !strcmp(result, "OK")) && write_name(seen->peer, name) &&
		       (seen->is_name = true);
	}
	if (!strcmp(event, "connect") || !strcmp(event, "send")) {
		seen->act = CONNECT;
		seen->port = (unsigned int)strtoul(rows_named(rows, row, "port"), NULL, 10);
		return seen->port && set_peer(seen, rows_named(rows, row, "address"), name);
	}
	if (!strcmp(event, "bind")) {
		seen->act = LISTEN;
		seen->port = (unsigned int)strtoul(rows_named(rows, row, "local_port"), NULL, 10);
		/* Port 0 needs no rule. */
		return seen->port && set_peer(seen, rows_named(rows, row, "local_address"), "");
	}
	return false;
}

static int compare_peers(const struct seen *a, const struct seen *b)
{
	int rc = (int)a->refused - (int)b->refused;

	rc = rc ? rc : (int)a->act - (int)b->act;
	/* Names before addresses. */
	rc = rc ? rc : (int)b->is_name - (int)a->is_name;
	rc = rc ? rc : strcmp(a->protocol, b->protocol);
	return rc ? rc : strcmp(a->peer, b->peer);
}

static int compare(const void *one, const void *other)
{
	const struct seen *a = one, *b = other;
	int rc = compare_peers(a, b);

	return rc ? rc : (int)a->port - (int)b->port;
}

/* Writes the ports of the calls at @seen, which are sorted, until the line is full. Returns the
 * number of calls that it has used. */
static size_t write_ports(char out[static PORTS_TEXT], const struct seen *seen, size_t nr)
{
	size_t len = 0, at = 0;

	*out = '\0';
	for (unsigned int ranges = 0; at < nr && ranges < RANGES_A_LINE; ranges++) {
		unsigned int first = seen[at].port, last = first;

		for (; at < nr && seen[at].port <= last + 1; at++)
			last = seen[at].port;
		len += (size_t)snprintf(out + len, PORTS_TEXT - len, "%s%u", ranges ? "," : "",
					first);
		if (last > first)
			len += (size_t)snprintf(out + len, PORTS_TEXT - len, "-%u", last);
	}
	return at;
}

static void find_needs(struct list *list)
{
	for (size_t at = 0; at < list->nr_seen;) {
		struct need *need = &list->needs[list->nr_needs++];
		size_t nr = 1;

		while (at + nr < list->nr_seen &&
		       !compare_peers(&list->seen[at], &list->seen[at + nr]))
			nr++;
		need->first = &list->seen[at];
		need->nr = nr;
		if (need->first->act != LOOKUP)
			need->nr = write_ports(need->ports, need->first, nr);
		at += need->nr;
	}
}

/* Returns the domain of a name that may become "*.", or NULL. Everybody can have a name below a
 * domain such as "com" or "co.uk". */
static const char *domain_of(const struct need *need)
{
	const char *dot = need->first->is_name ? strchr(need->first->peer, '.') : NULL;
	const char *next = dot ? strchr(dot + 1, '.') : NULL;

	if (!next || (!strchr(next + 1, '.') && strlen(next + 1) == 2 && next - dot <= 4))
		return NULL;
	return dot + 1;
}

/* Returns true if both may be in one rule about a domain. */
static bool is_beside(const struct need *a, const struct need *b)
{
	const char *domain = domain_of(a), *other = domain_of(b);

	return domain && other && !b->covered && a->first->refused == b->first->refused &&
	       a->first->act == b->first->act && !strcmp(a->first->protocol, b->first->protocol) &&
	       !strcmp(a->ports, b->ports) && !strcmp(domain, other);
}

/* Adds a program that is not in the text yet. */
static void add_program(char *text, size_t size, unsigned int *told, const char *program)
{
	size_t len = strlen(text);

	program = *program ? program : "?";
	for (const char *at = text; (at = strstr(at, program)); at++)
		if ((at == text || at[-1] == ' ') && strchr(", ", at[strlen(program)]))
			return;
	if (++*told <= PROGRAMS_TOLD)
		snprintf(text + len, size - len, "%s%.40s", len ? ", " : "", program);
}

/* The calls of one rule, for its comment. */
struct summary {
	size_t calls, names;
	unsigned int told;
	char programs[PROGRAMS_TOLD * 48], text[512];
};

static void add_need(struct summary *summary, const struct need *need)
{
	size_t len = strlen(summary->text);

	summary->calls += need->nr;
	for (size_t i = 0; i < need->nr; i++)
		add_program(summary->programs, sizeof(summary->programs), &summary->told,
			    need->first[i].program);
	if (summary->names++ < 8 && need->first->is_name)
		snprintf(summary->text + len, sizeof(summary->text) - len, "%s%s", len ? " " : "",
			 need->first->peer);
}

static bool asks_server(const struct seen *seen)
{
	return seen->act == CONNECT && !strcmp(seen->protocol, "udp") && seen->port == DNS_PORT;
}

static void put_need(const struct need *need, const char *peer, const struct summary *summary,
		     FILE *out)
{
	const struct seen *seen = need->first;
	bool server = asks_server(seen) && !seen->is_name;

	fprintf(out, "# %zu %s by %s%s", summary->calls, summary->calls == 1 ? "call" : "calls",
		summary->programs, summary->told > PROGRAMS_TOLD ? " and others" : "");
	if (summary->names > 1)
		fprintf(out, ", to %zu names: %s%s", summary->names, summary->text,
			summary->names > 8 ? " ..." : "");
	if (*seen->name)
		fprintf(out, ", found as %s", seen->name);
	fputs(server          ? "; this host's name servers need no rule"
	      : seen->refused ? "; refused by the present rules"
			      : "",
	      out);
	fprintf(out, "\n%sallow %s%s%s %s%s%s\n", server || seen->refused ? "#" : "",
		acts[seen->act], *seen->protocol ? " " : "", seen->protocol, peer,
		*need->ports ? ":" : "", need->ports);
}

/* Writes a rule about @need, or about its domain. */
static void write_need(struct list *list, struct need *need, FILE *out)
{
	struct summary summary = {.calls = 0}, whole = {.calls = 0};
	char peer[PEER_MAX + 2];
	size_t beside = 0;

	add_need(&summary, need);
	for (size_t i = 0; i < list->nr_needs; i++) {
		if (!is_beside(need, &list->needs[i]))
			continue;
		beside++;
		add_need(&whole, &list->needs[i]);
	}
	if (beside < DOMAIN_LEAST) {
		put_need(need, need->first->peer, &summary, out);
		return;
	}
	for (size_t i = 0; i < list->nr_needs; i++)
		if (&list->needs[i] != need && is_beside(need, &list->needs[i]))
			list->needs[i].covered = true;
	snprintf(peer, sizeof(peer), "*.%s", domain_of(need));
	put_need(need, peer, &whole, out);
}

/* A rule about connections to a name allows its look-up, too. */
static void cover_lookups(struct list *list)
{
	for (size_t i = 0; i < list->nr_needs; i++)
		for (size_t j = 0; j < list->nr_needs && list->needs[i].first->act == LOOKUP; j++) {
			const struct seen *lookup = list->needs[i].first,
					  *other = list->needs[j].first;

			if (other->act == CONNECT && other->refused <= lookup->refused &&
			    !strcmp(other->peer, lookup->peer))
				list->needs[i].covered = true;
		}
}

int learn_rules(const struct rows *rows, const char *instance, FILE *out)
{
	struct list list = {.nr_seen = 0};
	int rc = -ENOMEM;

	list.seen = calloc(rows->nr + 1, sizeof(*list.seen));
	list.needs = calloc(rows->nr + 1, sizeof(*list.needs));
	if (!list.seen || !list.needs)
		goto done;
	for (size_t row = 0; row < rows->nr; row++)
		list.nr_seen += take(rows, row, &list.seen[list.nr_seen]);
	qsort(list.seen, list.nr_seen, sizeof(*list.seen), compare);
	find_needs(&list);
	cover_lookups(&list);
	fprintf(out,
		"# Rules that %zu records in the log of instance %s need. Read them before use: a\n"
		"# rule about a name also allows what shares its address, see lfpd-policy(5).\n",
		rows->nr, instance);
	for (size_t i = 0; i < list.nr_needs; i++)
		if (!list.needs[i].covered)
			write_need(&list, &list.needs[i], out);
	fputs("default deny\n", out);
	rc = 0;
done:
	free(list.seen);
	free(list.needs);
	return rc;
}

int command_learn(struct view *view)
{
	struct ask_error error;
	struct rows rows;
	int code = log_rows(view, &rows), rc;

	if (code)
		return code;
	rc = learn_rules(&rows, view->name, stdout);
	rows_finish(&rows);
	if (rc) {
		view_fail(view, rc, &error);
		return ask_say(&error);
	}
	if (fflush(stdout)) {
		lfp_msg("VLFD905E", "Cannot write the output: %s.", strerror(errno));
		return LFP_EXIT_FAILURE;
	}
	return LFP_EXIT_OK;
}
