/* SPDX-License-Identifier: Apache-2.0 */
/* budget.h - how many records of each user the log takes */
#ifndef LFPD_LOG_BUDGET_H
#define LFPD_LOG_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp/share.h"

/*
 * Theory of operation
 *
 * Each user may make so many records a second, and as many at once, and may have three quarters of
 * the records that wait for their file. So a user that floods the log takes the place of no other's
 * records, not even while the disk is full.
 *
 * A user has an entry while some of its records wait, while some were left out and no record says
 * so, and in the second after its last one. An entry older than that would be as a new one.
 */
struct budget {
	struct lfp_shares users;
	unsigned int most;  /* records of one user that may wait */
	uint64_t last_look; /* ms, for entries that are as new */
};

/* @places: for records that wait */
void budget_init(struct budget *budget, unsigned int places);
void budget_finish(struct budget *budget);

/* Takes one record of the user at @now (ms), of @rate a second. Returns false, and counts the
 * record, if there is none left. */
bool budget_take(struct budget *budget, uint32_t uid, unsigned int rate, uint64_t now);

/* The record that was taken is left out all the same. Returns false if it cannot be counted,
 * without memory. */
bool budget_leave_out(struct budget *budget, uint32_t uid);

/* A record of the user waits for its file; it has been written. */
void budget_put(struct budget *budget, uint32_t uid);
void budget_written(struct budget *budget, uint32_t uid);

/* Finds a user whose records were left out, and who may have one more that says so; with @any, who
 * may not, too. Returns their number and sets @uid, or returns 0. */
uint64_t budget_left_out(const struct budget *budget, bool any, uint32_t *uid);

/* A record says how many those were. */
void budget_told(struct budget *budget, uint32_t uid);

#endif
