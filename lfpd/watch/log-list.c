/* SPDX-License-Identifier: Apache-2.0 */
/* log-list.c - the newest records of the log of connections, as an answer to lfpd-admin */
#include "lfpd/watch/log-list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lfpd/log/log.h"
#include "lfpd/log/writer.h"

#define ROWS_A_PIECE 128

struct list {
	const struct instance *inst;
	uint64_t at, last; /* numbers of records */
};

static bool more(void *state, FILE *out)
{
	struct list *list = state;

	for (size_t i = 0; i < ROWS_A_PIECE && list->at < list->last; i++) {
		const struct log_record *record = log_find(list->inst, ++list->at);

		/* It may have been replaced meanwhile. */
		if (record)
			log_record_row(record, out);
	}
	return list->at < list->last;
}

static void forget(void *state)
{
	free(state);
}

int log_list(struct instance *inst, uint64_t since, struct server_client *client, FILE *out)
{
	struct list *list = calloc(1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	list->inst = inst;
	list->last = log_newest(inst);
	list->at = list->last > WRITER_RECORDS ? list->last - WRITER_RECORDS : 0;
	/* A number of an earlier lfpd may be higher. */
	if (since <= list->last && since > list->at)
		list->at = since;
	fprintf(out, "ok\nlog\t%s\nnewest\t%" PRIu64 "\n", log_is_on(inst) ? "on" : "off",
		list->last);
	fputs(log_record_columns, out);
	server_go_on(client, more, forget, list);
	return 0;
}
