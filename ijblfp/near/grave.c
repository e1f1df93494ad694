/* SPDX-License-Identifier: Apache-2.0 */
/* grave.c - graves: the errors and addresses of sockets whose connection is over */
#include "ijblfp/near/grave.h"

#include <errno.h>
#include <stdlib.h>

static struct grave *grave_of(struct lfp_table_link *link)
{
	return lfp_table_entry(link, struct grave, link);
}

int graves_init(struct graves *graves)
{
	/* Names are drawn at random. */
	*graves = (struct graves){.by_name.keys = LFP_KEYS_DENSE};
	graves->ring = calloc(GRAVES_MAX, sizeof(*graves->ring));
	return graves->ring ? 0 : -ENOMEM;
}

void graves_finish(struct graves *graves)
{
	lfp_table_finish(&graves->by_name);
	free(graves->ring);
	*graves = (struct graves){0};
}

void graves_add(struct graves *graves, const struct grave *grave)
{
	struct grave *place = &graves->ring[graves->at];

	if (graves->used == GRAVES_MAX)
		lfp_table_remove(&graves->by_name, &place->link);
	else
		graves->used++;
	*place = *grave;
	lfp_table_add(&graves->by_name, &place->link, grave->id.name);
	graves->at = (graves->at + 1) % GRAVES_MAX;
}

struct grave *graves_find(struct graves *graves, const struct near_id *id)
{
	struct grave *grave = grave_of(lfp_table_find(&graves->by_name, id->name));

	while (grave && grave->id.cookie != id->cookie)
		grave = grave_of(lfp_table_find_more(&grave->link));
	return grave;
}

int grave_take_error(struct grave *grave)
{
	int error = grave->error;

	grave->error = 0;
	return error;
}
