/* SPDX-License-Identifier: Apache-2.0 */
/* learn.h - lfpd-admin's "policy learn": rules that the calls in the log would need */
#ifndef LFPD_ADMIN_LEARN_H
#define LFPD_ADMIN_LEARN_H

#include <stdio.h>

#include "lfpd-admin/rows.h"
#include "lfpd-admin/view.h"

/* Prints the rules. Returns the exit code of the program. */
int command_learn(struct view *view);

/* Writes the rules that the records @rows would need, as a file of lfpd-policy(5). @instance is for
 * the first comment. Returns 0 or -ENOMEM. */
int learn_rules(const struct rows *rows, const char *instance, FILE *out);

#endif
