/* SPDX-License-Identifier: Apache-2.0 */
/* rule-prefixes.h - the rules about prefixes of addresses */
#ifndef LFPD_POLICY_RULE_PREFIXES_H
#define LFPD_POLICY_RULE_PREFIXES_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#include "lfpd/policy/rule-list.h"

/*
 * Theory of operation
 *
 * Prefixes have an order: that of their addresses, a shorter one before a longer one. The prefixes
 * of an address are the last one in this order that is not behind the address, or prefixes around
 * that one. Each prefix has the place of the next one around it.
 *
 * The search is in a tree. A node has the keys of four prefixes, which fill one line of the
 * processor's cache, and leads to five nodes: one before each key, and one behind the last. Nodes
 * have no pointers: node n leads to nodes 5n + 1 to 5n + 5.
 */
struct rule_prefixes {
	struct rule_prefix *list; /* until the search is prepared */
	size_t nr, room;
	struct rule_prefix_node *nodes; /* from then on */
	size_t nr_nodes;
	struct rule_list *lists; /* of prefixes with several rules */
	size_t nr_lists;
};

/* Adds a rule. The first @bits bits of @addr count. Returns 0 or -ENOMEM. */
int rule_prefixes_add(struct rule_prefixes *prefixes, const struct in6_addr *addr,
		      unsigned int bits, struct rule *rule);

/* Prepares the search, after which no rule may be added. Returns 0 or -ENOMEM. */
int rule_prefixes_seal(struct rule_prefixes *prefixes);

/* Calls @fn for the rules of each prefix of @addr that has at least @least bits. */
void rule_prefixes_each(const struct rule_prefixes *prefixes, const struct in6_addr *addr,
			unsigned int least, void (*fn)(void *data, const struct rule_list *list),
			void *data);

void rule_prefixes_finish(struct rule_prefixes *prefixes);

#endif
