/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - pieces of JSON */
#ifndef LFPD_ADMIN_JSON_H
#define LFPD_ADMIN_JSON_H

#include <stdbool.h>
#include <stdio.h>

/* In quotes. What is no UTF-8 becomes U+FFFD. */
void json_string(const char *text, FILE *out);

/* Digits, with or without a point and digits after them, as JSON has it. */
bool json_is_number(const char *text);

#endif
