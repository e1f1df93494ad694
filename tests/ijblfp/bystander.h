/* SPDX-License-Identifier: Apache-2.0 */
/* bystander.h - a connection that must not notice what other sockets of its path do */
#ifndef TESTS_IJBLFP_BYSTANDER_H
#define TESTS_IJBLFP_BYSTANDER_H

#include "host.h"

extern int other; /* its near end */
extern uint64_t other_id;

/* For cmocka: starts a host that writes its log to a file; one with epochs. */
int log_set_up(void **state);
int log_tear_down(void **state);
int set_up_epochs(void **state);

/* Returns true if VLFB065W contains this text. */
bool is_said(const char *text);

/* Connects it. The connection then carries a byte both ways, on the first path. */
void begin_bystander(struct host *host);
void bystander_lives(struct host *host);

/* Makes lfpd send a frame, with data or without. */
void put(struct host *host, struct lfp_frame frame);

#endif
