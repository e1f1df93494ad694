/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - lfpd-admin's log command: the records of the log of connections */
#ifndef LFPD_ADMIN_LOG_H
#define LFPD_ADMIN_LOG_H

#include <stdbool.h>

#include "lfpd-admin/view.h"

/* Prints the records that lfpd still has, and with @follow those to come, until a signal. Returns
 * the exit code of the program. */
int command_log(struct view *view, bool follow);

/* Asks for the records that lfpd still has. Returns 0, with @rows to be freed by rows_finish(), or
 * an exit code after a message. */
int log_rows(const struct view *view, struct rows *rows);

#endif
