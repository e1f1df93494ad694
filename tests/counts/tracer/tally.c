/* SPDX-License-Identifier: Apache-2.0 */
/* tally.c - counts of system calls and wake-ups, by group of processes and window */
#include "tests/counts/tracer/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/counts/tracer/threads.h"

#define WINDOWS_MAX 64

static const char *const names[] = {
#include "syscalls.inc"
};

#define NR_CALLS (sizeof(names) / sizeof(names[0]))
#define OTHER    NR_CALLS       /* no name */
#define WAKE_UPS (NR_CALLS + 1) /* not a call */
#define NR_KINDS (NR_CALLS + 2)

static unsigned int counts[WINDOWS_MAX][GROUPS_MAX][NR_KINDS];
static int window = -1; /* none has begun */

static void count(int group, size_t kind)
{
	if (window >= 0 && window < WINDOWS_MAX)
		counts[window][group][kind]++;
}

void tally_call(int group, unsigned long nr)
{
	count(group, nr < NR_CALLS && names[nr] ? nr : OTHER);
}

void tally_wake_up(int group)
{
	count(group, WAKE_UPS);
}

void tally_window(void)
{
	window++;
}

static const char *kind_name(size_t kind)
{
	return kind == WAKE_UPS ? "wake-ups" : kind == OTHER ? "other" : names[kind];
}

static int compare(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

static void print_kind(int group, size_t kind, int nr)
{
	unsigned int sorted[WINDOWS_MAX];

	for (int i = 0; i < nr; i++)
		sorted[i] = counts[i][group][kind];
	qsort(sorted, (size_t)nr, sizeof(sorted[0]), compare);
	if (sorted[nr / 2])
		printf("%s\t%s\t%u\t%u\t%u\n", group_name(group), kind_name(kind), sorted[nr / 2],
		       sorted[0], sorted[nr - 1]);
}

int tally_print(void)
{
	/* The last one has not ended. */
	int nr = window < WINDOWS_MAX ? window : WINDOWS_MAX;

	if (nr <= 0)
		return 0;
	for (int group = 0; group < group_count(); group++)
		for (size_t kind = 0; kind < NR_KINDS; kind++)
			print_kind(group, kind, nr);
	return nr;
}
