/* SPDX-License-Identifier: Apache-2.0 */
/* holding.h - an instance whose scripted lfpd goes away and comes back */
#ifndef TESTS_IJBLFP_HOLDING_H
#define TESTS_IJBLFP_HOLDING_H

#include "datagram.h"

#define SESSION 0x1122334455667788ull

#define HOLD_SHORT UINT64_C(1000000000) /* ns */

/* HoldTime of 30 seconds, of one, and none at all. */
int hold_setup(void **state);
int hold_setup_short(void **state);
int hold_setup_none(void **state);

/* Makes a listener that has asked for two connections, and one connection that comes to it. */
int listening(struct host *host, uint64_t *id);
void accepted(struct host *host, uint64_t listener, uint64_t id);

void send_plain(struct host *host, uint8_t code);

/* SUSPEND and its answer: the instance sends nothing more on this path. */
void suspend(struct host *host);

/* Ends the path; the next one asks for the session. */
void go_away(struct host *host);

void answer_resume(struct host *host, struct got got, uint16_t status, uint64_t sent,
		   uint64_t received);

/* RESUME of each socket, answered with the instance's own positions, except for @other, whose
 * request is returned. */
struct got resume_all(struct host *host, unsigned int nr, uint64_t other);

void finish_resume(struct host *host);

#endif
