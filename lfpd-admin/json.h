/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - values of JSON from lfpd's answers, by jansson */
#ifndef LFPD_ADMIN_JSON_H
#define LFPD_ADMIN_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Returns a string. Each byte that is not UTF-8 becomes U+FFFD. */
json_t *json_text(const char *text);

/* Returns whether lfpd may write a number like this: digits, perhaps a point and digits. */
bool json_is_numeral(const char *text);

/* Returns the number of a numeral. */
json_t *json_numeral(const char *text);

/* Writes @value in one line of ASCII, with jansson's @flags, and forgets it: a terminal may show
 * the line as it is. Returns 0, or -1 without memory (@value may be NULL) or if @out has failed. */
int json_line(json_t *value, size_t flags, FILE *out);

#endif
