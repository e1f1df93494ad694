/* SPDX-License-Identifier: Apache-2.0 */
/* answer.h - what the appliance does for a command, and answers */
#ifndef VIA_ANSWER_H
#define VIA_ANSWER_H

#include <stdbool.h>

#include "via/client.h"

/* Answers a command, now or later, and ends the answer. */
void via_answer_request(struct via_client *client, const struct via_request *request);

/* Set by SHUTDOWN. */
extern bool via_shutdown_wanted;

#endif
