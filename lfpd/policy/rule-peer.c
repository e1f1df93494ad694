/* SPDX-License-Identifier: Apache-2.0 */
/* rule-peer.c - the peer and the ports of a rule */
#include "lfpd/policy/rule-peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "lfp/number.h"
#include "lfpd/policy/idna.h"
#include "lfpd/policy/rules.h"

#define V4_BITS 96u /* before a mapped address of IPv4 */

static int read_range(const struct rule_words *words, char *text, struct port_range *range)
{
	char *dash = strchr(text, '-');
	unsigned long first, last;

	if (dash)
		*dash++ = '\0';
	if (lfp_number(text, 1, 65535, &first) || lfp_number(dash ? dash : text, 1, 65535, &last))
		return rule_words_fail(words, "a port is a number from 1 to 65535, not \"%s%s%s\"",
				       text, dash ? "-" : "", dash ? dash : "");
	if (first > last)
		return rule_words_fail(words, "the range of ports %lu-%lu is empty", first, last);
	*range = (struct port_range){(uint16_t)first, (uint16_t)last};
	return 0;
}

int rule_peer_ports(const struct rule_words *words, char *text,
		    struct port_range ports[static RULE_PORTS_MAX], unsigned int *nr)
{
	char *next;

	*nr = 0;
	if (!strcmp(text, "*"))
		return 0;
	for (; text; text = next) {
		next = strchr(text, ',');
		if (next)
			*next++ = '\0';
		if (*nr == RULE_PORTS_MAX)
			return rule_words_fail(words, "more than %d ports or ranges",
					       RULE_PORTS_MAX);
		if (read_range(words, text, &ports[*nr]))
			return -EINVAL;
		(*nr)++;
	}
	return 0;
}

int rule_peer_split(const struct rule_words *words, char *text, char **peer, char **ports)
{
	char *colon = strchr(text, ':');

	*peer = text;
	*ports = NULL;
	if (*text == '[') {
		char *end = strchr(text, ']');

		if (!end || (end[1] && end[1] != ':'))
			return rule_words_fail(words, "\"%s\" is not [ADDRESS] or [ADDRESS]:PORTS",
					       text);
		*peer = text + 1;
		*ports = end[1] ? end + 2 : NULL;
		*end = '\0';
	} else if (colon && !strchr(colon + 1, ':')) {
		*ports = colon + 1;
		*colon = '\0';
	}
	if (*ports && !**ports)
		return rule_words_fail(words, "no port after the colon of \"%s:\"", *peer);
	return 0;
}

/* Reads "ADDRESS" or "ADDRESS/BITS". Returns false if @text has no address. Sets @is_wrong if only
 * BITS is wrong. */
static bool read_prefix(char *text, struct in6_addr *addr, unsigned int *bits, bool *is_wrong)
{
	char *slash = strchr(text, '/');
	unsigned long length;
	struct in_addr v4;
	unsigned int extra = 0, most = 128;
	bool found;

	if (slash)
		*slash = '\0';
	if (inet_pton(AF_INET, text, &v4) == 1) {
		*addr = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
		memcpy(addr->s6_addr + 12, &v4, sizeof(v4));
		extra = V4_BITS;
		most = 32;
		found = true;
	} else {
		found = inet_pton(AF_INET6, text, addr) == 1;
	}
	length = most;
	*is_wrong = slash && found && lfp_number(slash + 1, 0, most, &length);
	if (slash)
		*slash = '/';
	*bits = extra + (unsigned int)length;
	return found;
}

static int add_prefix(struct rules *rules, const struct in6_addr *addr, unsigned int bits,
		      struct rule *rule)
{
	int rc = rule_prefixes_add(&rules->prefixes, addr, bits, rule);

	if (!rc && !rule->allow && rule->acts & RULES_LISTEN)
		rc = rule_list_add(bits >= V4_BITS && IN6_IS_ADDR_V4MAPPED(addr) ? &rules->shut4
										 : &rules->shut6,
				   rule);
	return rc;
}

static int add_localhost(struct rules *rules, struct rule *rule)
{
	struct in6_addr v4 = {.s6_addr = {[10] = 0xff, [11] = 0xff, [12] = 127}};
	int rc = add_prefix(rules, &v4, V4_BITS + 8, rule);

	if (!rc)
		rc = add_prefix(rules, &in6addr_loopback, 128, rule);
	return rc ? rc : rule_names_add(&rules->names, RULE_NAME, "localhost", rule);
}

int rule_peer_add(const struct rule_words *words, char *peer, struct rule *rule)
{
	struct rules *rules = words->rules;
	char name[RULES_NAME_MAX];
	struct in6_addr addr;
	unsigned int bits;
	bool below = !strncmp(peer, "*.", 2), is_wrong;
	const char *why;

	if (!*peer || !strcmp(peer, "any"))
		return rule_words_memory(words, rule_list_add(&rules->any, rule));
	if (!strcmp(peer, "localhost"))
		return rule_words_memory(words, add_localhost(rules, rule));
	if (read_prefix(peer, &addr, &bits, &is_wrong)) {
		if (is_wrong)
			return rule_words_fail(words, "the prefix length of %s is wrong", peer);
		if (rule->acts == RULES_LOOKUP)
			return rule_words_fail(words, "lookup takes a name, and %s is an address",
					       peer);
		rule->acts &= (uint8_t)~RULES_LOOKUP;
		return rule_words_memory(words, add_prefix(rules, &addr, bits, rule));
	}
	why = idna_name(name, peer + (below ? 2 : 0));
	if (why)
		return rule_words_fail(words,
				       "\"%s\" is neither an address, nor a prefix, nor a name: %s",
				       peer, why);
	if (rule->acts & RULES_LISTEN)
		return rule_words_fail(
			words, "listen takes an address of this host, and %s is a name", peer);
	return rule_words_memory(
		words, rule_names_add(&rules->names, below ? RULE_BELOW : RULE_NAME, name, rule));
}

bool rule_peer_is_name(const char *peer)
{
	struct in6_addr addr;
	unsigned int bits;
	bool is_wrong;

	/* read_prefix() leaves the text as it was. */
	return *peer && strcmp(peer, "any") != 0 && strcmp(peer, "localhost") != 0 &&
	       !read_prefix((char *)(uintptr_t)peer, &addr, &bits, &is_wrong);
}
