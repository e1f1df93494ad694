/* SPDX-License-Identifier: Apache-2.0 */
/* rule-set.h - all rules of a file, where a search finds them */
#ifndef LFPD_POLICY_RULE_SET_H
#define LFPD_POLICY_RULE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lfpd/policy/rule-list.h"
#include "lfpd/policy/rule-names.h"
#include "lfpd/policy/rule-prefixes.h"
#include "lfpd/policy/upstream.h"

struct rules {
	struct rule_list any;
	struct rule_names names;
	struct rule_prefixes prefixes;
	struct rule_list shut4, shut6; /* rules that deny listening at addresses of IPv4, IPv6 */
	struct rule **all;             /* in the order of their lines; owns them */
	size_t nr, room;
	struct upstream **upstreams; /* owns a reference of each */
	size_t nr_upstreams;
	bool names_program, names_group; /* a rule does */
	bool has_limits;                 /* a rule has */
	bool default_allow;
	struct upstream *default_upstream; /* as of a rule */
	unsigned int default_line;
	uint64_t digest; /* of the text */
};

/* Prepares the search in a complete set. Returns 0 or -ENOMEM. */
int rule_set_seal(struct rules *rules);

/* Takes over a reference. Returns 0; -EEXIST if there is one of this name; or -ENOMEM. After an
 * error the reference is still the caller's. */
int rules_add_upstream(struct rules *rules, struct upstream *upstream);
struct upstream *rules_find_upstream(const struct rules *rules, const char *name);

/* The set has no upstreams any more. */
void rule_set_drop_upstreams(struct rules *rules);

/* Frees the rules, if any. */
void rule_set_free(struct rules *rules);

#endif
