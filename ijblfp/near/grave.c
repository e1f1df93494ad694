/* SPDX-License-Identifier: Apache-2.0 */
/* grave.c - graves: the errors and addresses of sockets whose connection is over */
#include "ijblfp/near/grave.h"

#include <errno.h>
#include <stdlib.h>

int graves_init(struct graves *graves)
{
	*graves = (struct graves){0};
	graves->ring = calloc(GRAVES_MAX, sizeof(*graves->ring));
	graves->buckets = calloc(GRAVES_MAX, sizeof(*graves->buckets));
	if (!graves->ring || !graves->buckets) {
		graves_finish(graves);
		return -ENOMEM;
	}
	return 0;
}

void graves_finish(struct graves *graves)
{
	free(graves->ring);
	free(graves->buckets);
	*graves = (struct graves){0};
}

/* Names are drawn at random. */
static uint32_t *bucket(struct graves *graves, const struct near_id *id)
{
	return &graves->buckets[(uint32_t)id->name % GRAVES_MAX];
}

static void unlink_grave(struct graves *graves, const struct grave *grave)
{
	uint32_t index = (uint32_t)(grave - graves->ring) + 1;
	uint32_t *link = bucket(graves, &grave->id);

	while (*link && *link != index)
		link = &graves->ring[*link - 1].next;
	if (*link)
		*link = grave->next;
}

void graves_add(struct graves *graves, const struct grave *grave)
{
	struct grave *place = &graves->ring[graves->at];
	uint32_t *head;

	if (graves->used == GRAVES_MAX)
		unlink_grave(graves, place);
	else
		graves->used++;
	*place = *grave;
	head = bucket(graves, &grave->id);
	place->next = *head;
	*head = graves->at + 1;
	graves->at = (graves->at + 1) % GRAVES_MAX;
}

struct grave *graves_find(struct graves *graves, const struct near_id *id)
{
	for (uint32_t i = *bucket(graves, id); i; i = graves->ring[i - 1].next) {
		struct grave *grave = &graves->ring[i - 1];

		if (grave->id.name == id->name && grave->id.cookie == id->cookie)
			return grave;
	}
	return NULL;
}

int grave_take_error(struct grave *grave)
{
	int error = grave->error;

	grave->error = 0;
	return error;
}
