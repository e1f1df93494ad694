/* SPDX-License-Identifier: Apache-2.0 */
/* rule-line.c - reads a line of POLICY_FILE that has a rule */
#include "lfpd/policy/rule-line.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/accounts.h"
#include "lfp/number.h"
#include "lfpd/policy/rule-limit.h"
#include "lfpd/policy/rule-peer.h"
#include "lfpd/policy/upstream.h"

#define PROTOCOLS (RULES_TCP | RULES_UDP)

/* A rule while its line is read. */
struct draft {
	struct rule rule;
	struct port_range ports[RULE_PORTS_MAX];
	char program[PATH_MAX];
};

/* Reads what follows "sni" or "host". */
static int read_naming(struct rule_words *words, enum rules_naming naming, const char *peer,
		       struct draft *draft)
{
	const char *word = naming == RULES_BY_TLS ? "sni" : "host";

	draft->rule.naming = naming;
	draft->rule.ech = naming == RULES_BY_TLS && rule_words_take(words, "ech");
	if (!draft->rule.allow || !(draft->rule.acts & RULES_CONNECT))
		return rule_words_fail(words, "\"%s\" belongs to allow connect", word);
	if (!(draft->rule.protocols & RULES_TCP))
		return rule_words_fail(words, "\"%s\" belongs to tcp", word);
	if (!rule_peer_is_name(peer))
		return rule_words_fail(words, "\"%s\" belongs to a rule about a name", word);
	draft->rule.protocols = RULES_TCP;
	return 0;
}

static int read_user(struct rule_words *words, struct draft *draft)
{
	const char *name = rule_words_peek(words);
	unsigned long uid;

	if (!name)
		return rule_words_fail(words, "no name or number after \"user\"");
	words->at++;
	draft->rule.has_user = true;
	if (!lfp_number(name, 0, UINT32_MAX - 1, &uid)) {
		draft->rule.uid = (uint32_t)uid;
		return 0;
	}
	if (!lfp_accounts_user(name, &draft->rule.uid))
		return rule_words_fail(words, "this host has no user \"%s\"", name);
	return 0;
}

/* Reads "user", "group", "program" and "task", in any order. */
static int read_who(struct rule_words *words, struct draft *draft)
{
	char why[SUBJECT_WHY];
	int rc = 1;

	while (rc > 0 && rule_words_peek(words)) {
		if (!draft->rule.has_user && rule_words_take(words, "user")) {
			rc = read_user(words, draft) ? -EINVAL : 1;
			continue;
		}
		rc = subject_read(&draft->rule.subject, rule_words_peek(words),
				  words->at + 1 < words->nr ? words->list[words->at + 1] : NULL,
				  draft->program, why);
		if (rc < 0)
			return rule_words_fail(words, "%s", why);
		words->at += rc ? 2 : 0;
	}
	return rc < 0 ? rc : 0;
}

/* Adds the rule to the set. Returns NULL without memory. */
static struct rule *keep(const struct rule_words *words, const struct draft *draft)
{
	struct rules *rules = words->rules;
	size_t ports = draft->rule.nr_ports * sizeof(struct port_range);
	size_t program = draft->rule.subject.program ? strlen(draft->program) + 1 : 0;
	struct rule *rule = malloc(sizeof(*rule) + ports + program);

	if (rule && rules->nr == rules->room) {
		size_t more = rules->room ? 2 * rules->room : 16;
		struct rule **larger = realloc(rules->all, more * sizeof(struct rule *));

		if (!larger) {
			free(rule);
			rule = NULL;
		} else {
			rules->all = larger;
			rules->room = more;
		}
	}
	if (!rule) {
		rule_words_memory(words, -ENOMEM);
		return NULL;
	}
	*rule = draft->rule;
	rule->ports = memcpy(rule + 1, draft->ports, ports);
	rules->names_program |= program;
	rules->names_group |= rule->subject.has_group;
	rules->has_limits |= rule_limit_is_set(&rule->limit);
	if (program)
		rule->subject.program = memcpy((char *)(rule + 1) + ports, draft->program, program);
	rules->all[rules->nr++] = rule;
	return rule;
}

