/* SPDX-License-Identifier: Apache-2.0 */
/* rule-names.h - the rules about names */
#ifndef LFPD_POLICY_RULE_NAMES_H
#define LFPD_POLICY_RULE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "lfpd/policy/rule-list.h"

enum rule_name_kind {
	RULE_NAME,  /* the name alone */
	RULE_BELOW, /* all names below it */
};

/* The rules of one name. */
struct rule_name {
	struct rule_list list;
	enum rule_name_kind kind;
	char name[]; /* as rules_name() writes it */
};

/* A hash table with open addressing: a look at one slot mostly tells that a name has no rule. All
 * zero is an empty one. */
struct rule_names {
	struct rule_name_slot {
		uint64_t key;
		struct rule_name *name; /* NULL: free */
	} * slots;
	size_t nr, room; /* room is a power of two */
};

/* Adds a rule. Returns 0 or -ENOMEM. */
int rule_names_add(struct rule_names *names, enum rule_name_kind kind, const char *name,
		   struct rule *rule);

int rule_names_seal(struct rule_names *names);

/* Calls @fn for the rules of this name, and for those of all names that it is below. */
void rule_names_each(const struct rule_names *names, const char *name,
		     void (*fn)(void *data, const struct rule_list *list), void *data);

void rule_names_finish(struct rule_names *names);

#endif
