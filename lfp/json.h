/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - pieces of JSON (RFC 8259) */
#ifndef LFP_JSON_H
#define LFP_JSON_H

#include <stdbool.h>
#include <stdio.h>

/* Writes @text in quotes. Control characters are escaped. Other UTF-8 stays as it is; each byte of
 * anything else becomes U+FFFD. */
void lfp_json_string(const char *text, FILE *out);

/* Returns whether @text is a JSON number without sign and exponent: digits, perhaps a point and
 * digits. */
bool lfp_json_is_number(const char *text);

#endif
