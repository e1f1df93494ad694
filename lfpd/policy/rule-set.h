/* SPDX-License-Identifier: Apache-2.0 */
/* rule-set.h - rules in buckets, one for each peer */
#ifndef LFPD_POLICY_RULE_SET_H
#define LFPD_POLICY_RULE_SET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lfp/table.h"

struct port_range {
	uint16_t first, last;
};

struct rule {
	unsigned int line;
	bool allow;
	uint8_t acts, protocols; /* enum rules_act and enum rules_protocol of rules.h */
	bool has_user;
	bool sni, ech; /* only with this server name; ECH may hide another one */
	uint32_t uid;
	unsigned int nr_ports;    /* 0: any */
	struct port_range *ports; /* in the same allocation */
};

enum bucket_kind {
	BUCKET_NAME,   /* the name alone */
	BUCKET_BELOW,  /* all names below it */
	BUCKET_PREFIX, /* addresses */
};

/* The rules of one peer, in the order of their lines. */
struct bucket {
	struct lfp_table_link link; /* by a hash of kind and name, or of addr and bits */
	enum bucket_kind kind;
	struct in6_addr addr; /* BUCKET_PREFIX */
	unsigned int bits;
	struct rule **rules;
	size_t nr, room;
	char *name; /* of a name; in the same allocation */
};

struct rules {
	struct lfp_table buckets;
	struct bucket any;
	struct bucket shut4, shut6; /* rules that deny listening at addresses of IPv4, IPv6 */
	uint32_t bits_used[5];      /* bit n: a prefix has n bits */
	struct rule **all;          /* in the order of their lines; owns them */
	size_t nr, room;
	bool default_allow;
	unsigned int default_line;
	uint64_t digest; /* of the text */
};

/* Return the bucket, or NULL if there is none. */
struct bucket *rules_find_name(const struct rules *rules, enum bucket_kind kind, const char *name);
struct bucket *rules_find_prefix(const struct rules *rules, const struct in6_addr *addr,
				 unsigned int bits);

/* Add a rule to the bucket of its peer, and make this bucket if there is none. Return 0 or
 * -ENOMEM. */
int rules_add_any(struct rules *rules, struct rule *rule);
int rules_add_name(struct rules *rules, enum bucket_kind kind, const char *name, struct rule *rule);
int rules_add_prefix(struct rules *rules, const struct in6_addr *addr, unsigned int bits,
		     struct rule *rule);

/* The same for a rule that denies listening at addresses of IPv4 or IPv6. */
int rules_add_shut(struct rules *rules, bool v4, struct rule *rule);

/* Frees the rules, if any. */
void rule_set_free(struct rules *rules);

/* FNV-1a; @seed tells uses apart. */
uint64_t rules_hash(uint64_t seed, const void *bytes, size_t len);

/* Clears all but the first @bits bits. */
void rules_mask(struct in6_addr *addr, unsigned int bits);

#endif
