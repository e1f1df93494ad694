/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - values of JSON, by jansson */
#ifndef JSON_JSON_H
#define JSON_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Returns a string. Each byte that is not UTF-8 becomes U+FFFD. */
json_t *json_text(const char *text);

/* Returns whether @text is a number without sign and exponent: digits, perhaps a point and digits.
 */
bool json_is_numeral(const char *text);

/* Returns the number of a numeral; null where it is too large for a double. */
json_t *json_numeral(const char *text);

/* Returns a number of six decimals; null for NaN and infinity. */
json_t *json_decimal(double value);

/* Returns a count. */
json_t *json_count(uint64_t value);

/* Writes @value in one line of ASCII, with jansson's @flags, and forgets it: a terminal may show
 * the line as it is. Returns 0, or -1 without memory (@value may be NULL) or if @out has failed. */
int json_line(json_t *value, size_t flags, FILE *out);

/* The same without the end of the line: a part of a line that is too long for one value. */
int json_part(json_t *value, size_t flags, FILE *out);

#endif
