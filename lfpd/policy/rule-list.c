/* SPDX-License-Identifier: Apache-2.0 */
/* rule-list.c - the rules of one peer, in the order of their lines */
#include "lfpd/policy/rule-list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lfpd/policy/rule.h"

#define SHORT_LIST  8u
#define PORT_BITS   16u
#define ENTRIES_MAX (4u << 20) /* of one index; a list with more is searched without one */

/* A hash table with open addressing. */
struct port_index {
	uint32_t sizes;      /* bit n: there are blocks of 2^n ports */
	uint32_t room;       /* of blocks; a power of two, and more than there are blocks */
	struct rule **rules; /* by block and line */
	struct block {
		uint32_t block, first, nr; /* nr 0: free */
	} blocks[];
};

struct entry {
	uint32_t block;
	struct rule *rule;
};

/* Collects the entries of an index. Without @list it counts them. */
struct entries {
	struct entry *list;
	size_t nr;
};

int rule_list_add(struct rule_list *list, struct rule *rule)
{
	struct rule **larger;
	uint32_t room;

	if (!list->nr) {
		list->one = rule;
		list->nr = list->room = 1;
		return 0;
	}
	if (list->nr == list->room) {
		room = 2 * list->room;
		larger = realloc(list->nr == 1 ? NULL : list->many, room * sizeof(struct rule *));
		if (!larger)
			return -ENOMEM;
		if (list->nr == 1)
			larger[0] = list->one;
		list->many = larger;
		list->room = room;
	}
	list->many[list->nr++] = rule;
	return 0;
}

static void add_entry(struct entries *entries, uint32_t block, struct rule *rule)
{
	if (entries->list)
		entries->list[entries->nr] = (struct entry){block, rule};
	entries->nr++;
}

static void add_range(struct entries *entries, const struct port_range *range, struct rule *rule)
{
	uint32_t low = range->first + (1u << PORT_BITS), high = range->last + (1u << PORT_BITS) + 1;

	for (; low < high; low /= 2, high /= 2) {
		if (low & 1)
			add_entry(entries, low++, rule);
		if (high & 1)
			add_entry(entries, --high, rule);
	}
}

static void collect(const struct rule_list *list, struct entries *entries)
{
	entries->nr = 0;
	for (uint32_t i = 0; i < list->nr; i++) {
		struct rule *rule = list->many[i];

		/* A look-up has no port. */
		if (!rule->nr_ports || rule->acts & RULES_LOOKUP)
			add_entry(entries, 1, rule);
		for (unsigned int k = 0; k < rule->nr_ports; k++)
			add_range(entries, &rule->ports[k], rule);
	}
}

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->rule->line < y->rule->line ? -1 : x->rule->line > y->rule->line;
}

static unsigned int size_of_block(uint32_t block)
{
	return PORT_BITS - (31u - (unsigned int)__builtin_clz(block));
}

/* Returns the entry of the block, or a free one. */
static struct block *find(const struct port_index *index, uint32_t block)
{
	uint32_t at = block * 2654435761u;

	for (at ^= at >> 16;; at++) {
		const struct block *found = &index->blocks[at & (index->room - 1)];

		if (!found->nr || found->block == block)
			return (struct block *)(uintptr_t)found;
	}
}

static struct port_index *make_index(const struct entry *list, size_t nr)
{
	struct port_index *index;
	struct block *block;
	size_t room = 2, bytes;

	for (size_t i = 0, blocks = 0; i < nr; i++) {
		blocks += !i || list[i].block != list[i - 1].block;
		if (2 * blocks > room)
			room *= 2;
	}
	bytes = sizeof(*index) + room * sizeof(*block);
	bytes += -bytes % sizeof(struct rule *);
	index = calloc(1, bytes + nr * sizeof(struct rule *));
	if (!index)
		return NULL;
	index->room = (uint32_t)room;
	index->rules = (struct rule **)(void *)((char *)index + bytes);
	for (size_t i = 0; i < nr; i++) {
		block = find(index, list[i].block);
		if (!block->nr++) {
			block->block = list[i].block;
			block->first = (uint32_t)i;
		}
		index->rules[i] = list[i].rule;
		index->sizes |= 1u << size_of_block(list[i].block);
	}
	return index;
}

int rule_list_seal(struct rule_list *list)
{
	struct entries entries = {.list = NULL};

	if (list->nr <= SHORT_LIST)
		return 0;
	collect(list, &entries);
	if (entries.nr > ENTRIES_MAX)
		return 0;
	entries.list = malloc(entries.nr * sizeof(*entries.list));
	if (!entries.list)
		return -ENOMEM;
	collect(list, &entries);
	qsort(entries.list, entries.nr, sizeof(*entries.list), compare);
	list->index = make_index(entries.list, entries.nr);
	free(entries.list);
	return list->index ? 0 : -ENOMEM;
}

unsigned int rule_list_find(const struct rule_list *list, uint16_t port,
			    struct rule_span spans[static RULE_SPANS_MAX])
{
	const struct port_index *index = list->index;
	unsigned int nr = 0;

	if (!index) {
		spans[0] = (struct rule_span){list->nr == 1 ? &list->one : list->many, list->nr};
		return 1;
	}
	for (uint32_t sizes = index->sizes; sizes; sizes &= sizes - 1) {
		unsigned int size = (unsigned int)__builtin_ctz(sizes);
		const struct block *block = find(index, (port + (1u << PORT_BITS)) >> size);

		if (block->nr)
			spans[nr++] = (struct rule_span){index->rules + block->first, block->nr};
	}
	return nr;
}

void rule_list_finish(struct rule_list *list)
{
	if (list->nr > 1)
		free(list->many);
	free(list->index);
	*list = (struct rule_list){.nr = 0};
}
