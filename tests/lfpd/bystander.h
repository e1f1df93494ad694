/* SPDX-License-Identifier: Apache-2.0 */
/* bystander.h - a connection that must not notice what other sockets of its path do */
#ifndef TESTS_LFPD_BYSTANDER_H
#define TESTS_LFPD_BYSTANDER_H

#include "tests/lfpd/one-path.h"

enum { BYSTANDER = 100 }; /* its id */

extern int far_end; /* of its connection */

/* For cmocka: one path, whose lfpd writes its log to a file. */
int log_set_up(void **state);
int log_tear_down(void **state);

/* Start as configured so far and open the path. */
void start_logged(void);

/* Returns true if VLFD127W contains this text. */
bool is_said(const char *text);
int lines_of_log(void);

/* Connect it; its connection carries a byte both ways. */
void begin_bystander(void);
void bystander_lives(void);

/* Frames that did not fit. */
uint64_t count(void);

#endif
