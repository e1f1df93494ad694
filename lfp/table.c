/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - hash tables that find structs by a number */
#include "lfp/table.h"

#include <stdlib.h>
#include <string.h>

static size_t nr_chains(const struct lfp_table *table)
{
	return table->many ? table->size : LFP_TABLE_FEW;
}

static struct lfp_table_link *const *chains(const struct lfp_table *table)
{
	return table->many ? table->many : table->few;
}

/* Returns the number of the chain of a key. */
static size_t chain_of(const struct lfp_table *table, uint64_t key)
{
	uint64_t mixed = table->keys == LFP_KEYS_SPARSE ? key * UINT64_C(0x9E3779B97F4A7C15) >> 32
							: key ^ key >> 63;

	return (size_t)mixed & (nr_chains(table) - 1);
}

static struct lfp_table_link **head_of(struct lfp_table *table, size_t chain)
{
	return table->many ? &table->many[chain] : &table->few[chain];
}

/* Forgets the chains of @many. */
static void narrow(struct lfp_table *table)
{
	free(table->many);
	table->many = NULL;
	table->size = 0;
	table->first = 0;
}

void lfp_table_finish(struct lfp_table *table)
{
	narrow(table);
	memset(table->few, 0, sizeof(table->few));
	table->count = 0;
}

/* Distributes a chain of @nr between two chains of @many, each in the old order. */
static void split(struct lfp_table *wide, struct lfp_table_link *link, size_t chain, size_t nr)
{
	struct lfp_table_link **lower = &wide->many[chain], **upper = &wide->many[chain + nr];

	for (; link; link = link->next) {
		struct lfp_table_link ***end = chain_of(wide, link->key) == chain ? &lower : &upper;

		**end = link;
		*end = &link->next;
	}
	*lower = *upper = NULL;
}

/* Doubles the number of chains if there is memory for that. */
static void widen(struct lfp_table *table)
{
	size_t nr = nr_chains(table);
	struct lfp_table wide = {.keys = table->keys, .size = nr * 2};

	wide.many = calloc(wide.size, sizeof(*wide.many));
	if (!wide.many)
		return;
	for (size_t i = 0; i < nr; i++)
		split(&wide, chains(table)[i], i, nr);
	memset(table->few, 0, sizeof(table->few));
	free(table->many);
	table->many = wide.many;
	table->size = wide.size;
	table->first = 0;
}

void lfp_table_add(struct lfp_table *table, struct lfp_table_link *link, uint64_t key)
{
	struct lfp_table_link **head;
	size_t chain;

	if (table->count >= nr_chains(table))
		widen(table);
	chain = chain_of(table, key);
	head = head_of(table, chain);
	link->key = key;
	link->next = *head;
	*head = link;
	table->count++;
	if (chain < table->first)
		table->first = chain;
}

void lfp_table_remove(struct lfp_table *table, struct lfp_table_link *link)
{
	struct lfp_table_link **at = head_of(table, chain_of(table, link->key));

	while (*at != link)
		at = &(*at)->next;
	*at = link->next;
	link->next = NULL;
	if (!--table->count)
		narrow(table);
}

/* Returns the first one of @link and those after it in the chain that has the key. */
static struct lfp_table_link *skip_to(struct lfp_table_link *link, uint64_t key)
{
	while (link && link->key != key)
		link = link->next;
	return link;
}

struct lfp_table_link *lfp_table_find(const struct lfp_table *table, uint64_t key)
{
	return skip_to(chains(table)[chain_of(table, key)], key);
}

struct lfp_table_link *lfp_table_find_more(const struct lfp_table_link *link)
{
	return skip_to(link->next, link->key);
}

struct lfp_table_link *lfp_table_next(const struct lfp_table *table,
				      const struct lfp_table_link *link)
{
	size_t chain = link ? chain_of(table, link->key) + 1 : table->first, nr = nr_chains(table);

	if (link && link->next)
		return link->next;
	while (chain < nr && !chains(table)[chain])
		chain++;
	return chain < nr ? chains(table)[chain] : NULL;
}

struct lfp_table_link *lfp_table_any(struct lfp_table *table)
{
	if (!table->count)
		return NULL;
	while (!chains(table)[table->first])
		table->first++;
	return chains(table)[table->first];
}