static int read_limit(struct rule_words *words, struct draft *draft)
{
	if (!draft->rule.allow || !(draft->rule.acts & RULES_CONNECT))
		return rule_words_fail(words, "\"limit\" belongs to allow connect");
	return rule_limit_read(words, draft->rule.protocols & RULES_TCP, &draft->rule.limit);
}

static int read_act(struct rule_words *words, struct draft *draft)
{
	if (rule_words_take(words, "connect"))
		draft->rule.acts = RULES_CONNECT;
	else if (rule_words_take(words, "listen"))
		draft->rule.acts = RULES_LISTEN;
	else if (rule_words_take(words, "lookup"))
		draft->rule.acts = RULES_LOOKUP;
	else
		return rule_words_fail(words, "expected connect, listen or lookup, not \"%s\"",
				       rule_words_peek(words) ? rule_words_peek(words) : "");
	/* A program must look the name up before it can connect. */
	if (draft->rule.allow && draft->rule.acts == RULES_CONNECT)
		draft->rule.acts |= RULES_LOOKUP;
	draft->rule.protocols = PROTOCOLS;
	if (draft->rule.acts == RULES_LOOKUP)
		return 0;
	if (rule_words_take(words, "tcp"))
		draft->rule.protocols = RULES_TCP;
	else if (rule_words_take(words, "udp"))
		draft->rule.protocols = RULES_UDP;
	return 0;
}

/* HTTP carries connections of TCP, SOCKS5 datagrams, too. */
static int check_upstream(const struct rule_words *words, struct upstream *upstream,
			  struct draft *draft)
{
	if (!upstream)
		return 0;
	if (!(draft->rule.acts & RULES_CONNECT))
		return rule_words_fail(words, "\"ask-upstream\" takes connect");
	if (!upstream_takes_udp(upstream) && draft->rule.protocols == RULES_UDP)
		return rule_words_fail(words, "an upstream of HTTP takes connect tcp");
	if (!upstream_takes_udp(upstream))
		draft->rule.protocols = RULES_TCP;
	draft->rule.upstream = upstream;
	return 0;
}

int rule_line_read(struct rule_words *words, bool allow, struct upstream *upstream)
{
	struct draft draft;
	char *peer, *ports;
	struct rule *rule;

	draft.rule = (struct rule){.line = words->line, .allow = allow};
	if (read_act(words, &draft) || check_upstream(words, upstream, &draft))
		return -EINVAL;
	if (!rule_words_peek(words))
		return rule_words_fail(words, "the peer is missing");
	if (rule_peer_split(words, words->list[words->at++], &peer, &ports))
		return -EINVAL;
	if (ports && draft.rule.acts == RULES_LOOKUP)
		return rule_words_fail(words, "lookup takes no port");
	if (ports && rule_peer_ports(words, ports, draft.ports, &draft.rule.nr_ports))
		return -EINVAL;
	if (read_who(words, &draft))
		return -EINVAL;
	if (rule_words_take(words, "sni")) {
		if (read_naming(words, RULES_BY_TLS, peer, &draft))
			return -EINVAL;
	} else if (rule_words_take(words, "host") &&
		   read_naming(words, RULES_BY_HTTP, peer, &draft)) {
		return -EINVAL;
	}
	if (rule_words_take(words, "limit") && read_limit(words, &draft))
		return -EINVAL;
	if (rule_words_peek(words))
		return rule_words_fail(words, "\"%s\" is not expected here%s",
				       rule_words_peek(words),
				       isdigit((unsigned char)*rule_words_peek(words))
					       ? "; ports follow a colon, as in HOST:443"
					       : "");
	rule = keep(words, &draft);
	if (!rule)
		return -ENOMEM;
	return rule_peer_add(words, peer, rule);
}
