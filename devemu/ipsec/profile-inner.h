/* SPDX-License-Identifier: Apache-2.0 */
/* profile-inner.h - shared by the parts of the reader of rules and keys */
#ifndef DEVEMU_IPSEC_PROFILE_INNER_H
#define DEVEMU_IPSEC_PROFILE_INNER_H

#include "devemu/ipsec/profile.h"

enum { PROFILE_LINE = 512, PROFILE_WORDS = 5, PROFILE_DEPTH = 3 };

enum profile_block {
	BLOCK_TOP,
	BLOCK_POLICY,     /* IpFilterPolicy */
	BLOCK_RULE,       /* IpFilterRule */
	BLOCK_SERVICE,    /* IpService */
	BLOCK_FILTER,     /* IpGenericFilterAction */
	BLOCK_ACTION,     /* IpManVpnAction */
	BLOCK_REPLACEMENT /* Replacement */
};

/* One line with "spi key" of an SA. */
struct profile_key {
	bool given;
	uint32_t spi;
	unsigned int len;
	uint8_t key[KEY_MAX + SALT];
};

enum { KEY_AUTH_IN, KEY_AUTH_OUT, KEY_ENCRYPT_IN, KEY_ENCRYPT_OUT, KEYS };

/* The keys of an action, until all of its attributes are known. */
struct profile_action {
	struct sa_config common; /* everything but keys, SPI and addresses */
	struct ip_addr local, remote;
	struct profile_key key[POLICY_GENERATIONS_MAX][KEYS];
	unsigned int generations;
};

struct profile {
	const char *file;
	int nr;
	struct lfp_reader_error *err;
	struct policy *policy;
	enum profile_block block[PROFILE_DEPTH + 1];
	unsigned int depth;
	bool opening; /* a '{' has to come next */
	bool weak;    /* AllowWeak */
	unsigned int words;
	char *word[PROFILE_WORDS];
	struct policy_rule *rule;
	char reference[POLICY_RULES_MAX][SA_NAME_MAX]; /* IpManVpnActionRef of each rule */
	struct policy_action *action;
	struct profile_action pending;
};

/* -EINVAL with the error filled, for the first word of the line. */
int profile_fail(struct profile *profile, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* One attribute or the head of a block, in profile-words.c. 0 or -EINVAL. */
int profile_take(struct profile *profile);
/* The end of the innermost block. */
int profile_close(struct profile *profile);
/* Checks at the end of an action, in profile-action.c, and fills its SAs. */
int profile_action_done(struct profile *profile);
/* Attributes of an action; 0 or -EINVAL. */
int profile_encrypt(struct profile *profile);
int profile_auth(struct profile *profile);
int profile_key(struct profile *profile, unsigned int which);

#endif
