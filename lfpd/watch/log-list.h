/* SPDX-License-Identifier: Apache-2.0 */
/* log-list.h - the newest records of the log of connections, as an answer to lfpd-admin */
#ifndef LFPD_WATCH_LOG_LIST_H
#define LFPD_WATCH_LOG_LIST_H

#include <stdint.h>
#include <stdio.h>

#include "lfpd/state/instance.h"
#include "lfpd/watch/server.h"

/* Writes the records after number @since that the memory still has; see lists.h. */
int log_list(struct instance *inst, uint64_t since, struct server_client *client, FILE *out);

#endif
