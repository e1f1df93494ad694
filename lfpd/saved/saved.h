/* SPDX-License-Identifier: Apache-2.0 */
/* saved.h - what a suspended lfpd leaves for its successor: its writer and its reader */
#ifndef LFPD_SAVED_SAVED_H
#define LFPD_SAVED_SAVED_H

#include <stdio.h>

#include "lfpd/saved/saved-records.h"

/* Writes the head. Returns 0 or a negative errno. */
int saved_put_head(FILE *out);

/* Writes a record. Returns 0, -EINVAL if the reader would refuse a field, or another negative
 * errno.
 */
int saved_put(FILE *out, const struct saved_record *record);

/* Writes a record with a frame. Returns as saved_put(); -EINVAL if the frame cannot be encoded. */
int saved_put_frame(FILE *out, enum saved_role role, const struct lfp_frame *frame);

/**
 * saved_open() - begin to read
 * @bytes:	the whole saved state; must outlive the reader
 * @why:	set to a constant text for -EPROTO
 *
 * Return: 0; -EPROTO; -EPROTONOSUPPORT for another version.
 */
int saved_open(struct saved_reader *reader, const uint8_t *bytes, size_t len, const char **why);

/**
 * saved_next() - the next record
 * @record:	its bytes point into the saved state
 * @why:	set to a constant text for -EPROTO
 *
 * Return: 1; 0 at the record `end`, which is not handed out; -EPROTO: use nothing of the state.
 */
int saved_next(struct saved_reader *reader, struct saved_record *record, const char **why);

/* Gets the frame of a record that the reader has checked. The frame points into the same bytes. */
void saved_get_frame(const struct saved_frame *saved, struct lfp_frame *frame);

/* Creates an empty memory file for the state. Returns a descriptor or a negative errno. */
int saved_memory_create(void);

/* Seals the memory file against changes. Returns 0 or a negative errno. */
int saved_memory_seal(int fd);

/* Maps the saved state. Returns 0; -EPERM if the file is not sealed; another negative errno. Undo
 * by munmap().
 */
int saved_memory_map(int fd, const uint8_t **bytes, size_t *len);

/* @record, whose fields are good, after what @reader has seen: 0, or -EPROTO with @why. */
int saved_check(struct saved_reader *reader, const struct saved_record *record, const char **why);

/* The side that would send a frame of this role. */
enum lfp_side saved_side(unsigned int role);

#endif
