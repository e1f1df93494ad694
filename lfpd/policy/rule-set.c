/* SPDX-License-Identifier: Apache-2.0 */
/* rule-set.c - all rules of a file, where a search finds them */
#include "lfpd/policy/rule-set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int rule_set_seal(struct rules *rules)
{
	struct rule_list *lists[] = {&rules->any, &rules->shut4, &rules->shut6};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (rule_list_seal(lists[i]))
			return -ENOMEM;
	return rule_names_seal(&rules->names) || rule_prefixes_seal(&rules->prefixes) ? -ENOMEM : 0;
}

struct upstream *rules_find_upstream(const struct rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->nr_upstreams; i++)
		if (!strcmp(rules->upstreams[i]->name, name))
			return rules->upstreams[i];
	return NULL;
}

int rules_add_upstream(struct rules *rules, struct upstream *upstream)
{
	struct upstream **larger;

	if (rules_find_upstream(rules, upstream->name))
		return -EEXIST;
	larger = realloc(rules->upstreams, (rules->nr_upstreams + 1) * sizeof(struct upstream *));
	if (!larger)
		return -ENOMEM;
	rules->upstreams = larger;
	rules->upstreams[rules->nr_upstreams++] = upstream;
	return 0;
}

void rule_set_drop_upstreams(struct rules *rules)
{
	for (size_t i = 0; i < rules->nr_upstreams; i++)
		upstream_drop(rules->upstreams[i]);
	rules->nr_upstreams = 0;
}

void rule_set_free(struct rules *rules)
{
	if (!rules)
		return;
	rule_list_finish(&rules->any);
	rule_names_finish(&rules->names);
	rule_prefixes_finish(&rules->prefixes);
	rule_list_finish(&rules->shut4);
	rule_list_finish(&rules->shut6);
	for (size_t i = 0; i < rules->nr; i++)
		free(rules->all[i]);
	free(rules->all);
	rule_set_drop_upstreams(rules);
	free(rules->upstreams);
	free(rules);
}
