/* SPDX-License-Identifier: Apache-2.0 */
/* idn.c - names with letters other than ASCII, and their form in the DNS */
#include "libvsesock/preload/hooks.h"

#include <dlfcn.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* From libidn2's header. */
#define LIBIDN2        "libidn2.so.0"
#define IDN2_MALLOC    (-100)
#define IDN2_NOT_THERE 1 /* not libidn2's: its errors are negative */

static bool is_ascii(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name > 127)
			return false;
	return true;
}

static int copy(const char *name, char **out)
{
	*out = strdup(name);
	return *out ? 0 : EAI_MEMORY;
}

/* libidn2 allocates with malloc(). */
static int convert(const char *function, const char *name, char **out)
{
	/* The library stays loaded: other threads may be inside it. */
	void *library = dlopen(LIBIDN2, RTLD_LAZY | RTLD_LOCAL);
	void *found = library ? dlsym(library, function) : NULL;
	int (*call)(const char *in, char **result, int flags);

	memcpy(&call, &found, sizeof(call));
	return call ? call(name, out, 0) : IDN2_NOT_THERE;
}

int idn_to_dns(const char *name, char **out)
{
	int rc;

	if (is_ascii(name))
		return copy(name, out);
	/* As libc: the DNS would read the backslash as an escape. */
	if (strchr(name, '\\'))
		return EAI_IDN_ENCODE;
	rc = convert("idn2_lookup_ul", name, out);
	if (rc == IDN2_MALLOC)
		return EAI_MEMORY;
	return rc ? EAI_IDN_ENCODE : 0;
}

int idn_from_dns(const char *name, char **out)
{
	int rc = convert("idn2_to_unicode_lzlz", name, out);

	if (rc == IDN2_MALLOC)
		return EAI_MEMORY;
	return rc ? copy(name, out) : 0;
}
