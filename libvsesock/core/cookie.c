/* SPDX-License-Identifier: Apache-2.0 */
/* cookie.c - how the shim's own calls pass the seccomp filter of lfp-run */
#include "libvsesock/core/cookie.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libvsesock/core/raw.h"

long raw_cookie;

bool cookie_resolves(void)
{
	const char *text = getenv(RESOLVE_VARIABLE);

	return raw_cookie && text && !strcmp(text, RESOLVE_PROGRAM);
}

void cookie_init(void)
{
	const char *text = getenv(COOKIE_VARIABLE);
	int saved = errno;
	char *end;
	unsigned long value;

	if (!text || strlen(text) != COOKIE_DIGITS)
		return;
	value = strtoul(text, &end, 16);
	if (!*end)
		raw_cookie = (long)value;
	errno = saved;
}
