/* SPDX-License-Identifier: Apache-2.0 */
/* strict.c - the lines of a strict run */
#include "libvsesock/strict/strict.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libvsesock/core/raw.h"
#include "libvsesock/core/standard-error.h"

#define LINE_MOST 512
#define TOLD_MOST 1024 /* a power of two; lines beyond this number are repeated */

enum strict_mode strict_mode;
const bool strict_programs __attribute__((weak)) = false;

/* The ids of the lines, which libvsesock(7) explains. */
static const char *const ids[STRICT_RULES] = {
	[STRICT_ZOS] = "VLFB801W",        [STRICT_FUNCTION] = "VLFB802W",
	[STRICT_RAW] = "VLFB803W",        [STRICT_MAXSOC] = "VLFB804W",
	[STRICT_ORDER] = "VLFB805W",      [STRICT_POINTERS] = "VLFB806W",
	[STRICT_NO_INIT] = "VLFB807W",    [STRICT_NO_TERM] = "VLFB808W",
	[STRICT_OTHER_TASK] = "VLFB809W", [STRICT_ADDRESS] = "VLFB810W",
	[STRICT_HALFWORD] = "VLFB811W",   [STRICT_OPTION] = "VLFB812W",
	[STRICT_PHASE] = "VLFB813W",
};

static const char not_a_mode[] =
	"VLFB800W LFP_STRICT is neither report nor fail: nothing is checked.\n";

static struct {
	char file[PATH_MAX];
	struct standard_error error;
} out;

static _Thread_local struct {
	const char *interface, *name;
} now = {"", ""};

void strict_call(const char *interface, const char *name)
{
	now.interface = interface;
	now.name = name;
}

/* FNV-1a */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash ? hash : 1;
}

static bool was_told(const char *text)
{
	static uint64_t told[TOLD_MOST];
	uint64_t hash = hash_of(text);

	for (unsigned int i = 0; i < TOLD_MOST; i++) {
		uint64_t *at = &told[(hash + i) % TOLD_MOST], found = 0;

		if (__atomic_compare_exchange_n(at, &found, hash, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return false;
		if (found == hash)
			return true;
	}
	return false;
}

/* Writes a line with one write(), so that programs that share the file do not mix their lines. */
static void put(const char *line, size_t len)
{
	int fd = -1;

	if (out.file[0])
		fd = open(out.file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	else if (standard_error_is(&out.error))
		fd = STDERR_FILENO;
	if (fd < 0)
		return;
	/* A report that cannot be written is dropped. */
	if (write(fd, line, len) < 0)
		errno = 0;
	if (fd != STDERR_FILENO)
		raw_close(fd);
}

int strict_found(enum strict_rule rule, const char *fmt, ...)
{
	char says[LINE_MOST / 2], line[LINE_MOST];
	int saved = errno, len;
	va_list ap;

	if (!strict_on())
		return 0;
	va_start(ap, fmt);
	vsnprintf(says, sizeof(says), fmt, ap);
	va_end(ap);
	len = snprintf(line, sizeof(line), "%s %s %s%s%s: %s.\n", ids[rule],
		       program_invocation_short_name, now.interface, *now.interface ? " " : "",
		       now.name, says);
	if (len >= (int)sizeof(line)) {
		len = sizeof(line) - 1;
		line[len - 1] = '\n';
	}
	if (!was_told(line))
		put(line, (size_t)len);
	errno = saved;
	return strict_mode == STRICT_FAIL && rule != STRICT_NO_TERM ? -STRICT_ERROR : 0;
}

/* Read at the start: programs may clear their environment and close inherited descriptors. */
static void __attribute__((constructor)) init(void)
{
	const char *mode = getenv("LFP_STRICT"), *file = getenv("LFP_STRICT_FILE");

	if (!mode)
		return;
	if (file && strlen(file) < sizeof(out.file))
		strcpy(out.file, file);
	standard_error_note(&out.error);
	if (!strcmp(mode, "report"))
		strict_mode = STRICT_REPORT;
	else if (!strcmp(mode, "fail"))
		strict_mode = STRICT_FAIL;
	else if (*mode)
		put(not_a_mode, sizeof(not_a_mode) - 1);
}
