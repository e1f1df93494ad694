/* SPDX-License-Identifier: Apache-2.0 */
/* http.h - requests for metrics: as much of HTTP/1.1 as scrapers need, and no more */
#ifndef LFPD_WATCH_HTTP_H
#define LFPD_WATCH_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_PATH_MAX 64

struct http_request {
	bool head;                /* HEAD, not GET */
	char path[HTTP_PATH_MAX]; /* without what follows a "?" */
	bool openmetrics;         /* Accept prefers application/openmetrics-text; version=1.0.0 */
};

/* Returns whether the whole head of the request has arrived, up to its empty line. */
bool http_complete(const char *text, size_t len);

/**
 * http_parse() - check a request (RFC 9112) without body
 * @text:	up to the empty line, or as much as fits if it is too long
 *
 * No folded lines, no bare CR or LF, no control characters, no blanks before a colon; HTTP/1.1 has
 * one Host. Return: 200, or the status code of the refusal.
 */
int http_parse(const char *text, size_t len, struct http_request *request);

/* The reason phrase of a status code. */
const char *http_reason(int status);

#endif
