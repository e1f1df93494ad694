/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - strict reading of numbers from files and arguments */
#include "lfp/number.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>

/* Take the digits at the start of @text; returns what follows them. */
static const char *take_digits(const char *text, unsigned long *value, bool *overflow)
{
	*value = 0;
	*overflow = false;
	for (; *text >= '0' && *text <= '9'; text++) {
		unsigned long digit = (unsigned long)(*text - '0');

		if (*value > (ULONG_MAX - digit) / 10)
			*overflow = true;
		else
			*value = *value * 10 + digit;
	}
	return text;
}

static int read_number(const char *text, bool suffix, unsigned long min, unsigned long max,
		       unsigned long *value)
{
	unsigned long n, unit = 1;
	const char *end;
	bool overflow;

	end = take_digits(text, &n, &overflow);
	if (end == text)
		return -EINVAL;
	if (suffix && (*end == 'K' || *end == 'k'))
		unit = 1024;
	else if (suffix && (*end == 'M' || *end == 'm'))
		unit = 1024 * 1024;
	if (unit != 1)
		end++;
	if (*end)
		return -EINVAL;
	if (overflow || n > ULONG_MAX / unit)
		return -ERANGE;
	n *= unit;
	if (n < min || n > max)
		return -ERANGE;
	*value = n;
	return 0;
}

int lfp_number(const char *text, unsigned long min, unsigned long max, unsigned long *value)
{
	return read_number(text, false, min, max, value);
}

int lfp_size(const char *text, unsigned long min, unsigned long max, unsigned long *value)
{
	return read_number(text, true, min, max, value);
}
