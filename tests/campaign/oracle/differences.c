/* SPDX-License-Identifier: Apache-2.0 */
/* differences.c - compares traces, with the listed differences */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/campaign/oracle/oracle.h"

enum { MOST = 200, PART = 200 };

/* An entry of the list:
 *	line: KEY -> NATIVE | LFP	patterns for the parts of both lines
 *	last: KEY -> NATIVE | LFP	the same, and the rest of the sequence cannot be compared
 *	less: KEY -> TEXT | TEXT	the lines are the same without these texts, the first one
 *					in the native line, the other one in LFP's
 */
static struct difference {
	char key[PART], native[PART], lfp[PART];
	bool last, less;
} listed[MOST];
static int nr_listed;

static _Noreturn void wrong(const char *path, int line)
{
	fprintf(stderr, "%s:%d: not an entry of the list\n", path, line);
	exit(64);
}

static bool copy(char *part, const char *text)
{
	if (strlen(text) >= PART)
		return false;
	strcpy(part, text);
	return true;
}

static bool split(struct difference *d, char *text)
{
	char *arrow = strstr(text, " -> "), *bar = arrow ? strstr(arrow, " | ") : NULL;

	if (!bar)
		return false;
	*arrow = *bar = 0;
	return copy(d->key, text) && copy(d->native, arrow + 4) && copy(d->lfp, bar + 3);
}

void differences_read(const char *path, const char *tier)
{
	FILE *file = fopen(path, "re");
	char text[1000];
	bool applies = false;

	if (!file) {
		perror(path);
		exit(64);
	}
	for (int line = 1; fgets(text, sizeof(text), file); line++) {
		bool last = !strncmp(text, "last: ", 6), less = !strncmp(text, "less: ", 6);

		text[strcspn(text, "\n")] = 0;
		if (!strncmp(text, "tiers: ", 7))
			applies = strstr(text, tier) != NULL;
		if (!last && !less && strncmp(text, "line: ", 6) != 0)
			continue;
		if (nr_listed == MOST || !split(&listed[nr_listed], text + 6))
			wrong(path, line);
		listed[nr_listed].last = last;
		listed[nr_listed].less = less;
		nr_listed += applies;
	}
	fclose(file);
}

/* Edges: LFP may show more of them than TCP, never fewer. All else is the same. */
static bool sets_same(const char *native, const char *lfp)
{
	char theirs[1000], ours[1000], *rest, *entry;

	snprintf(theirs, sizeof(theirs), ";%s;", native);
	for (rest = theirs; (entry = strsep(&rest, ";"));) {
		char whole[200];

		snprintf(whole, sizeof(whole), ";%s;", entry);
		snprintf(ours, sizeof(ours), ";%s;", lfp);
		if (*entry && !strstr(ours, whole) && !strstr(entry, ":ET? "))
			return false;
	}
	snprintf(theirs, sizeof(theirs), ";%s;", native);
	snprintf(ours, sizeof(ours), "%s", lfp);
	for (rest = ours; (entry = strsep(&rest, ";"));) {
		char whole[200];

		snprintf(whole, sizeof(whole), ";%s;", entry);
		if (*entry && !strstr(theirs, whole) && !strstr(entry, ":ET"))
			return false;
	}
	return true;
}

/* Cuts a line at its arrow. Returns the answer, or NULL. */
static char *cut(char *line)
{
	char *arrow = strstr(line, " -> ");

	if (!arrow)
		return NULL;
	*arrow = 0;
	return arrow + 4;
}

static void without(char *to, const char *from, const char *text)
{
	size_t len = strlen(text);

	while (*from)
		if (!strncmp(from, text, len))
			from += len;
		else
			*to++ = *from++;
	*to = 0;
}

/* The sets are the same, where entries of the native one that LFP's has not are without @text. */
static bool sets_same_without(const char *native, const char *lfp, const char *text)
{
	char theirs[ENTRY], ours[ENTRY + 2], left[ENTRY] = "", *rest = theirs, *entry;

	snprintf(theirs, sizeof(theirs), "%s", native);
	snprintf(ours, sizeof(ours), ";%s;", lfp);
	while ((entry = strsep(&rest, ";"))) {
		char whole[ENTRY + 2], *end = left + strlen(left);

		snprintf(whole, sizeof(whole), ";%s;", entry);
		if (end != left)
			*end++ = ';';
		without(end, entry, strstr(ours, whole) ? "no text" : text);
	}
	return sets_same(left, lfp);
}

static bool covers(const struct difference *d, const char *key, const char *native, const char *lfp)
{
	char theirs[ENTRY], ours[ENTRY];

	if (fnmatch(d->key, key, 0))
		return false;
	if (!d->less)
		return !fnmatch(d->native, native, 0) && !fnmatch(d->lfp, lfp, 0);
	without(theirs, native, d->native);
	without(ours, lfp, d->lfp);
	return !strcmp(theirs, ours) ||
	       (strstr(key, "epoll_wait") != NULL && sets_same_without(native, ours, d->native));
}

/* Are two lines the same, or is their difference listed? *ends: what follows cannot be compared. */
static bool line_same(const char *native, const char *lfp, bool *ends)
{
	char theirs[ENTRY], ours[ENTRY], *native_answer, *lfp_answer;

	*ends = false;
	if (!strcmp(native, lfp))
		return true;
	snprintf(theirs, sizeof(theirs), "%s", native);
	snprintf(ours, sizeof(ours), "%s", lfp);
	native_answer = cut(theirs);
	lfp_answer = cut(ours);
	if (!native_answer || !lfp_answer || strcmp(theirs, ours) != 0)
		return false;
	if (strstr(theirs, "epoll_wait") && sets_same(native_answer, lfp_answer))
		return true;
	for (int i = 0; i < nr_listed; i++)
		if (covers(&listed[i], theirs, native_answer, lfp_answer)) {
			*ends = listed[i].last;
			return true;
		}
	return false;
}

/* Copies the next line. Returns what comes after it, NULL at the end. */
static const char *next_line(const char *text, char *line)
{
	size_t len = strcspn(text, "\n");

	if (!*text)
		return NULL;
	snprintf(line, ENTRY, "%.*s", (int)len, text);
	return text + len + (text[len] != 0);
}

int entry_compare(const char *native, const char *lfp, char *differs, size_t room)
{
	char theirs[ENTRY], ours[ENTRY];
	bool ends;

	for (;;) {
		*theirs = *ours = 0;
		native = native ? next_line(native, theirs) : NULL;
		lfp = lfp ? next_line(lfp, ours) : NULL;
		if (!native && !lfp)
			return 0;
		if (!line_same(theirs, ours, &ends)) {
			snprintf(differs, room, "native: %.180s\n   LFP: %.180s", theirs, ours);
			return -1;
		}
		if (ends)
			return 1;
	}
}
