/* SPDX-License-Identifier: Apache-2.0 */
/* who.h - asks the LFP instance about the processes of tasks */
#ifndef LFPD_USERS_WHO_H
#define LFPD_USERS_WHO_H

#include "lfpd/state/session.h"

/* Sends ASK_WHO if the configuration needs facts that the session was not asked for yet. Call it
 * when the session begins to run, and when rules have changed. */
void who_ask(struct session *session);

#endif
