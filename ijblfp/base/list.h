/* SPDX-License-Identifier: Apache-2.0 */
/* list.h - doubly linked lists inside the structs that are on them */
#ifndef IJBLFP_BASE_LIST_H
#define IJBLFP_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "lfp/ctl.h"

/* The head of a list, or the link of a member. A link that is on no list points to itself. */
struct list {
	struct list *prev, *next;
};

#define list_entry(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

static inline void list_init(struct list *list)
{
	list->prev = list->next = list;
}

static inline bool list_empty(const struct list *list)
{
	return list->next == list;
}

/* Takes @member off its list, if it is on one. */
static inline void list_del(struct list *member)
{
	member->prev->next = member->next;
	member->next->prev = member->prev;
	list_init(member);
}

/* Moves @member from its present list, if any, to the end of @list. */
static inline void list_append(struct list *list, struct list *member)
{
	list_del(member);
	member->prev = list->prev;
	member->next = list;
	list->prev->next = member;
	list->prev = member;
}

/* Returns the first member, or NULL. */
static inline struct list *list_first(struct list *list)
{
	return list_empty(list) ? NULL : list->next;
}

/* Returns true if the list has at least @nr members. */
static inline bool list_has(const struct list *list, unsigned int nr)
{
	const struct list *member = list->next;

	while (nr && member != list) {
		member = member->next;
		nr--;
	}
	return !nr;
}

#endif
