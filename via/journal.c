/* SPDX-License-Identifier: Apache-2.0 */
/* journal.c - the newest messages, in memory and on the console */
#include "via/journal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char lines[VIA_JOURNAL_LINES][VIA_JOURNAL_LINE];
static size_t total;
static int console = -1;

void via_journal_console(int fd)
{
	console = fd;
}

static void put(const char *source, const char *text)
{
	char *line = lines[total % VIA_JOURNAL_LINES], out[VIA_JOURNAL_LINE + 2];
	time_t now = time(NULL);
	struct tm parts;
	size_t len;

	gmtime_r(&now, &parts);
	len = strftime(line, VIA_JOURNAL_LINE, "%Y-%m-%dT%H:%M:%SZ ", &parts);
	snprintf(line + len, VIA_JOURNAL_LINE - len, "%s%s%s", source, *source ? ": " : "", text);
	for (char *at = line; *at; at++)
		if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
			*at = '?';
	total++;
	len = (size_t)snprintf(out, sizeof(out), "%s\n", line);
	if (console >= 0 && write(console, out, len) < 0)
		return; /* it does not take more now */
}

void via_say(const char *id, const char *fmt, ...)
{
	char text[VIA_JOURNAL_LINE];
	size_t len = (size_t)snprintf(text, sizeof(text), "%s ", id);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, ap);
	va_end(ap);
	put("", text);
}

void via_journal_line(const char *source, const char *text, size_t len)
{
	char line[VIA_JOURNAL_LINE];

	snprintf(line, sizeof(line), "%.*s", (int)(len < sizeof(line) ? len : sizeof(line)), text);
	put(source, line);
}

size_t via_journal_count(void)
{
	return total < VIA_JOURNAL_LINES ? total : VIA_JOURNAL_LINES;
}

const char *via_journal_get(size_t back)
{
	return lines[(total - 1 - back) % VIA_JOURNAL_LINES];
}
