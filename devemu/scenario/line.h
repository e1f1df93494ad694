/* SPDX-License-Identifier: Apache-2.0 */
/* line.h - one statement of a scenario: its words, and the functions that take it */
#ifndef DEVEMU_SCENARIO_LINE_H
#define DEVEMU_SCENARIO_LINE_H

#include "lfp/reader.h"
#include "devemu/fabric/config.h"

enum { LINE_LENGTH = 1024, LINE_KEYS = 24, LINE_NAMES = 3 };

/* "word name... key=value ...": names come before keys. All point into the text of the line. */
struct line {
	const char *file;
	int nr;
	struct lfp_reader_error *err;
	const char *word;
	unsigned int names, keys;
	const char *name[LINE_NAMES];
	struct {
		const char *key, *value;
		int used;
	} key[LINE_KEYS];
};

/* -EINVAL with @line->err filled. */
int line_fail(const struct line *line, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Cut @text, which is changed. 1: a statement, 0: nothing there, -EINVAL. A '#' at the start of a
 * word begins a comment. */
int line_cut(struct line *line, char *text);

/* Returns the value of @key and marks it as used, or NULL. */
const char *line_value(struct line *line, const char *key);

/* Returns 0 if every key was used, else -EINVAL. */
int line_done(const struct line *line);

/* Takes one statement into @config. Return: 0, -EINVAL with the line's error filled, or -ENOMEM. */
int statement_take(struct config *config, struct line *line);

/* In statements-system.c. */
int statement_system(struct config *config, struct line *line);
int statement_zhyperlink(struct config *config, struct line *line);

/* In statements-security.c. */
int statement_fces_frame_bytes(struct config *config, struct line *line);
int statement_fces_key_frames(struct config *config, struct line *line);
int statement_key_server(struct config *config, struct line *line);

/* The keys fces= and key-server= of an end: 0 or -EINVAL. */
int key_fces(struct line *line, enum fces_policy *policy, char key_server[CONFIG_NAME_MAX]);

#endif
