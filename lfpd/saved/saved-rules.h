/* SPDX-License-Identifier: Apache-2.0 */
/* saved-rules.h - what ties the records of saved state together */
#ifndef LFPD_SAVED_SAVED_RULES_H
#define LFPD_SAVED_SAVED_RULES_H

#include "lfpd/saved/saved-records.h"

/* @record, whose fields are good, after what @reader has seen: 0, or -EPROTO with @why. */
int saved_check(struct saved_reader *reader, const struct saved_record *record, const char **why);

/* The side that would send a frame of this role. */
enum lfp_side saved_side(unsigned int role);

#endif
