/* SPDX-License-Identifier: Apache-2.0 */
/* running.c - the LFP instances that are running */
#include "lfp-run/running.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "lfp-run/environment.h"
#include "lfp/places.h"

#define PING_SECONDS 2

/* Fills @found with the instances below @run that answer. Returns their number. */
static size_t look_in(const char *run, bool is_system, struct running *found, size_t room)
{
	char path[LFP_PLACE_MAX + 300];
	const struct dirent *entry;
	size_t nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/vselfp", run);
	dir = opendir(path);
	while (dir && nr < room && (entry = readdir(dir))) {
		if (lfp_check_nn(entry->d_name) < 0)
			continue;
		snprintf(path, sizeof(path), "%s/vselfp/%s/ctl", run, entry->d_name);
		if (instance_ping(path, PING_SECONDS) < 0)
			continue;
		memcpy(found[nr].nn, entry->d_name, sizeof(found[nr].nn));
		found[nr].is_system = is_system;
		nr++;
	}
	if (dir)
		closedir(dir);
	return nr;
}

size_t running_find(struct running found[static RUNNING_MAX])
{
	char run[LFP_PLACE_MAX];
	size_t nr = 0;

	if (lfp_place_run_dir(run) == 0)
		nr = look_in(run, false, found, RUNNING_MAX);
	if (strcmp(lfp_root(), "-") == 0)
		nr += look_in("/run", true, found + nr, RUNNING_MAX - nr);
	return nr;
}
