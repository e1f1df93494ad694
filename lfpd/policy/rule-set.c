/* SPDX-License-Identifier: Apache-2.0 */
/* rule-set.c - rules in buckets, one for each peer */
#include "lfpd/policy/rule-set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t rules_hash(uint64_t seed, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t h = 0xcbf29ce484222325u ^ seed;

	for (size_t i = 0; i < len; i++)
		h = (h ^ at[i]) * 0x100000001b3u;
	return h;
}

static uint64_t hash_prefix(const struct in6_addr *addr, unsigned int bits)
{
	return rules_hash(BUCKET_PREFIX, addr, sizeof(*addr)) ^ ((uint64_t)bits << 56);
}

struct bucket *rules_find_name(const struct rules *rules, enum bucket_kind kind, const char *name)
{
	struct lfp_table_link *link =
		lfp_table_find(&rules->buckets, rules_hash(kind, name, strlen(name)));

	for (; link; link = lfp_table_find_more(link)) {
		struct bucket *bucket = lfp_table_entry(link, struct bucket, link);

		if (bucket->kind == kind && !strcmp(bucket->name, name))
			return bucket;
	}
	return NULL;
}

struct bucket *rules_find_prefix(const struct rules *rules, const struct in6_addr *addr,
				 unsigned int bits)
{
	struct lfp_table_link *link = lfp_table_find(&rules->buckets, hash_prefix(addr, bits));

	for (; link; link = lfp_table_find_more(link)) {
		struct bucket *bucket = lfp_table_entry(link, struct bucket, link);

		if (bucket->kind == BUCKET_PREFIX && bucket->bits == bits &&
		    IN6_ARE_ADDR_EQUAL(&bucket->addr, addr))
			return bucket;
	}
	return NULL;
}

static int put(struct rule ***list, size_t *nr, size_t *room, struct rule *rule)
{
	if (*nr == *room) {
		size_t more = *room ? 2 * *room : 1;
		struct rule **larger = realloc(*list, more * sizeof(struct rule *));

		if (!larger)
			return -ENOMEM;
		*list = larger;
		*room = more;
	}
	(*list)[(*nr)++] = rule;
	return 0;
}

static int put_in(struct bucket *bucket, struct rule *rule)
{
	return put(&bucket->rules, &bucket->nr, &bucket->room, rule);
}

int rules_add_any(struct rules *rules, struct rule *rule)
{
	return put_in(&rules->any, rule);
}

int rules_add_name(struct rules *rules, enum bucket_kind kind, const char *name, struct rule *rule)
{
	struct bucket *bucket = rules_find_name(rules, kind, name);
	size_t len = strlen(name);

	if (!bucket) {
		bucket = calloc(1, sizeof(*bucket) + len + 1);
		if (!bucket)
			return -ENOMEM;
		bucket->kind = kind;
		bucket->name = memcpy(bucket + 1, name, len + 1);
		lfp_table_add(&rules->buckets, &bucket->link, rules_hash(kind, name, len));
	}
	return put_in(bucket, rule);
}

int rules_add_prefix(struct rules *rules, const struct in6_addr *addr, unsigned int bits,
		     struct rule *rule)
{
	struct in6_addr masked = *addr;
	struct bucket *bucket;

	rules_mask(&masked, bits);
	bucket = rules_find_prefix(rules, &masked, bits);
	if (!bucket) {
		bucket = calloc(1, sizeof(*bucket));
		if (!bucket)
			return -ENOMEM;
		bucket->kind = BUCKET_PREFIX;
		bucket->addr = masked;
		bucket->bits = bits;
		lfp_table_add(&rules->buckets, &bucket->link, hash_prefix(&masked, bits));
		rules->bits_used[bits / 32] |= 1u << bits % 32;
	}
	return put_in(bucket, rule);
}

int rules_add_shut(struct rules *rules, bool v4, struct rule *rule)
{
	return put_in(v4 ? &rules->shut4 : &rules->shut6, rule);
}

void rules_mask(struct in6_addr *addr, unsigned int bits)
{
	for (unsigned int i = 0; i < sizeof(addr->s6_addr); i++) {
		unsigned int left = bits > 8 * i ? bits - 8 * i : 0;

		if (left < 8)
			addr->s6_addr[i] &= (uint8_t)(0xff00u >> left);
	}
}

void rule_set_free(struct rules *rules)
{
	struct lfp_table_link *link;

	if (!rules)
		return;
	while ((link = lfp_table_any(&rules->buckets))) {
		struct bucket *bucket = lfp_table_entry(link, struct bucket, link);

		lfp_table_remove(&rules->buckets, link);
		free(bucket->rules);
		free(bucket);
	}
	lfp_table_finish(&rules->buckets);
	free(rules->any.rules);
	free(rules->shut4.rules);
	free(rules->shut6.rules);
	for (size_t i = 0; i < rules->nr; i++)
		free(rules->all[i]);
	free(rules->all);
	free(rules);
}
