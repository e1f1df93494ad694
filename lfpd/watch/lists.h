/* SPDX-License-Identifier: Apache-2.0 */
/* lists.h - the tasks and the sockets of an instance, as answers to lfpd-admin */
#ifndef LFPD_WATCH_LISTS_H
#define LFPD_WATCH_LISTS_H

#include <stdio.h>

#include "lfpd/state/instance.h"
#include "lfpd/watch/server.h"

/* Write "ok", the columns and the first rows; the server asks for the others. Rows that end or
 * begin meanwhile are left out. 0, or -ENOMEM with nothing written. */
int lists_tasks(struct instance *inst, struct server_client *client, FILE *out);
int lists_sockets(struct instance *inst, struct server_client *client, FILE *out);

/* Writes "ok" and the columns; the rows follow in pieces, as in lists.h. Returns 0, or -ENOMEM with
 * nothing written. */
int share_list(struct instance *inst, struct server_client *client, FILE *out);
int limit_list(struct instance *inst, struct server_client *client, FILE *out);

#endif
