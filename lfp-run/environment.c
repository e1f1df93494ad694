/* SPDX-License-Identifier: Apache-2.0 */
/* environment.c - the environment of the program */
#include "lfp-run/environment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/places.h"
#include "libvsesock/core/cookie.h"

int environment_find_shim(char path[static PATH_MAX])
{
	char exe[PATH_MAX], beside[PATH_MAX + sizeof("/../lib/" SHIM)];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (n > 0) {
		exe[n] = '\0';
		slash = strrchr(exe, '/');
		if (slash)
			*slash = '\0';
		snprintf(beside, sizeof(beside), "%s/../lib/" SHIM, exe);
		if (realpath(beside, path))
			return 0;
	}
	return realpath(VSELFPD_LIBDIR "/" SHIM, path) ? 0 : -errno;
}

/* Returns true if @wanted is already the first entry of LD_PRELOAD, @old. */
static bool begins_with(const char *old, const char *wanted)
{
	size_t len = strlen(wanted);

	return strncmp(old, wanted, len) == 0 && (!old[len] || old[len] == ':' || old[len] == ' ');
}

int environment_preload(const char *shim, const char *first)
{
	const char *old = getenv("LD_PRELOAD");
	char *value;
	int rc;

	if (!old)
		old = "";
	if (!*first && begins_with(old, shim))
		return 0;
	/* The sanitizer alone goes before the shim. */
	if (*first && begins_with(old, first)) {
		old += strlen(first);
		old += *old ? 1 : 0;
		if (begins_with(old, shim))
			return 0;
	}
	if (asprintf(&value, "%s%s%s%s%s", first, *first ? ":" : "", shim, *old ? ":" : "", old) <
	    0)
		return -ENOMEM;
	rc = setenv("LD_PRELOAD", value, 1) < 0 ? -errno : 0;
	free(value);
	return rc;
}

/* Returns true if this entry of LD_PRELOAD is the shim, in any directory. */
static bool is_shim(const char *text, size_t len)
{
	const size_t want = strlen(SHIM);

	return len >= want && memcmp(text + len - want, SHIM, want) == 0 &&
	       (len == want || text[len - want - 1] == '/');
}

int environment_no_preload(void)
{
	const char *old = getenv("LD_PRELOAD");
	char *value;
	size_t used = 0;
	int rc;

	if (!old)
		return 0;
	value = malloc(strlen(old) + 1);
	if (!value)
		return -ENOMEM;
	while (*old) {
		size_t len = strcspn(old, ": ");

		if (len && !is_shim(old, len)) {
			if (used)
				value[used++] = ':';
			memcpy(value + used, old, len);
			used += len;
		}
		old += len + (old[len] ? 1 : 0);
	}
	value[used] = '\0';
	rc = used ? setenv("LD_PRELOAD", value, 1) : unsetenv("LD_PRELOAD");
	rc = rc < 0 ? -errno : 0;
	free(value);
	return rc;
}

int environment_places(const char *nn)
{
	const char *root = lfp_root();
	char run[LFP_PLACE_MAX];
	int rc;

	if (unsetenv("LFP$ID") < 0 || setenv("LFP_ID", nn, 1) < 0)
		return -errno;
	if (strcmp(root, "-") != 0)
		return setenv("LFP_ROOT", *root ? root : "/", 1) < 0 ? -errno : 0;
	rc = lfp_place_run_dir(run);
	if (rc < 0)
		return rc;
	return unsetenv("LFP_ROOT") < 0 || setenv("LFP_RUN", run, 1) < 0 ? -errno : 0;
}

int environment_cookie(uint64_t cookie)
{
	char text[COOKIE_DIGITS + 1];

	if (!cookie)
		return unsetenv(COOKIE_VARIABLE) < 0 ? -errno : 0;
	snprintf(text, sizeof(text), "%0*" PRIx64, COOKIE_DIGITS, cookie);
	return setenv(COOKIE_VARIABLE, text, 1) < 0 ? -errno : 0;
}

int environment_resolver(bool program)
{
	int rc =
		program ? setenv(RESOLVE_VARIABLE, RESOLVE_PROGRAM, 1) : unsetenv(RESOLVE_VARIABLE);

	return rc < 0 ? -errno : 0;
}
