/* SPDX-License-Identifier: Apache-2.0 */
/* reader.h - what the readers of both sides' configurations have in common besides their fields */
#ifndef LFP_READER_H
#define LFP_READER_H

#include <stdarg.h>

/* What is wrong, for a person. */
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
