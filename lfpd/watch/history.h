/* SPDX-License-Identifier: Apache-2.0 */
/* history.h - HISTORY: a record of all statistics for each interval, in a ring file */
#ifndef LFPD_WATCH_HISTORY_H
#define LFPD_WATCH_HISTORY_H

#include "lfpd/state/instance.h"

/* Begins the history; nothing without HISTORY. A file that cannot be used is told in a message, and
 * the instance runs without a history. */
void history_start(struct instance *inst);

/* Writes the last interval, and ends. The loop frees the memory. */
void history_stop(struct instance *inst);

#endif
