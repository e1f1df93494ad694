/* SPDX-License-Identifier: Apache-2.0 */
/* reader.h - the common part of the readers of both sides' configurations */
#ifndef LFP_READER_H
#define LFP_READER_H

#include <stdarg.h>

/* Error text for people. */
struct lfp_reader_error {
	int line;       /* 0: it is about the whole */
	char key[40];   /* "" if it is about no key */
	char text[512]; /* "NAME:LINE: KEY: reason", one line; long parts are cut */
};

/* Fill @err; @name is the file's. Returns -EINVAL. */
int lfp_reader_fail(struct lfp_reader_error *err, const char *name, int line, const char *key,
		    const char *fmt, va_list ap) __attribute__((format(printf, 5, 0)));

/* Cut blanks and tabs off both ends, in place. */
char *lfp_reader_trim(char *text);

#endif
