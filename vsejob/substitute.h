/* SPDX-License-Identifier: Apache-2.0 */
/* substitute.h - symbolic parameters in a statement: &NAME is replaced by its value */
#ifndef VSEJOB_SUBSTITUTE_H
#define VSEJOB_SUBSTITUTE_H

#include <stddef.h>

/*
 * Job control replaces symbolic parameters when it meets the statement (SG24-2043, 4.3.2: "JCL is
 * expanded at execution time"), also in quotes. These rules are this project's, after the
 * assembler's:
 *
 *	&NAME	the value of NAME, of 1 to 8 of A-Z 0-9 $ # @, in any case, not beginning with a
 *		digit; in quotes a quote of the value is doubled
 *	&NAME.	the same; the dot goes
 *	&&	an ampersand
 *	&	with another character behind it: itself, as in // IF a & b
 *
 * $RC, $MRC, $CANCEL and $ABEND are no parameters.
 */
struct substitution {
	const char *(*value_of)(void *data, const char *name); /* NULL: it is not set */
	void *data;
};

/**
 * substitute() - replace the parameters of a statement
 * @out:	set to the statement, at most @size bytes with its NUL
 *
 * Return: NULL, or what is wrong, a half-sentence that is valid until the next call.
 */
const char *substitute(const struct substitution *how, const char *text, char *out, size_t size);

#endif
