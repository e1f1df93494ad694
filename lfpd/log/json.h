/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - strings of JSON (RFC 8259), made without memory of their own */
#ifndef LFPD_LOG_JSON_H
#define LFPD_LOG_JSON_H

#include <stdio.h>

/*
 * Other programs use a library, which is too slow for the log (docs/architecture.md, "JSON").
 */

/* Writes @text in quotes. Control characters are escaped. Other UTF-8 stays as it is; each byte of
 * anything else becomes U+FFFD. */
void log_json_string(const char *text, FILE *out);

#endif
