/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - the instance that is asked if the command line names none */
#include "lfpd-admin/choose.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/admin.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/places.h"

#define NAMES_MAX 32 /* more are not listed */

struct names {
	char of[NAMES_MAX][9];
	size_t nr;
};

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

static void look_in(const char *run, struct names *names)
{
	char path[LFP_PLACE_MAX + sizeof("/vselfpd")];
	const struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/vselfpd", run);
	dir = opendir(path);
	while (dir && names->nr < NAMES_MAX && (entry = readdir(dir))) {
		bool known = lfp_check_name(entry->d_name) < 0;

		for (size_t i = 0; i < names->nr; i++)
			known = known || !strcmp(names->of[i], entry->d_name);
		if (!known && is_running(entry->d_name))
			memcpy(names->of[names->nr++], entry->d_name, strlen(entry->d_name) + 1);
	}
	if (dir)
		closedir(dir);
}

int choose_instance(char name[static 9])
{
	char run[LFP_PLACE_MAX], list[NAMES_MAX * sizeof("LINR0001, ")];
	struct names names = {.nr = 0};
	size_t used = 0;

	if (!lfp_place_run_dir(run))
		look_in(run, &names);
	if (!strcmp(lfp_root(), "-"))
		look_in("/run", &names);
	if (names.nr == 1) {
		memcpy(name, names.of[0], sizeof(names.of[0]));
		return LFP_EXIT_OK;
	}
	if (!names.nr) {
		lfp_msg("VLFD913E", "No instance of lfpd is running.");
		return LFP_EXIT_UNAVAILABLE;
	}
	qsort(names.of, names.nr, sizeof(names.of[0]), compare);
	for (size_t i = 0; i < names.nr; i++)
		used += (size_t)sprintf(list + used, "%s%s", i ? ", " : "", names.of[i]);
	lfp_msg("VLFD914E", "Several instances of lfpd are running: %s. Choose one with -i NAME.",
		list);
	return LFP_EXIT_UNAVAILABLE;
}
