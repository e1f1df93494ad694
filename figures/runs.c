/* SPDX-License-Identifier: Apache-2.0 */
/* runs.c - running scenarios on demand */
#include "figures/runs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/fabric/login.h"
#include "devemu/fabric/fabric.h"
#include "devemu/fabric/volume.h"
#include "devemu/scenario/member.h"
#include "devemu/scenario/scenario.h"

static void run_free(struct check_run *run)
{
	fabric_destroy(run->fabric);
	config_finish(&run->config);
	for (int i = 0; i < REPORTS; i++)
		free(run->report[i]);
	free(run->displays);
	free(run);
}

void check_runs_finish(struct check_runs *runs)
{
	struct check_run *run;

	while ((run = runs->first)) {
		runs->first = run->next;
		run_free(run);
	}
}

static int open_scenario(const struct check_runs *runs, const char *name, char path[PATH_MAX],
			 FILE **file, char *why)
{
	if (snprintf(path, PATH_MAX, "%s%s%s.zdev", runs->folder, *runs->folder ? "/" : "", name) >=
	    PATH_MAX) {
		snprintf(why, EXPRESSION_WHY, "scenario %.40s: its path is too long", name);
		return -ENAMETOOLONG;
	}
	*file = fopen(path, "re");
	if (*file)
		return 0;
	snprintf(why, EXPRESSION_WHY, "scenario %.100s: %s", path, strerror(errno));
	return -errno;
}

/* Their files are beside the scenario. */
static int open_volumes(const struct check_runs *runs, struct check_run *run)
{
	struct fabric_error error;
	char beside[PATH_MAX];
	int rc;

	snprintf(beside, sizeof(beside), "%s%s", runs->folder, *runs->folder ? "/" : "");
	rc = volumes_open(run->fabric, beside, &error);
	if (rc == -EINVAL)
		snprintf(run->refused, sizeof(run->refused), "%.150s", error.text);
	return rc;
}

/* A refused scenario is a result, too. A missing one, or one that fails during the run, is an
 * error.
 */
static int run_scenario(struct check_runs *runs, struct check_run *run, char *why)
{
	struct lfp_reader_error err;
	struct fabric_error error;
	const char *member;
	FILE *file;
	char path[PATH_MAX];
	int rc = open_scenario(runs, run->name, path, &file, why);

	if (rc < 0)
		return rc;
	if (runs->progress)
		runs->progress(runs->context, run->name);
	rc = scenario_read(&run->config, run->name, file, &err);
	fclose(file);
	if (rc == -EINVAL)
		snprintf(run->refused, sizeof(run->refused), "%.150s", err.text);
	if (rc == 0) {
		rc = scenario_members(path, &run->config, &member, &err);
		if (rc == -EINVAL)
			snprintf(run->refused, sizeof(run->refused), "%.150s", err.text);
	}
	if (rc == 0) {
		rc = fabric_create(&run->fabric, &run->config, &error);
		if (rc == -EINVAL)
			snprintf(run->refused, sizeof(run->refused), "%.150s", error.text);
		if (rc < 0)
			run->fabric = NULL;
	}
	if (rc == 0)
		rc = open_volumes(runs, run);
	if (rc == 0) {
		rc = fces_login(run->fabric, path, NULL, NULL, &error);
		if (rc == -EINVAL)
			snprintf(run->refused, sizeof(run->refused), "%.150s", error.text);
	}
	if (rc == 0)
		rc = fabric_run(run->fabric);
	if (rc == 0 || (rc == -EINVAL && run->refused[0]))
		return 0;
	snprintf(why, EXPRESSION_WHY, "scenario %s: %s", run->name, strerror(-rc));
	return rc;
}

struct check_run *check_runs_get(struct check_runs *runs, const char *scenario, int *rc,
				 char why[EXPRESSION_WHY])
{
	struct check_run *run = runs->first;

	while (run && strcmp(run->name, scenario))
		run = run->next;
	if (run)
		return run;
	if (strlen(scenario) >= sizeof(run->name)) {
		snprintf(why, EXPRESSION_WHY, "scenario %.40s...: its name is too long", scenario);
		*rc = -ENAMETOOLONG;
		return NULL;
	}
	run = calloc(1, sizeof(*run));
	if (!run) {
		snprintf(why, EXPRESSION_WHY, "%s", strerror(ENOMEM));
		*rc = -ENOMEM;
		return NULL;
	}
	config_init(&run->config);
	strcpy(run->name, scenario);
	*rc = run_scenario(runs, run, why);
	if (*rc < 0) {
		run_free(run);
		return NULL;
	}
	run->next = runs->first;
	runs->first = run;
	return run;
}
