/* SPDX-License-Identifier: Apache-2.0 */
/* list.h - doubly linked lists inside the structs that are on them */
#ifndef LFP_LIST_H
#define LFP_LIST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The head of a list, or the link of a member. A link that is on no list points to itself. The
 * caller allocates and frees members. lfp_list_init() comes first for each head and each link. A
 * head or a link must not be copied or moved while it is in use. Every operation takes constant
 * time, except lfp_list_has().
 */
struct lfp_list {
	struct lfp_list *prev, *next;
};

/* Returns the struct of type @type whose member @link is, or NULL if @link is NULL. */
#define lfp_list_entry(link, type, member) ((type *)lfp_list_struct((link), offsetof(type, member)))

/* Returns the first member as its struct, or NULL. */
#define lfp_list_first_entry(list, type, member) lfp_list_entry(lfp_list_first(list), type, member)

/* Returns the member after @at as its struct, or NULL. */
#define lfp_list_next_entry(list, at, member)                                                      \
	lfp_list_entry(lfp_list_next((list), &(at)->member), __typeof__(*(at)), member)

/* Runs through the list. @at is the struct of each member, and NULL after the last one. It must not
 * leave the list meanwhile. */
#define lfp_list_each(at, list, member)                                                            \
	for ((at) = lfp_list_first_entry((list), __typeof__(*(at)), member); (at);                 \
	     (at) = lfp_list_next_entry((list), (at), member))

static inline void *lfp_list_struct(struct lfp_list *link, size_t offset)
{
	return link ? (char *)link - offset : NULL;
}

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

/* Moves @member from its present list, if any, to the beginning of @list. */
static inline void lfp_list_prepend(struct lfp_list *list, struct lfp_list *member)
{
	lfp_list_del(member);
	lfp_list_append(list->next, member);
}

/* Moves all members of @from to the end of @to, in their order. */
static inline void lfp_list_append_all(struct lfp_list *to, struct lfp_list *from)
{
	if (lfp_list_empty(from))
		return;
	from->next->prev = to->prev;
	from->prev->next = to;
	to->prev->next = from->next;
	to->prev = from->prev;
	lfp_list_init(from);
}

/* Returns the first member, or NULL. */
static inline struct lfp_list *lfp_list_first(const struct lfp_list *list)
{
	return lfp_list_empty(list) ? NULL : list->next;
}

/* Returns the member after @member, or NULL. */
static inline struct lfp_list *lfp_list_next(const struct lfp_list *list,
					     const struct lfp_list *member)
{
	return member->next == list ? NULL : member->next;
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
