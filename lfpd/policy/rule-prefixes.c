/* SPDX-License-Identifier: Apache-2.0 */
/* rule-prefixes.c - the rules about prefixes of addresses */
#include "lfpd/policy/rule-prefixes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/bigend.h"
#include "lfpd/policy/rule.h"

#define NO_PREFIX UINT32_MAX
#define NODE_KEYS 4u
#define NODE_SIZE 128u /* two lines, which the processor fetches together */
#define NO_BITS   255u /* of a place without a prefix */

struct rule_prefix_key {
	uint64_t high, low;
};

/* Prefixes at four places. The place of a prefix is 4 * node + n. */
struct rule_prefix_node {
	_Alignas(NODE_SIZE) struct rule_prefix_key keys[NODE_KEYS];
	union {
		struct rule *rule;
		const struct rule_list *list;
	} of[NODE_KEYS];
	uint32_t around[NODE_KEYS]; /* the longest prefix around this one, or NO_PREFIX */
	uint8_t bits[NODE_KEYS];
	bool has_list[NODE_KEYS];
};

struct rule_prefix {
	struct rule_prefix_key key;
	uint32_t around;
	uint32_t bits;
	struct rule_list list;
};

static struct rule_prefix_key key_of(const struct in6_addr *addr)
{
	return (struct rule_prefix_key){be64_get(addr->s6_addr), be64_get(addr->s6_addr + 8)};
}

static struct rule_prefix_key mask(struct rule_prefix_key key, unsigned int bits)
{
	key.high &= bits >= 64 ? UINT64_MAX : ~(UINT64_MAX >> bits);
	key.low &= bits >= 128 ? UINT64_MAX : bits <= 64 ? 0 : ~(UINT64_MAX >> (bits - 64));
	return key;
}

static bool is_same(struct rule_prefix_key a, struct rule_prefix_key b)
{
	return a.high == b.high && a.low == b.low;
}

/* Returns true if @a is not behind @b. Without a jump, as the result is as good as random. */
static bool is_before(struct rule_prefix_key a, struct rule_prefix_key b)
{
	unsigned __int128 x = (unsigned __int128)a.high << 64 | a.low;
	unsigned __int128 y = (unsigned __int128)b.high << 64 | b.low;

	return x <= y;
}

static bool covers(struct rule_prefix_key prefix, unsigned int bits, struct rule_prefix_key key)
{
	return is_same(mask(key, bits), prefix);
}

int rule_prefixes_add(struct rule_prefixes *prefixes, const struct in6_addr *addr,
		      unsigned int bits, struct rule *rule)
{
	struct rule_prefix *prefix;

	if (prefixes->nr == prefixes->room) {
		size_t room = prefixes->room ? 2 * prefixes->room : 16;
		struct rule_prefix *larger =
			realloc(prefixes->list, room * sizeof(struct rule_prefix));

		if (!larger)
			return -ENOMEM;
		prefixes->list = larger;
		prefixes->room = room;
	}
	prefix = &prefixes->list[prefixes->nr];
	*prefix = (struct rule_prefix){.key = mask(key_of(addr), bits), .bits = bits};
	if (rule_list_add(&prefix->list, rule))
		return -ENOMEM;
	prefixes->nr++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct rule_prefix *x = a, *y = b;

	if (!is_same(x->key, y->key))
		return is_before(x->key, y->key) ? -1 : 1;
	if (x->bits != y->bits)
		return x->bits < y->bits ? -1 : 1;
	return x->list.one->line < y->list.one->line ? -1 : x->list.one->line > y->list.one->line;
}

/* Makes one prefix of those that are equal. */
static int merge(struct rule_prefixes *prefixes)
{
	struct rule_prefix *list = prefixes->list;
	size_t to = 0;
	int rc = 0;

	for (size_t i = 1; i < prefixes->nr; i++) {
		if (!is_same(list[to].key, list[i].key) || list[to].bits != list[i].bits)
			list[++to] = list[i];
		else if (rule_list_add(&list[to].list, list[i].list.one))
			rc = -ENOMEM;
	}
	prefixes->nr = to + 1;
	return rc;
}

/* Finds for each prefix, in their order, the next one around it. */
static void look_around(struct rule_prefixes *prefixes)
{
	uint32_t around = NO_PREFIX;

	for (size_t i = 0; i < prefixes->nr; i++) {
		struct rule_prefix *prefix = &prefixes->list[i];

		while (around != NO_PREFIX && !covers(prefixes->list[around].key,
						      prefixes->list[around].bits, prefix->key))
			around = prefixes->list[around].around;
		prefix->around = around;
		around = (uint32_t)i;
	}
}

/* Gives the prefixes, in their order, places in the tree below @node. Places without one are behind
 * all. Returns the number of prefixes that have a place. */
static size_t give_places(uint32_t *places, size_t nr_nodes, size_t nr, size_t node, size_t done)
{
	if (node >= nr_nodes)
		return done;
	for (size_t i = 0; i < NODE_KEYS; i++) {
		done = give_places(places, nr_nodes, nr, node * (NODE_KEYS + 1) + 1 + i, done);
		if (done < nr)
			places[done++] = (uint32_t)(node * NODE_KEYS + i);
	}
	return give_places(places, nr_nodes, nr, (node + 1) * (NODE_KEYS + 1), done);
}

