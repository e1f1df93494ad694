/* SPDX-License-Identifier: Apache-2.0 */
/* saved.h - what a suspended lfpd leaves for its successor: its writer and its reader */
#ifndef LFPD_SAVED_SAVED_H
#define LFPD_SAVED_SAVED_H

#include <stdio.h>

#include "lfpd/saved/saved-records.h"

/* The head; 0 or a negative errno. */
int saved_put_head(FILE *out);

/* One record: 0, -EINVAL if a field is not what the reader would take, or another negative errno.
 */
int saved_put(FILE *out, const struct saved_record *record);

/* A record that carries a frame: the same, and -EINVAL if the frame cannot be encoded. */
int saved_put_frame(FILE *out, enum saved_role role, const struct lfp_frame *frame);

/**
 * saved_open() - begin to read
 * @bytes:	all that was saved; must stay
 * @why:	set to a constant text for -EPROTO
 *
 * Return: 0; -EPROTO; -EPROTONOSUPPORT for another version.
 */
int saved_open(struct saved_reader *reader, const uint8_t *bytes, size_t len, const char **why);

/**
 * saved_next() - the next record
 * @record:	bytes in it point into what is read
 * @why:	set to a constant text for -EPROTO
 *
 * Return: 1; 0 after `end`, which is not handed out; -EPROTO, and then nothing of it is to be used.
 */
int saved_next(struct saved_reader *reader, struct saved_record *record, const char **why);

/* The frame of a record of that kind, which the reader has checked; points where it points. */
void saved_get_frame(const struct saved_frame *saved, struct lfp_frame *frame);

/* An empty memory file for it; a descriptor or a negative errno. */
int saved_memory_create(void);

/* Nobody can change it any more. 0 or a negative errno. */
int saved_memory_seal(int fd);

/* See it: 0; -EPERM if somebody could still change it; another negative errno. Undone by munmap().
 */
int saved_memory_map(int fd, const uint8_t **bytes, size_t *len);

/* @record, whose fields are good, after what @reader has seen: 0, or -EPROTO with @why. */
int saved_check(struct saved_reader *reader, const struct saved_record *record, const char **why);

/* The side that would send a frame of this role. */
enum lfp_side saved_side(unsigned int role);

#endif
