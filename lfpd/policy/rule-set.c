/* SPDX-License-Identifier: Apache-2.0 */
/* rule-set.c - all rules of a file, where a search finds them */
#include "lfpd/policy/rule-set.h"

#include <errno.h>
#include <stdlib.h>

int rule_set_seal(struct rules *rules)
{
	struct rule_list *lists[] = {&rules->any, &rules->shut4, &rules->shut6};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (rule_list_seal(lists[i]))
			return -ENOMEM;
	return rule_names_seal(&rules->names) || rule_prefixes_seal(&rules->prefixes) ? -ENOMEM : 0;
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
	free(rules);
}
