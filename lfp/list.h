/* SPDX-License-Identifier: Apache-2.0 */
/* list.h - doubly linked lists inside the structs that are on them */
#ifndef LFP_LIST_H
#define LFP_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* The head of a list, or the link of a member. A link that is on no list points to itself. */
struct lfp_list {
	struct lfp_list *prev, *next;
};

#define lfp_list_entry(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

static inline void lfp_list_init(struct lfp_list *list)
{
	list->prev = list->next = list;
}

static inline bool lfp_list_empty(const struct lfp_list *list)
{
	return list->next == list;
}

/* Takes @member off its list, if it is on one. */
static inline void lfp_list_del(struct lfp_list *member)
{
	member->prev->next = member->next;
	member->next->prev = member->prev;
	lfp_list_init(member);
}

/* Moves @member from its present list, if any, to the end of @list. */
static inline void lfp_list_append(struct lfp_list *list, struct lfp_list *member)
{
	lfp_list_del(member);
	member->prev = list->prev;
	member->next = list;
	list->prev->next = member;
	list->prev = member;
}

/* Returns the first member, or NULL. */
static inline struct lfp_list *lfp_list_first(struct lfp_list *list)
{
	return lfp_list_empty(list) ? NULL : list->next;
}

/* Returns true if the list has at least @nr members. */
static inline bool lfp_list_has(const struct lfp_list *list, unsigned int nr)
{
	const struct lfp_list *member = list->next;

	while (nr && member != list) {
		member = member->next;
		nr--;
	}
	return !nr;
}

#endif
