/* SPDX-License-Identifier: Apache-2.0 */
/* running.c - the instances that are running */
#include "lfpd-admin/running.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/admin.h"
#include "lfp/places.h"

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static bool is_running(const char *name)
{
	char place[LFP_PLACE_MAX], *answer;
	int rc = lfp_place_find_lfpd(place, name, "admin");

	if (rc)
		return false;
	rc = lfp_admin_ask(place, "status", &answer);
	if (!rc)
		free(answer);
	return rc != -ENOENT && rc != -ECONNREFUSED;
}

static void look_in(const char *run, struct running *found)
{
	char path[LFP_PLACE_MAX + sizeof("/vselfpd")];
	const struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/vselfpd", run);
	dir = opendir(path);
	while (dir && found->nr < RUNNING_MAX && (entry = readdir(dir))) {
		bool known = lfp_check_name(entry->d_name) < 0;

		for (size_t i = 0; i < found->nr; i++)
			known = known || !strcmp(found->name[i], entry->d_name);
		if (!known && is_running(entry->d_name))
			memcpy(found->name[found->nr++], entry->d_name, strlen(entry->d_name) + 1);
	}
	if (dir)
		closedir(dir);
}

void running_find(struct running *found)
{
	char run[LFP_PLACE_MAX];

	found->nr = 0;
	if (!lfp_place_run_dir(run))
		look_in(run, found);
	if (!strcmp(lfp_root(), "-"))
		look_in("/run", found);
	qsort(found->name, found->nr, sizeof(found->name[0]), compare);
}
