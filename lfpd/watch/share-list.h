/* SPDX-License-Identifier: Apache-2.0 */
/* share-list.h - the users of an instance and their counts, as an answer to lfpd-admin */
#ifndef LFPD_WATCH_SHARE_LIST_H
#define LFPD_WATCH_SHARE_LIST_H

#include <stdio.h>

#include "lfpd/state/instance.h"
#include "lfpd/watch/server.h"

/* Writes "ok" and the columns; the rows follow in pieces, as in lists.h. Returns 0, or -ENOMEM with
 * nothing written. */
int share_list(struct instance *inst, struct server_client *client, FILE *out);

#endif
