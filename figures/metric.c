/* SPDX-License-Identifier: Apache-2.0 */
/* metric.c - numbers out of a run's counters */
#include "figures/metric.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4 };

static int unknown(const struct check_run *run, const char *what, const char *name, char *why)
{
	snprintf(why, EXPRESSION_WHY, "scenario %s has no %s %.40s", run->name, what, name);
	return -ENOENT;
}

static double seconds(const struct check_run *run)
{
	return (double)fabric_interval(run->fabric) / SIM_SEC;
}

/* rate, resp and mb, of the load @name or, if that is NULL, of all. */
static int of_loads(const struct check_run *run, const char *what, const char *name, double *value,
		    char *why)
{
	uint64_t ended = 0, response = 0, bytes = 0;
	bool found = false;

	for (size_t i = 0; i < run->fabric->loads; i++) {
		const struct fabric_load *load = &run->fabric->load[i];

		if (name && strcmp(load->config->name, name))
			continue;
		found = true;
		ended += load->ended;
		response += load->response;
		bytes += load->ended * load->config->bytes;
	}
	if (!found)
		return unknown(run, "load", name ? name : "at all", why);
	if (!ended) {
		snprintf(why, EXPRESSION_WHY, "scenario %s: no I/O has ended", run->name);
		return -EDOM;
	}
	if (!strcmp(what, "rate"))
		*value = (double)ended / seconds(run);
	else if (!strcmp(what, "resp"))
		*value = (double)response / (double)ended / (double)SIM_US;
	else
		*value = (double)bytes / 1e6 / seconds(run);
	return 0;
}

static int of_channel(const struct check_run *run, bool in, const char *name, double *value,
		      char *why)
{
	const struct fabric_channel *channel =
		fabric_channel(run->fabric, (unsigned int)strtoul(name, NULL, 16));
	uint64_t ends = 0;

	if (!channel)
		return unknown(run, "channel", name, why);
	for (int i = 0; i < OPERATIONS; i++)
		ends += channel->counters.operation[i].ends;
	if (!ends)
		return unknown(run, "I/O on channel", name, why);
	*value = (double)(in ? channel->counters.ius_in : channel->counters.ius_out) / (double)ends;
	return 0;
}

static int of_link(const struct check_run *run, bool mean, const char *name, double *value,
		   char *why)
{
	for (size_t i = 0; i < run->fabric->links; i++) {
		const struct link_counters *counters = &run->fabric->link[i].direction[1].counters;

		if (strcmp(run->fabric->link[i].name, name))
			continue;
		if (!counters->frames)
			return unknown(run, "frame on link", name, why);
		*value = mean ? (double)counters->frame_bytes / (double)counters->frames
			      : (double)counters->data_frames / seconds(run);
		return 0;
	}
	return unknown(run, "link", name, why);
}

static int run_value(struct check_run *run, const char *what, double *value,
		     char why[EXPRESSION_WHY])
{
	char copy[128], *word[WORDS] = {NULL}, *save = NULL;
	unsigned int words = 0;

	if (!strcmp(what, "builds")) {
		*value = run->fabric != NULL;
		return 0;
	}
	if (!run->fabric) {
		snprintf(why, EXPRESSION_WHY, "%s", run->refused);
		return -EINVAL;
	}
	if (!strncmp(what, "lines ", 6))
		return check_displayed(run, what + 6, value, why);
	snprintf(copy, sizeof(copy), "%s", what);
	for (char *next = strtok_r(copy, " ", &save); next && words < WORDS;
	     next = strtok_r(NULL, " ", &save))
		word[words++] = next;
	if (words >= 1 && words <= 2 &&
	    (!strcmp(word[0], "rate") || !strcmp(word[0], "resp") || !strcmp(word[0], "mb")))
		return of_loads(run, word[0], word[1], value, why);
	if (words == 2 && (!strcmp(word[0], "ius_out") || !strcmp(word[0], "ius_in")))
		return of_channel(run, !strcmp(word[0], "ius_in"), word[1], value, why);
	if (words == 2 && (!strcmp(word[0], "frame") || !strcmp(word[0], "frames")))
		return of_link(run, !strcmp(word[0], "frame"), word[1], value, why);
	if (words >= 3)
		return check_printed(run, word, words, value, why);
	snprintf(why, EXPRESSION_WHY, "unknown metric '%.60s'", what);
	return -EINVAL;
}

int check_runs_value(struct check_runs *runs, const char *scenario, const char *what, double *value,
		     char why[EXPRESSION_WHY])
{
	int rc = 0;
	struct check_run *run = check_runs_get(runs, scenario, &rc, why);

	return run ? run_value(run, what, value, why) : rc;
}
