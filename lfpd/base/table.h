/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - a hash table of numbers: sockets by id, tasks by id */
#ifndef LFPD_BASE_TABLE_H
#define LFPD_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Member of each struct in a table. The struct owns its node; the table does not. */
struct table_node {
	uint64_t key;
	struct table_node *next;
};

struct table {
	struct table_node **heads;
	size_t size; /* a power of two, or 0 */
	size_t count;
	size_t first; /* no node is in a slot before this one */
};

/* All zero is an empty table. Frees what the table itself holds, not the nodes. */
void table_finish(struct table *table);

struct table_node *table_find(const struct table *table, uint64_t key);

/* @node->key is set and not in the table yet. 0 or -ENOMEM. */
int table_add(struct table *table, struct table_node *node);

/* @node is in the table. */
void table_remove(struct table *table, struct table_node *node);

/* The node after @node, or the first one for NULL; NULL after the last. In no order, and only while
 * the table does not change. */
struct table_node *table_next(const struct table *table, const struct table_node *node);

/* Returns any node, or NULL if the table is empty. Serves to empty a table node by node. */
struct table_node *table_any(struct table *table);

#endif
