/* SPDX-License-Identifier: Apache-2.0 */
/* sleeps.h - whether a thread or a process sleeps, and how often it has */
#ifndef TESTS_SLEEPS_H
#define TESTS_SLEEPS_H

#include <stdio.h>
#include <sys/types.h>

/* How often a thread or a process has slept, or -1 if it does not sleep. */
static inline long sleeps_of(pid_t tid)
{
	char path[64], line[128], state = '?';
	long sleeps = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "State: %c", &state) != 1)
			sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps);
	}
	if (file)
		fclose(file);
	return state == 'S' ? sleeps : -1;
}

#endif