/* Writes the prefixes to their places. */
static void fill(struct rule_prefixes *prefixes, const uint32_t *places)
{
	const struct rule_prefix_key last = {UINT64_MAX, UINT64_MAX};

	for (size_t i = 0; i < prefixes->nr_nodes * NODE_KEYS; i++) {
		struct rule_prefix_node *node = &prefixes->nodes[i / NODE_KEYS];

		node->keys[i % NODE_KEYS] = last;
		node->bits[i % NODE_KEYS] = NO_BITS;
		node->around[i % NODE_KEYS] = places[prefixes->nr - 1];
	}
	for (size_t i = 0; i < prefixes->nr; i++) {
		struct rule_prefix *from = &prefixes->list[i];
		struct rule_prefix_node *node = &prefixes->nodes[places[i] / NODE_KEYS];
		size_t at = places[i] % NODE_KEYS;

		node->keys[at] = from->key;
		node->bits[at] = (uint8_t)from->bits;
		node->around[at] = from->around == NO_PREFIX ? NO_PREFIX : places[from->around];
		node->has_list[at] = from->list.nr > 1;
		if (from->list.nr == 1) {
			node->of[at].rule = from->list.one;
			continue;
		}
		prefixes->lists[prefixes->nr_lists] = from->list;
		node->of[at].list = &prefixes->lists[prefixes->nr_lists++];
	}
}

static int make_tree(struct rule_prefixes *prefixes)
{
	size_t nodes = (prefixes->nr + NODE_KEYS - 1) / NODE_KEYS, lists = 0;
	uint32_t *places = malloc(prefixes->nr * sizeof(*places));

	for (size_t i = 0; i < prefixes->nr; i++)
		lists += prefixes->list[i].list.nr > 1;
	prefixes->lists = malloc((lists + 1) * sizeof(*prefixes->lists));
	prefixes->nodes = aligned_alloc(NODE_SIZE, nodes * sizeof(*prefixes->nodes));
	if (!places || !prefixes->lists || !prefixes->nodes) {
		free(places);
		return -ENOMEM;
	}
	memset(prefixes->nodes, 0, nodes * sizeof(*prefixes->nodes));
	prefixes->nr_nodes = nodes;
	give_places(places, nodes, prefixes->nr, 0, 0);
	fill(prefixes, places);
	free(places);
	free(prefixes->list);
	prefixes->list = NULL;
	prefixes->nr = prefixes->room = 0;
	return 0;
}

int rule_prefixes_seal(struct rule_prefixes *prefixes)
{
	if (!prefixes->nr)
		return 0;
	qsort(prefixes->list, prefixes->nr, sizeof(*prefixes->list), compare);
	if (merge(prefixes))
		return -ENOMEM;
	for (size_t i = 0; i < prefixes->nr; i++)
		if (rule_list_seal(&prefixes->list[i].list))
			return -ENOMEM;
	look_around(prefixes);
	return make_tree(prefixes);
}

/* Returns the place of the last prefix that is not behind @key, or NO_PREFIX. */
static uint32_t last_before(const struct rule_prefixes *prefixes, struct rule_prefix_key key)
{
	uint32_t found = NO_PREFIX;
	size_t node = 0;

	while (node < prefixes->nr_nodes) {
		const struct rule_prefix_key *keys = prefixes->nodes[node].keys;
		unsigned int nr = (unsigned int)is_before(keys[0], key) + is_before(keys[1], key) +
				  is_before(keys[2], key) + is_before(keys[3], key);

		found = nr ? (uint32_t)(node * NODE_KEYS + nr - 1) : found;
		node = node * (NODE_KEYS + 1) + 1 + nr;
	}
	return found;
}

void rule_prefixes_each(const struct rule_prefixes *prefixes, const struct in6_addr *addr,
			unsigned int least, void (*fn)(void *data, const struct rule_list *list),
			void *data)
{
	struct rule_prefix_key key = key_of(addr);
	uint32_t place = last_before(prefixes, key);

	while (place != NO_PREFIX) {
		const struct rule_prefix_node *node = &prefixes->nodes[place / NODE_KEYS];
		unsigned int at = place % NODE_KEYS, bits = node->bits[at];
		struct rule_list one = {.one = node->of[at].rule, .nr = 1};

		if (bits < least)
			return;
		if (bits != NO_BITS && covers(node->keys[at], bits, key))
			fn(data, node->has_list[at] ? node->of[at].list : &one);
		place = node->around[at];
	}
}

void rule_prefixes_finish(struct rule_prefixes *prefixes)
{
	for (size_t i = 0; i < prefixes->nr; i++)
		rule_list_finish(&prefixes->list[i].list);
	for (size_t i = 0; i < prefixes->nr_lists; i++)
		rule_list_finish(&prefixes->lists[i]);
	free(prefixes->list);
	free(prefixes->nodes);
	free(prefixes->lists);
	*prefixes = (struct rule_prefixes){.nr = 0};
}
