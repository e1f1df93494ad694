/* SPDX-License-Identifier: Apache-2.0 */
/* share.h - counts of things by user */
#ifndef LFP_SHARE_H
#define LFP_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lfp/table.h"

/*
 * Theory of operation
 *
 * Each user that has something has an entry. The user's first thing creates the entry, and the
 * return of the last one frees it. A thing keeps the pointer to the entry that it counts for, so it
 * counts for the same user until the end.
 *
 * An entry is the first member of a larger struct of its side, which holds lists of the user's
 * things.
 */
#define LFP_SHARE_KINDS 4

struct lfp_share {
	struct lfp_table_link link; /* in shares->users */
	uint32_t uid;
	unsigned int used[LFP_SHARE_KINDS]; /* their meaning is the caller's */
};

struct lfp_shares {
	struct lfp_table users; /* by uid */
	size_t size;            /* of an entry, with the members after struct lfp_share */
	void (*init)(struct lfp_share *share); /* an entry that is all zero but for uid; or NULL */
	void (*finish)(struct lfp_share *share); /* an entry that is freed then; or NULL */
};

/* Valid forever; while no user has anything, it holds no memory. */
void lfp_shares_init(struct lfp_shares *shares, size_t size, void (*init)(struct lfp_share *share));

/* Counts one more for the user. Returns the entry, or NULL without memory. */
struct lfp_share *lfp_share_take(struct lfp_shares *shares, uint32_t uid, unsigned int kind);

/* Counts one less for the user. Frees the entry with the last one. */
void lfp_share_drop(struct lfp_shares *shares, struct lfp_share *share, unsigned int kind);

/* The entry of a user, or NULL. */
struct lfp_share *lfp_share_find(const struct lfp_shares *shares, uint32_t uid);

/* All entries, in no order: the first for NULL, NULL after the last. */
struct lfp_share *lfp_share_next(const struct lfp_shares *shares, const struct lfp_share *share);

/* Returns the entry with the most of a kind, or NULL if no entry has any. */
struct lfp_share *lfp_share_most(const struct lfp_shares *shares, unsigned int kind);

/* The part of @whole that one user may have by default: three quarters, rounded up. */
static inline unsigned int lfp_share_of(unsigned int whole)
{
	return whole - whole / 4;
}

/* Returns true if the user has its full share. Root may have all. */
static inline bool lfp_share_is_spent(uint32_t uid, unsigned int used, unsigned int most)
{
	return uid && used >= most;
}

#endif
