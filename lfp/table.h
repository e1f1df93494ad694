/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - hash tables that find structs by a number */
#ifndef LFP_TABLE_H
#define LFP_TABLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Theory of operation
 *
 * A member of a table is a struct with a struct lfp_table_link inside. The caller allocates and
 * frees members; the table only links them, in chains. A member is in one table for each link that
 * it has, and must leave it before it is freed. A table is for one thread.
 *
 * The first LFP_TABLE_FEW chains are part of struct lfp_table, so a small table allocates nothing.
 * When there are as many members as chains, the number of chains doubles. Without memory for that
 * the table keeps its chains, which get longer: adding never fails. It tries again with the next
 * member. A table that is empty again holds no memory.
 *
 * Adding, finding and removing take constant time on average, and time for as many members as one
 * chain has at worst. The key alone chooses the chain, without a secret. So a peer that chooses
 * keys can make one chain of all, and needs a limit on its members.
 */
#define LFP_TABLE_FEW 256u

/* Which bits of a key choose its chain. */
enum lfp_keys {
	/* The lower ones: keys count up from 0 or from 2^63, or are random. Numbers in sequence are
	 * in sequence in the table. */
	LFP_KEYS_DENSE,

	/* All: keys may have the same lower bits. */
	LFP_KEYS_SPARSE,
};

struct lfp_table_link {
	struct lfp_table_link *next;
	uint64_t key;
};

/* All zero is an empty table with LFP_KEYS_DENSE. A table may be moved by an assignment: of two
 * copies only one may be used from then on. */
struct lfp_table {
	enum lfp_keys keys;
	size_t count;
	size_t first;                 /* no member is in a chain before this one */
	size_t size;                  /* chains in @many, a power of two */
	struct lfp_table_link **many; /* NULL: @few is in use */
	struct lfp_table_link *few[LFP_TABLE_FEW];
};

/* Returns the struct of type @type whose member @link is, or NULL if @link is NULL. */
#define lfp_table_entry(link, type, member)                                                        \
	((type *)lfp_table_struct((link), offsetof(type, member)))

static inline void *lfp_table_struct(struct lfp_table_link *link, size_t offset)
{
	return link ? (char *)link - offset : NULL;
}

/* Forgets all members, without a look at them, and frees the memory of the table itself. */
void lfp_table_finish(struct lfp_table *table);

/* Adds a member. Others may have the same key. Sets all of @link. */
void lfp_table_add(struct lfp_table *table, struct lfp_table_link *link, uint64_t key);

/* Removes a member of the table. */
void lfp_table_remove(struct lfp_table *table, struct lfp_table_link *link);

/* Returns the member with a key, of several the one that was added last, or NULL. */
struct lfp_table_link *lfp_table_find(const struct lfp_table *table, uint64_t key);

/* Returns the next member with the key of @link, or NULL. */
struct lfp_table_link *lfp_table_find_more(const struct lfp_table_link *link);

/*
 * Returns the member after @link, or the first one for NULL; NULL after the last. Between two calls
 * no member may be added, and none removed, with one exception: @link may be removed as soon as the
 * member after it is known.
 */
struct lfp_table_link *lfp_table_next(const struct lfp_table *table,
				      const struct lfp_table_link *link);

/* Returns any member, or NULL if the table is empty. It serves to remove all members: together that
 * takes linear time, and members may be added meanwhile. */
struct lfp_table_link *lfp_table_any(struct lfp_table *table);

#endif
