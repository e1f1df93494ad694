/* SPDX-License-Identifier: Apache-2.0 */
/* known-names.c - the names under which this instance has found addresses */
#include "lfpd/policy/known-names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct known {
	struct lfp_table_link link;
	struct lfp_list age;
	struct in6_addr addr;
	uint64_t until, serial;
	uint32_t users[KNOWN_NAMES_USERS]; /* the last one first */
	unsigned int nr_users;
	char name[];
};

static uint64_t hash(const struct known_names *known, const struct in6_addr *addr)
{
	uint64_t h = known->seed;

	for (size_t i = 0; i < sizeof(addr->s6_addr); i++)
		h = (h ^ addr->s6_addr[i]) * 0x100000001b3u;
	return h;
}

static struct known *of_link(struct lfp_table_link *link)
{
	return lfp_table_entry(link, struct known, link);
}

/* Returns the next entry of this address after @link, or the first one for NULL. */
static struct known *next_of(const struct known_names *known, const struct in6_addr *addr,
			     struct lfp_table_link *link)
{
	link = link ? lfp_table_find_more(link) : lfp_table_find(&known->table, hash(known, addr));
	while (link && !IN6_ARE_ADDR_EQUAL(&of_link(link)->addr, addr))
		link = lfp_table_find_more(link);
	return of_link(link);
}

static void forget(struct known_names *known, struct known *one)
{
	lfp_list_del(&one->age);
	lfp_table_remove(&known->table, &one->link);
	free(one);
}

void known_names_init(struct known_names *known)
{
	*known = (struct known_names){.table = {.keys = LFP_KEYS_SPARSE}};
	lfp_list_init(&known->ages);
	/* The owner of a name chooses its addresses. Without a secret, all of them could be in one
	 * chain of the table. */
	if (getrandom(&known->seed, sizeof(known->seed), GRND_NONBLOCK) != sizeof(known->seed))
		known->seed = 0xcbf29ce484222325u ^ (uintptr_t)known;
}

void known_names_finish(struct known_names *known)
{
	struct known *one;

	while ((one = lfp_list_first_entry(&known->ages, struct known, age)))
		forget(known, one);
	lfp_table_finish(&known->table);
}

static bool is_found_by(const struct known *one, uint32_t uid)
{
	for (unsigned int i = 0; i < one->nr_users; i++)
		if (one->users[i] == uid)
			return true;
	return uid == KNOWN_NAMES_ANYBODY;
}

static void note_user(struct known *one, uint32_t uid)
{
	if (is_found_by(one, uid))
		return;
	if (one->nr_users < KNOWN_NAMES_USERS)
		one->nr_users++;
	memmove(one->users + 1, one->users, (one->nr_users - 1) * sizeof(uid));
	one->users[0] = uid;
}

void known_names_add(struct known_names *known, const char *name, const struct in6_addr *addr,
		     uint64_t until, uint32_t uid)
{
	size_t len = strlen(name), names = 0;
	struct known *one, *last = NULL;

	for (one = next_of(known, addr, NULL); one; one = next_of(known, addr, &one->link)) {
		if (!strcmp(one->name, name))
			break;
		last = one;
		names++;
	}
	if (!one) {
		if (names >= KNOWN_NAMES_OF_ADDR)
			forget(known, last);
		one = calloc(1, sizeof(*one) + len + 1);
		if (!one)
			return;
		lfp_list_init(&one->age);
		one->addr = *addr;
		memcpy(one->name, name, len + 1);
		lfp_table_add(&known->table, &one->link, hash(known, addr));
	}
	if (one->until < until)
		one->until = until;
	note_user(one, uid);
	one->serial = ++known->serial;
	lfp_list_append(&known->ages, &one->age);
	if (known->table.count > KNOWN_NAMES_MAX)
		forget(known, lfp_list_first_entry(&known->ages, struct known, age));
}

const char *known_names_last(const struct known_names *known, const struct in6_addr *addr,
			     uint64_t now, uint32_t uid)
{
	const struct known *last = NULL;

	for (const struct known *one = next_of(known, addr, NULL); one;
	     one = next_of(known, addr, (struct lfp_table_link *)&one->link))
		if (one->until > now && is_found_by(one, uid) &&
		    (!last || one->serial > last->serial))
			last = one;
	return last ? last->name : NULL;
}

void known_names_each(const struct known_names *known, const struct in6_addr *addr, uint64_t now,
		      uint32_t uid, void (*fn)(void *data, const char *name, bool own), void *data)
{
	for (const struct known *one = next_of(known, addr, NULL); one;
	     one = next_of(known, addr, (struct lfp_table_link *)&one->link))
		if (one->until > now)
			fn(data, one->name, is_found_by(one, uid));
}
