/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - values of JSON, by jansson */
#include "json/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UTF8_MAX 4
#define REPLACED "\xef\xbf\xbd" /* U+FFFD */

/* Returns the length of the character at @at, 0 if there is none. The library knows. */
static size_t character(const char *at)
{
	for (size_t len = 1; len <= UTF8_MAX && at[len - 1]; len++) {
		json_t *one = json_stringn(at, len);

		json_decref(one);
		if (one)
			return len;
	}
	return 0;
}

json_t *json_text(const char *text)
{
	json_t *value = json_string(text);
	char *clean = value ? NULL : malloc(strlen(text) * strlen(REPLACED) + 1), *to = clean;

	if (!clean)
		return value;
	while (*text) {
		size_t len = character(text);

		to = mempcpy(to, len ? text : REPLACED, len ? len : strlen(REPLACED));
		text += len ? len : 1;
	}
	*to = '\0';
	value = json_string(clean);
	free(clean);
	return value;
}

bool json_is_numeral(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || (*text == '0' && digits > 1))
		return false;
	text += digits;
	if (!*text)
		return true;
	digits = *text == '.' ? strspn(text + 1, "0123456789") : 0;
	return digits && !text[1 + digits];
}

/* JSON has no infinity and no NaN. */
static json_t *real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_numeral(const char *text)
{
	json_int_t value;
	char *end;

	errno = 0;
	value = strtoll(text, &end, 10);
	return errno || *end ? real(strtod(text, NULL)) : json_integer(value);
}

json_t *json_decimal(double value)
{
	/* Above 2^53 nothing is behind the point, and the product could be too large. */
	return real(fabs(value) < 0x1p53 ? round(value * 1e6) / 1e6 : value);
}

json_t *json_count(uint64_t value)
{
	return value > INT64_MAX ? json_real((double)value) : json_integer((json_int_t)value);
}

/* JSON_ENSURE_ASCII leaves DEL, which is a control character for terminals. */
static int put(const char *text, size_t len, void *out)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == 0x7f)
			fputs("\\u007f", out);
		else
			putc(text[i], out);
	return ferror(out) ? -1 : 0;
}

int json_part(json_t *value, size_t flags, FILE *out)
{
	/* 15 digits: 0.1 stays 0.1. */
	int rc = json_dump_callback(value, put, out,
				    flags | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));

	json_decref(value);
	return rc ? -1 : 0;
}

int json_line(json_t *value, size_t flags, FILE *out)
{
	return json_part(value, flags, out) || putc('\n', out) == EOF ? -1 : 0;
}
