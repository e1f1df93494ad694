/* SPDX-License-Identifier: Apache-2.0 */
/* budget.h - how many records of each user the log takes */
#ifndef LFPD_LOG_BUDGET_H
#define LFPD_LOG_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Each user may make so many records a second, and as many at once. So a user that floods the log
 * takes the place of no other's records. Few users are active at a time: those beyond BUDGET_USERS
 * may share an entry.
 */
#define BUDGET_USERS 256u

struct budget {
	uint64_t seed;
	struct budget_user {
		uint32_t uid;
		bool used;
		uint64_t tokens;   /* thousandths of a record */
		uint64_t at;       /* ms, when they were counted */
		uint64_t left_out; /* since budget_take_left_out() */
	} of[BUDGET_USERS];
};

void budget_init(struct budget *budget);

/* Takes one record of the user at @now (ms), of @rate a second. Returns false, and counts the
 * record, if there is none left. */
bool budget_take(struct budget *budget, uint32_t uid, unsigned int rate, uint64_t now);

/* Returns the next user whose records were left out, and forgets their number, or NULL. @count is
 * set. */
const struct budget_user *budget_take_left_out(struct budget *budget, uint64_t *count);

#endif
