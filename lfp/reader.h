/* SPDX-License-Identifier: Apache-2.0 */
/* reader.h - the common part of the readers of both sides' configurations */
#ifndef LFP_READER_H
#define LFP_READER_H

#include <stdarg.h>
#include <stddef.h>

/* Error text for people. */
struct lfp_reader_error {
	int line;       /* 0: it is about the whole */
	char key[40];   /* "" if it is about no key */
	char text[512]; /* "NAME:LINE: KEY: reason", one line; long parts are cut */
};

#define LFP_READER_ERRORS 20

/* The errors of one reading. */
struct lfp_reader_errors {
	unsigned int nr; /* of all */
	/* The first LFP_READER_ERRORS of them by their lines; those about the whole come last. */
	struct lfp_reader_error list[LFP_READER_ERRORS];
};

/* Add a copy of @err at its place. */
void lfp_reader_errors_add(struct lfp_reader_errors *errs, const struct lfp_reader_error *err);

/* How many the list holds. */
static inline size_t lfp_reader_errors_listed(const struct lfp_reader_errors *errs)
{
	return errs->nr < LFP_READER_ERRORS ? errs->nr : LFP_READER_ERRORS;
}

/* Fill @err; @name is the file's. Returns -EINVAL. */
int lfp_reader_fail(struct lfp_reader_error *err, const char *name, int line, const char *key,
		    const char *fmt, va_list ap) __attribute__((format(printf, 5, 0)));

/* Cut blanks and tabs off both ends, in place. */
char *lfp_reader_trim(char *text);

#endif
