/* SPDX-License-Identifier: Apache-2.0 */
/* saving.h - a saved state that a test writes record by record, and reads again */
#ifndef TESTS_LFPD_SAVING_H
#define TESTS_LFPD_SAVING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lfpd/saved/saved.h"

/* The state, and the stream that writes it. The bytes and their number are valid after fflush(). */
extern char *saving_bytes;
extern size_t saving_size;
extern FILE *saving_out;

/* For cmocka: a state that has only its head; and its end. */
int saving_set_up(void **state);
int saving_tear_down(void **state);

/* Drops what was written and begins again. */
void saving_restart(void);

/* Write one record. The end record has the right number of records. */
void saving_put(const struct saved_record *record);
void saving_put_frame(enum saved_role role, const struct lfp_frame *frame);
void saving_put_session(void);
void saving_put_bytes(const char *text);
void saving_put_end(void);

/* Return the record of a socket without data. */
struct saved_record saving_stream(uint64_t id);
struct saved_record saving_datagrams(uint64_t id);

/* Reads all. Returns the reason of the refusal, or NULL if all was accepted. */
const char *saving_refusal(void);

#endif
