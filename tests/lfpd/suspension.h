/* SPDX-License-Identifier: Apache-2.0 */
/* suspension.h - an instance with a scripted z/VSE side that suspends a session and resumes it */
#ifndef TESTS_LFPD_SUSPENSION_H
#define TESTS_LFPD_SUSPENSION_H

#include "lfpd/restart/suspend.h"
#include "tests/lfpd/one-path.h"

extern struct suspended left;   /* by the instance before */
extern int nr_done, done_error; /* of on_done() */

int set_up(void **state);
void on_done(struct instance *inst, int error, struct suspended *what);

/* Opens a path that offers resuming; @session as in HELLO. */
struct lfp_hello_reply hello(uint64_t session);

/* Opens a path with task 1. Returns the number of the session. */
uint64_t start(void);

/* Sends a frame that has only its code. */
void send_plain(enum lfp_code code);

/* Run until SUSPEND, and until the instance has saved its state. */
void suspend(void);
void settle(void);

/* Starts the next lfpd. Returns the result of resume_offer(). */
int take_over(void);

/* All of it at once: suspends the session, starts the next lfpd, and opens a path to it. */
void hand_over(uint64_t session);

/* Send RESUME and return its status; send RESUMED, which must work. */
int resume(uint64_t id, uint64_t sent, uint64_t received);
void resumed(void);

#endif
