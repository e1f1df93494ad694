/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - decides by the rules of POLICY_FILE */
#include "lfpd/policy/rules.h"

#include <ctype.h>
#include <string.h>

#include "lfp/inside.h"
#include "lfpd/policy/known-names.h"
#include "lfpd/policy/rule-set.h"

#define V4_BITS   96u /* before a mapped address of IPv4 */
#define LABEL_MAX 63u

void rules_free(struct rules *rules)
{
	rule_set_free(rules);
}

void rules_drop_upstreams(struct rules *rules)
{
	rule_set_drop_upstreams(rules);
}

uint64_t rules_digest(const struct rules *rules)
{
	return rules->digest;
}

bool rules_name_program(const struct rules *rules)
{
	return rules->names_program;
}

bool rules_name_group(const struct rules *rules)
{
	return rules->names_group;
}

bool rules_have_limits(const struct rules *rules)
{
	return rules->has_limits;
}

const struct rule *rules_limited(const struct rules *rules, unsigned int line)
{
	size_t first = 0, end = rules->nr;

	while (first < end) {
		size_t at = first + (end - first) / 2;

		if (rules->all[at]->line < line)
			first = at + 1;
		else
			end = at;
	}
	if (first == rules->nr || rules->all[first]->line != line ||
	    !rule_limit_is_set(&rules->all[first]->limit))
		return NULL;
	return rules->all[first];
}

static bool has_port(const struct rule *rule, uint16_t port)
{
	for (unsigned int i = 0; i < rule->nr_ports; i++)
		if (port >= rule->ports[i].first && port <= rule->ports[i].last)
			return true;
	return !rule->nr_ports;
}

static bool has_user(const struct rule *rule, const struct rules_question *question)
{
	if (rule->has_user && question->who && question->who->is_unknown)
		return !rule->allow;
	return !rule->has_user || rule->uid == question->uid;
}

static bool matches(const struct rule *rule, const struct rules_question *question)
{
	if (!(rule->acts & question->act) || !has_user(rule, question) ||
	    !subject_matches(&rule->subject, question->who, !rule->allow))
		return false;
	/* A program looks a name up before it names a port. */
	if (question->act == RULES_LOOKUP)
		return true;
	return (rule->protocols & question->protocol) && has_port(rule, question->port);
}

/* The search for the first rule that matches. */
struct search {
	const struct rules *rules;
	const struct rules_question *question;
	const struct rule *best;
	bool only_deny;   /* skip rules that allow */
	bool need_ech;    /* skip rules that allow, except those with "ech" */
	const char *name; /* under which @best was found, or NULL */
};

static bool is_named_otherwise(const struct rule *rule, const struct rules_question *question)
{
	return question->server && rule->naming && rule->naming != question->naming;
}

static void look_through(struct search *search, const struct rule_span *span)
{
	for (size_t i = 0; i < span->nr; i++) {
		const struct rule *rule = span->rules[i];

		if (search->best && rule->line > search->best->line)
			return;
		if ((rule->allow && (search->only_deny || (search->need_ech && !rule->ech) ||
				     is_named_otherwise(rule, search->question))) ||
		    !matches(rule, search->question))
			continue;
		search->best = rule;
		return;
	}
}

static void look_in(void *data, const struct rule_list *list)
{
	struct rule_span spans[RULE_SPANS_MAX];
	struct search *search = data;
	const struct rules_question *question = search->question;
	unsigned int nr =
		rule_list_find(list, question->act == RULES_LOOKUP ? 0 : question->port, spans);

	for (unsigned int i = 0; i < nr; i++)
		look_through(search, &spans[i]);
}

static void look_by_addr(struct search *search)
{
	/* A shorter prefix is one of IPv6 alone. */
	unsigned int least = IN6_IS_ADDR_V4MAPPED(&search->question->addr) ? V4_BITS : 0;

	rule_prefixes_each(&search->rules->prefixes, &search->question->addr, least, look_in,
			   search);
}

/* A socket at a wildcard address serves each address of the host. So it may listen only where no
 * address is denied. */
static void look_at_wildcard(struct search *search)
{
	const struct in6_addr v4any = {.s6_addr = {[10] = 0xff, [11] = 0xff}};
	const struct rules_question *question = search->question;
	bool v6 = IN6_IS_ADDR_UNSPECIFIED(&question->addr);

	if (v6)
		look_in(search, &search->rules->shut6);
	if (IN6_ARE_ADDR_EQUAL(&question->addr, &v4any) || (v6 && !question->v6only))
		look_in(search, &search->rules->shut4);
}

static void look_by_name(struct search *search, const char *name)
{
	rule_names_each(&search->rules->names, name, look_in, search);
}

/* The same for a name of the address. Several of them may have one rule: the proxy gets one that
 * the user has found. */
static void on_known(void *data, const char *name, bool own)
{
	struct search *search = data;
	const struct rule *before = search->best, *found;

	search->best = NULL;
	look_by_name(search, name);
	found = search->best;
	if (!found || (before && before->line < found->line)) {
		search->best = before;
		return;
	}
	if (found != before)
		search->name = NULL;
	if (own)
		search->name = name;
}

