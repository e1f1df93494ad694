/* SPDX-License-Identifier: Apache-2.0 */
/* held-up.c - the time in which a process was ready to run, and other programs had the processors
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/campaign/machines/machines.h"

enum { WATCHED = 4 };
static pid_t watched[WATCHED];

void held_up_watch(const char *pids)
{
	unsigned int nr = 0;
	char *end;

	watched[nr++] = getpid();
	for (; pids && *pids && nr < WATCHED; pids = end) {
		watched[nr] = (pid_t)strtol(pids, &end, 10);
		if (end == pids || watched[nr] <= 0)
			break;
		nr++;
	}
}

/* The kernel's three numbers of a thread: ns on a processor, ns of waiting for one, and turns. */
static uint64_t waited(pid_t pid, const char *thread)
{
	uint64_t ran, ns = 0;
	char path[300];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", (int)pid, thread);
	file = fopen(path, "re");
	if (!file)
		return 0; /* it has ended, or the kernel does not count */
	if (fscanf(file, "%" SCNu64 " %" SCNu64, &ran, &ns) != 2)
		ns = 0;
	fclose(file);
	return ns;
}

int64_t held_up_ms(void)
{
	uint64_t ns = 0;

	for (unsigned int i = 0; i < WATCHED && watched[i]; i++) {
		const struct dirent *entry;
		char path[40];
		DIR *threads;

		snprintf(path, sizeof(path), "/proc/%d/task", (int)watched[i]);
		threads = opendir(path);
		while (threads && (entry = readdir(threads)))
			if (entry->d_name[0] != '.')
				ns += waited(watched[i], entry->d_name);
		if (threads)
			closedir(threads);
	}
	return (int64_t)(ns / 1000000);
}
