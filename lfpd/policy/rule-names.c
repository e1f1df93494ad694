/* SPDX-License-Identifier: Apache-2.0 */
/* rule-names.c - the rules about names */
#include "lfpd/policy/rule-names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FNV_BASIS  0xcbf29ce484222325u
#define FNV_PRIME  0x100000001b3u
#define FIRST      64u
#define LABELS_MAX 128u /* of a name of 253 bytes, and one */

/* A hash of the name from its end, so that it passes that of each name above on the way. */
static uint64_t more(uint64_t hash, char c)
{
	return (hash ^ (unsigned char)c) * FNV_PRIME;
}

static uint64_t key_of(uint64_t hash, enum rule_name_kind kind)
{
	hash = (hash ^ (uint64_t)kind) * FNV_PRIME;
	return hash ^ hash >> 32;
}

static uint64_t hash_all(const char *name, size_t len)
{
	uint64_t hash = FNV_BASIS;

	while (len)
		hash = more(hash, name[--len]);
	return hash;
}

/* Returns the slot of the name, or a free one. */
static struct rule_name_slot *find(const struct rule_names *names, uint64_t key,
				   enum rule_name_kind kind, const char *name)
{
	for (size_t at = key & (names->room - 1);; at = (at + 1) & (names->room - 1)) {
		struct rule_name_slot *slot = &names->slots[at];

		if (!slot->name || (slot->key == key && slot->name->kind == kind &&
				    !strcmp(slot->name->name, name)))
			return slot;
	}
}

static int grow(struct rule_names *names)
{
	size_t room = names->room ? 2 * names->room : FIRST;
	struct rule_name_slot *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < names->room; i++) {
		size_t at = names->slots[i].key & (room - 1);

		if (!names->slots[i].name)
			continue;
		while (slots[at].name)
			at = (at + 1) & (room - 1);
		slots[at] = names->slots[i];
	}
	free(names->slots);
	names->slots = slots;
	names->room = room;
	return 0;
}

int rule_names_add(struct rule_names *names, enum rule_name_kind kind, const char *name,
		   struct rule *rule)
{
	size_t len = strlen(name);
	uint64_t key = key_of(hash_all(name, len), kind);
	struct rule_name_slot *slot;
	struct rule_name *entry;

	if (2 * names->nr >= names->room && grow(names))
		return -ENOMEM;
	slot = find(names, key, kind, name);
	if (!slot->name) {
		entry = calloc(1, sizeof(*entry) + len + 1);
		if (!entry)
			return -ENOMEM;
		entry->kind = kind;
		memcpy(entry->name, name, len + 1);
		*slot = (struct rule_name_slot){key, entry};
		names->nr++;
	}
	return rule_list_add(&slot->name->list, rule);
}

int rule_names_seal(struct rule_names *names)
{
	for (size_t i = 0; i < names->room; i++)
		if (names->slots[i].name && rule_list_seal(&names->slots[i].name->list))
			return -ENOMEM;
	return 0;
}

/* A name, or one that it is below, on the way to its slot. */
struct step {
	uint64_t key;
	const char *name;
};

/* Sets the steps of a name, the name itself last. Lets the processor fetch all of their slots at
 * once. */
static unsigned int walk(const struct rule_names *names, const char *name,
			 struct step steps[static LABELS_MAX])
{
	size_t at = strlen(name);
	uint64_t hash = FNV_BASIS;
	unsigned int nr = 0;

	for (; at; at--) {
		if (name[at - 1] == '.' && nr < LABELS_MAX - 1) {
			steps[nr] = (struct step){key_of(hash, RULE_BELOW), name + at};
			__builtin_prefetch(&names->slots[steps[nr++].key & (names->room - 1)]);
		}
		hash = more(hash, name[at - 1]);
	}
	steps[nr] = (struct step){key_of(hash, RULE_NAME), name};
	return nr + 1;
}

void rule_names_each(const struct rule_names *names, const char *name,
		     void (*fn)(void *data, const struct rule_list *list), void *data)
{
	struct step steps[LABELS_MAX];
	unsigned int nr = names->nr ? walk(names, name, steps) : 0;

	for (unsigned int i = nr; i--;) {
		const struct rule_name_slot *slot = find(
			names, steps[i].key, i + 1 == nr ? RULE_NAME : RULE_BELOW, steps[i].name);

		if (slot->name)
			fn(data, &slot->name->list);
	}
}

void rule_names_finish(struct rule_names *names)
{
	for (size_t i = 0; i < names->room; i++) {
		if (!names->slots[i].name)
			continue;
		rule_list_finish(&names->slots[i].name->list);
		free(names->slots[i].name);
	}
	free(names->slots);
	*names = (struct rule_names){.nr = 0};
}