/* Looks through the rules about the names of the peer. */
static void look_by_peer(struct search *search)
{
	const struct rules_question *question = search->question;

	if (question->server)
		look_by_name(search, question->server);
	else if (question->known && question->act == RULES_CONNECT)
		known_names_each(question->known, &question->addr, question->now, question->uid,
				 on_known, search);
}

/* Returns the line of the rule that would allow the name if its address were not a private one.
 * @search: before it has looked at names. */
static unsigned int passed_over(struct search search)
{
	const struct rule *by_addr = search.best;

	search.only_deny = false;
	look_by_peer(&search);
	return search.best && search.best != by_addr && search.best->allow ? search.best->line : 0;
}

struct upstream *rules_upstream(const struct rules *rules, const char *name)
{
	return rules_find_upstream(rules, name);
}

/* Chooses the name that a proxy gets. It is the one that the rule is about: the address may have
 * other names, which the program has chosen. A rule about addresses allows the address alone. */
static const char *choose_name(const struct search *search, const struct rule *of_any)
{
	const struct rules_question *question = search->question;

	if (!question->known || search->best != of_any)
		return search->name;
	return known_names_last(question->known, &question->addr, question->now, question->uid);
}

static void ask_upstream(const struct search *search, const struct rule *of_any,
			 struct rules_verdict *verdict)
{
	const struct rules_question *question = search->question;
	struct upstream *upstream =
		search->best ? search->best->upstream : search->rules->default_upstream;

	/* The last line stands for rules that connect, and look up names. */
	if (upstream && !search->best &&
	    (question->act == RULES_LISTEN ||
	     (question->act == RULES_CONNECT && question->protocol == RULES_UDP &&
	      !upstream_takes_udp(upstream))))
		verdict->allowed = false;
	if (question->act != RULES_CONNECT || !verdict->allowed)
		return;
	/* A server that is allowed by another way is not allowed by this one. */
	if (question->server && !upstream_same(upstream, question->upstream))
		verdict->allowed = false;
	verdict->upstream = upstream;
	if (upstream && upstream->sends_names && !question->server)
		verdict->upstream_name = choose_name(search, of_any);
}

struct rules_verdict rules_decide(const struct rules *rules, const struct rules_question *question)
{
	struct search search = {.rules = rules, .question = question}, before;
	const struct rule *of_any;
	struct rules_verdict verdict = {
		.allowed = rules->default_allow, .by_default = true, .line = rules->default_line};

	look_in(&search, &rules->any);
	of_any = search.best;
	if (question->act == RULES_LOOKUP) {
		if (question->name)
			look_by_name(&search, question->name);
	} else {
		look_by_addr(&search);
		if (question->act == RULES_LISTEN)
			look_at_wildcard(&search);
		search.only_deny = lfp_is_inside(&question->addr);
		search.need_ech = question->server && question->is_encrypted;
		before = search;
		look_by_peer(&search);
		if (search.only_deny && !(search.best ? search.best->allow : rules->default_allow))
			verdict.passed_over = passed_over(before);
	}
	if (search.best) {
		verdict.allowed = search.best->allow;
		verdict.by_default = false;
		verdict.line = search.best->line;
		if (question->act == RULES_CONNECT && !question->server)
			verdict.naming = search.best->naming;
		if (question->act == RULES_CONNECT && search.best->allow &&
		    rule_limit_is_set(&search.best->limit))
			verdict.limited = search.best;
	}
	ask_upstream(&search, of_any, &verdict);
	return verdict;
}

bool rules_name(char out[static RULES_NAME_MAX], const char *name, size_t len)
{
	size_t label = 0;

	if (len && name[len - 1] == '.')
		len--;
	if (!len || len >= RULES_NAME_MAX)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c == '.' ? !label : !(isascii(c) && (isalnum(c) || c == '-' || c == '_')))
			return false;
		label = c == '.' ? 0 : label + 1;
		if (label > LABEL_MAX)
			return false;
		out[i] = (char)tolower(c);
	}
	out[len] = '\0';
	return label;
}

bool rules_addr(const struct sockaddr *addr, bool destination, struct in6_addr *out, uint16_t *port)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)addr;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)addr;
	uint32_t v4;

	switch (addr->sa_family) {
	case AF_INET:
		v4 = in->sin_addr.s_addr;
		break;
	case AF_INET6:
		*port = ntohs(in6->sin6_port);
		*out = in6->sin6_addr;
		if (destination && IN6_IS_ADDR_UNSPECIFIED(out))
			*out = in6addr_loopback;
		if (!IN6_IS_ADDR_V4MAPPED(out))
			return true;
		memcpy(&v4, out->s6_addr + 12, sizeof(v4));
		break;
	default:
		return false;
	}
	if (addr->sa_family == AF_INET)
		*port = ntohs(in->sin_port);
	if (destination && v4 == htonl(INADDR_ANY))
		v4 = htonl(INADDR_LOOPBACK);
	*out = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
	memcpy(out->s6_addr + 12, &v4, sizeof(v4));
	return true;
}
