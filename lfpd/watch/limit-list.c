/* SPDX-License-Identifier: Apache-2.0 */
/* limit-list.c - tasks and users under a rule with a limit, as an answer to lfpd-admin */
#include "lfpd/watch/lists.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lfpd/users/meter.h"

#define ROWS_A_PIECE 256

struct list {
	struct instance *instance;
	size_t nr, at;
	uint64_t serials[];
};

static void forget(void *state)
{
	free(state);
}

static void put(const struct meter *meter, FILE *out)
{
	const struct rule_limit *limit = &meter->limit;

	fprintf(out, "row\t%u\t", meter->line);
	if (meter->owner.has_task)
		fprintf(out, "%02X", meter->owner.task);
	fprintf(out, "\t%" PRIu32 "\t%u\t", meter->owner.uid, meter->connections);
	if (limit->connections)
		fprintf(out, "%" PRIu32, limit->connections);
	fprintf(out, "\t%" PRIu64 "\t", meter->refused);
	if (limit->rate)
		fprintf(out, "%" PRIu64, limit->rate);
	fprintf(out, "\t%" PRIu64 "\t%" PRIu64 "\t%s\n", meter->bytes[METER_OUT],
		meter->bytes[METER_IN], lfp_list_empty(&meter->slow) ? "no" : "yes");
}

static bool more(void *state, FILE *out)
{
	struct list *list = state;

	for (size_t i = 0; i < ROWS_A_PIECE && list->at < list->nr; i++, list->at++) {
		struct lfp_table_link *node =
			lfp_table_find(&list->instance->meters, list->serials[list->at]);

		if (node)
			put(meter_of(node), out);
	}
	return list->at < list->nr;
}

int limit_list(struct instance *inst, struct server_client *client, FILE *out)
{
	struct lfp_table_link *node = NULL;
	struct list *list;
	size_t nr;

	meters_forget_paid(inst);
	nr = inst->meters.count;
	list = malloc(sizeof(*list) + nr * sizeof(list->serials[0]));
	if (!list)
		return -ENOMEM;
	*list = (struct list){.instance = inst};
	while (list->nr < nr && (node = lfp_table_next(&inst->meters, node)))
		list->serials[list->nr++] = node->key;
	fputs("ok\ncolumns\trule:n\ttask:s\tuid:n\tconnections:n\tconnections_max:n\trefused:n\t"
	      "rate:n\tbytes_out:n\tbytes_in:n\theld:s\n",
	      out);
	server_go_on(client, more, forget, list);
	return 0;
}
