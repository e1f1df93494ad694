/* SPDX-License-Identifier: Apache-2.0 */
/* sharing.h - an instance whose tasks belong to several users, and what each of them has */
#ifndef TESTS_LFPD_SHARING_H
#define TESTS_LFPD_SHARING_H

#include <stdint.h>

#include "lfpd/users/share.h"
#include "tests/lfpd/one-path.h"

/* Two users that are not root. */
#define USER_A 65534u
#define USER_B 65533u

/* For cmocka, with one_path_tear_down(): an instance that has no path yet. */
int sharing_set_up(void **state);

/* Begins a task of a user. Returns the status. */
int sharing_begin(uint32_t task, uint32_t uid);

void sharing_end(uint32_t task);

/* The id of the socket that was made last; the next one gets the next id. */
extern uint64_t sharing_last_id;

/* Make a socket of TCP, or of a kind. Return the status. */
int sharing_make(uint32_t task);
int sharing_make_kind(uint32_t task, uint16_t kind);

/* Returns how much a user has. */
unsigned int sharing_has(uint32_t uid, enum share_kind kind);

/* Runs the loop for some turns. */
void sharing_turns(void);

/* Writes the log to a file from now on; counts its lines with a text; removes the file. */
void sharing_log(void);
int sharing_logged(const char *text);
void sharing_log_end(void);

#endif
