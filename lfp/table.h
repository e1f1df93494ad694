/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - a hash table of numbers: sockets by id, tasks by id */
#ifndef LFP_TABLE_H
#define LFP_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Member of each struct in a table. The struct owns its node; the table does not. */
struct lfp_table_link {
	uint64_t key;
	struct lfp_table_link *next;
};

struct lfp_table {
	struct lfp_table_link **heads;
	size_t size; /* a power of two, or 0 */
	size_t count;
	size_t first; /* no node is in a slot before this one */
};

/* All zero is an empty table. Frees what the table itself holds, not the nodes. */
void lfp_table_finish(struct lfp_table *table);

struct lfp_table_link *lfp_table_find(const struct lfp_table *table, uint64_t key);

/* @node->key is set and not in the table yet. 0 or -ENOMEM. */
int lfp_table_add(struct lfp_table *table, struct lfp_table_link *node);

/* @node is in the table. */
void lfp_table_remove(struct lfp_table *table, struct lfp_table_link *node);

/* The node after @node, or the first one for NULL; NULL after the last. In no order, and only while
 * the table does not change. */
struct lfp_table_link *lfp_table_next(const struct lfp_table *table,
				      const struct lfp_table_link *node);

/* Returns any node, or NULL if the table is empty. Serves to empty a table node by node. */
struct lfp_table_link *lfp_table_any(struct lfp_table *table);

#endif
