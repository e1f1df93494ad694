/* SPDX-License-Identifier: Apache-2.0 */
/* key.h - converts the keys and names of a statement, with a text for each error */
#ifndef DEVEMU_SCENARIO_KEY_H
#define DEVEMU_SCENARIO_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "devemu/scenario/line.h"

/* Each returns 0 (also when the key is not there, and then leaves *@value as it is) or -EINVAL with
 * the line's error filled. */
int key_number(struct line *line, const char *key, unsigned long min, unsigned long max,
	       unsigned int *value);
int key_size(struct line *line, const char *key, unsigned long min, unsigned long max,
	     unsigned int *value);
int key_time(struct line *line, const char *key, int64_t *value);
int key_distance(struct line *line, const char *key, unsigned long *value);
int key_percent(struct line *line, const char *key, unsigned int min, unsigned int *value);
int key_bool(struct line *line, const char *key, bool *value);
int key_not(struct line *line, const char *key, bool *value); /* "no" is true */
int key_hex(struct line *line, const char *key, unsigned int max, unsigned int *value);
int key_hex64(struct line *line, const char *key, uint64_t *value);
int key_devices(struct line *line, const char *key, unsigned int *first, unsigned int *count);
int key_text(struct line *line, const char *key, char *value, size_t size);
/* One of @words (ends with NULL): its index. */
int key_word(struct line *line, const char *key, const char *const words[], unsigned int *index);

/* The same for a name of the line. @what is its kind, for the error text. */
int name_hex(struct line *line, unsigned int nr, const char *what, unsigned int max,
	     unsigned int *value);
int name_text(struct line *line, unsigned int nr, const char *what, char *value, size_t size);
int name_time(struct line *line, unsigned int nr, int64_t *value);
int names_are(const struct line *line, unsigned int count);

#endif
