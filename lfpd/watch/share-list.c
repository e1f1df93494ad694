/* SPDX-License-Identifier: Apache-2.0 */
/* share-list.c - the users of an instance and their counts, as an answer to lfpd-admin */
#include "lfpd/watch/lists.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lfpd/users/share.h"

#define ROWS_A_PIECE 256

struct list {
	struct instance *instance;
	size_t nr, at;
	uint32_t uids[];
};

static void forget(void *state)
{
	free(state);
}

static void put(const struct instance *inst, const struct lfp_share *share, FILE *out)
{
	fprintf(out, "row\t%" PRIu32 "\t%u", share->uid, share->used[SHARE_TASKS]);
	if (share->uid)
		fprintf(out, "\t%u", share_most(inst, SHARE_TASKS));
	else
		putc('\t', out);
	fprintf(out, "\t%u", share->used[SHARE_SOCKETS]);
	if (share->uid)
		fprintf(out, "\t%u", share_most(inst, SHARE_SOCKETS));
	else
		putc('\t', out);
	fprintf(out, "\t%u\n", share->used[SHARE_LOOKUPS]);
}

static bool more(void *state, FILE *out)
{
	struct list *list = state;

	for (size_t i = 0; i < ROWS_A_PIECE && list->at < list->nr; i++, list->at++) {
		const struct lfp_share *share =
			lfp_share_find(&list->instance->shares, list->uids[list->at]);

		if (share)
			put(list->instance, share, out);
	}
	return list->at < list->nr;
}

static int compare(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

int share_list(struct instance *inst, struct server_client *client, FILE *out)
{
	size_t nr = inst->shares.users.count;
	struct list *list = malloc(sizeof(*list) + nr * sizeof(list->uids[0]));
	struct lfp_share *share = NULL;

	if (!list)
		return -ENOMEM;
	*list = (struct list){.instance = inst};
	while (list->nr < nr && (share = lfp_share_next(&inst->shares, share)))
		list->uids[list->nr++] = share->uid;
	qsort(list->uids, list->nr, sizeof(list->uids[0]), compare);
	fputs("ok\ncolumns\tuid:n\ttasks:n\ttasks_max:n\tsockets:n\tsockets_max:n\tlookups:n\n",
	      out);
	server_go_on(client, more, forget, list);
	return 0;
}
