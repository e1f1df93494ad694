/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - a hash table of numbers: sockets by id, tasks by id */
#include "lfp/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MIN 64u

/* Ids count up from two bases: the lower bits spread them evenly, and the peer gains nothing from
 * choosing others, because the length of the chains is bounded by MAX_SOCKETS anyway. */
static size_t slot(const struct lfp_table *table, uint64_t key)
{
	return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (table->size - 1);
}

void lfp_table_finish(struct lfp_table *table)
{
	free(table->heads);
	memset(table, 0, sizeof(*table));
}

struct lfp_table_link *lfp_table_find(const struct lfp_table *table, uint64_t key)
{
	struct lfp_table_link *node;

	if (!table->size)
		return NULL;
	for (node = table->heads[slot(table, key)]; node; node = node->next) {
		if (node->key == key)
			return node;
	}
	return NULL;
}

static int resize(struct lfp_table *table, size_t size)
{
	struct lfp_table larger = {.size = size, .count = table->count};

	larger.heads = calloc(size, sizeof(*larger.heads));
	if (!larger.heads)
		return -ENOMEM;
	for (size_t i = 0; i < table->size; i++) {
		while (table->heads[i]) {
			struct lfp_table_link *node = table->heads[i];
			size_t at = slot(&larger, node->key);

			table->heads[i] = node->next;
			node->next = larger.heads[at];
			larger.heads[at] = node;
		}
	}
	free(table->heads);
	*table = larger;
	return 0;
}

int lfp_table_add(struct lfp_table *table, struct lfp_table_link *node)
{
	size_t at;

	if (table->count >= table->size) {
		int rc = resize(table, table->size ? table->size * 2 : SIZE_MIN);

		/* Without memory the table stays as it is, only slower. */
		if (rc && !table->size)
			return rc;
	}
	at = slot(table, node->key);
	node->next = table->heads[at];
	table->heads[at] = node;
	table->count++;
	if (at < table->first)
		table->first = at;
	return 0;
}

void lfp_table_remove(struct lfp_table *table, struct lfp_table_link *node)
{
	struct lfp_table_link **link = &table->heads[slot(table, node->key)];

	while (*link != node)
		link = &(*link)->next;
	*link = node->next;
	node->next = NULL;
	table->count--;
}

struct lfp_table_link *lfp_table_next(const struct lfp_table *table,
				      const struct lfp_table_link *node)
{
	size_t at = node ? slot(table, node->key) + 1 : 0;

	if (node && node->next)
		return node->next;
	while (at < table->size && !table->heads[at])
		at++;
	return at < table->size ? table->heads[at] : NULL;
}

struct lfp_table_link *lfp_table_any(struct lfp_table *table)
{
	if (!table->count)
		return NULL;
	while (!table->heads[table->first])
		table->first++;
	return table->heads[table->first];
}
