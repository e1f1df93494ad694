/* SPDX-License-Identifier: Apache-2.0 */
/* when.c - times of reports, all UTC, as in the log of connections */
#include "lfpd-admin/when.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define US UINT64_C(1000000)

/* Reads two digits, or four, and moves on. */
static bool digits(const char **at, int nr, int *value)
{
	*value = 0;
	for (; nr; nr--, (*at)++) {
		if (**at < '0' || **at > '9')
			return false;
		*value = *value * 10 + (**at - '0');
	}
	return true;
}

static bool skip(const char **at, const char *any)
{
	if (!**at || !strchr(any, **at))
		return false;
	(*at)++;
	return true;
}

static bool read_date(const char **at, struct tm *tm)
{
	if (!digits(at, 4, &tm->tm_year) || !skip(at, "-") || !digits(at, 2, &tm->tm_mon) ||
	    !skip(at, "-") || !digits(at, 2, &tm->tm_mday))
		return false;
	tm->tm_year -= 1900;
	tm->tm_mon--;
	return true;
}

static bool read_time(const char **at, struct tm *tm)
{
	if (!digits(at, 2, &tm->tm_hour) || !skip(at, ":") || !digits(at, 2, &tm->tm_min))
		return false;
	return !skip(at, ":") || digits(at, 2, &tm->tm_sec);
}

int when_read(const char *text, time_t now, uint64_t *us)
{
	const char *at = text;
	struct tm tm = {0}, made;
	time_t seconds;
	bool good;

	if (strlen(text) > 2 && text[2] == ':') {
		gmtime_r(&now, &tm);
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		good = read_time(&at, &tm);
	} else {
		good = read_date(&at, &tm) && (!skip(&at, "T ") || read_time(&at, &tm));
	}
	(void)skip(&at, "Z");
	made = tm;
	seconds = timegm(&made);
	/* timegm() makes the 1st of March of the 29th of February. */
	if (!good || *at || seconds < 0 || made.tm_mday != tm.tm_mday || made.tm_mon != tm.tm_mon ||
	    made.tm_hour != tm.tm_hour || made.tm_min != tm.tm_min || made.tm_sec != tm.tm_sec)
		return -EINVAL;
	*us = (uint64_t)seconds * US;
	return 0;
}

static void put(uint64_t us, const char *form, char text[static WHEN_TEXT])
{
	time_t seconds = (time_t)(us / US);
	struct tm tm;

	/* A damaged record may have any time. */
	if (!gmtime_r(&seconds, &tm) || tm.tm_year > 8099 || !strftime(text, WHEN_TEXT, form, &tm))
		strcpy(text, "-");
}

const char *when_text(uint64_t us, char text[static WHEN_TEXT])
{
	put(us, "%Y-%m-%d %H:%M:%S", text);
	return text;
}

const char *when_exact(uint64_t us, char text[static WHEN_TEXT])
{
	size_t len;

	put(us, "%Y-%m-%dT%H:%M:%S", text);
	len = strlen(text);
	snprintf(text + len, WHEN_TEXT - len, ".%06uZ", (unsigned int)(us % US));
	return text;
}
