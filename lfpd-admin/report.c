/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - lfpd-admin's report command: heads, and the histories that reports need */
#include "lfpd-admin/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json/json.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfpd-admin/history.h"
#include "lfpd-admin/page.h"

#define US 1000000u

/*
 * The numbers and titles are those of Performance Toolkit for VM, as IBM's report "z/VM TCP/IP
 * Telnet IPv6 Support" (z/VM 5.4) names them. No layout is public there: lines and columns are
 * ours.
 */
static const struct {
	const char *name, *title;
} reports[REPORTS] = {
	[REPORT_FCX112] = {"FCX112", "General User Resource Utilization"},
	[REPORT_FCX207] = {"FCX207", "TCP/IP TCP and UDP Session Log"},
	[REPORT_FCX222] = {"FCX222", "TCP/IP I/O Activity Log"},
};

enum report report_find(const char *name)
{
	enum report report = 0;

	while (report < REPORTS && strcasecmp(reports[report].name, name) != 0)
		report++;
	return report;
}

void report_head(enum report report, const struct range *covered, double seconds, const char *of,
		 FILE *out)
{
	unsigned long whole = (unsigned long)seconds;
	char text[WHEN_TEXT];

	fprintf(out, "%s %s\n", reports[report].name, reports[report].title);
	fprintf(out, "Run  %s UTC\n", when_text((uint64_t)time(NULL) * US, text));
	if (covered->to > covered->from) {
		fprintf(out, "From %s UTC\n", when_text(covered->from, text));
		fprintf(out, "To   %s UTC\n", when_text(covered->to, text));
		fprintf(out, "For  %lu Secs %02lu:%02lu:%02lu\n", whole, whole / 3600,
			whole / 60 % 60, whole % 60);
	}
	fprintf(out, "Of   %s\n\n", of);
}

json_t *report_object(enum report report)
{
	json_t *object = json_object();

	json_object_set_new(object, "report", json_string(reports[report].name));
	json_object_set_new(object, "title", json_string(reports[report].title));
	return object;
}

void report_set_time(json_t *object, const char *key, uint64_t us)
{
	char text[WHEN_TEXT];

	json_object_set_new(object, key, json_string(when_exact(us, text)));
}

json_t *report_real(double value, int digits)
{
	char text[48];

	if (!isfinite(value))
		return json_null();
	snprintf(text, sizeof(text), "%.*f", digits, value);
	return json_numeral(text);
}

/* What to read: the files, else the histories of the named instance, else those of all. */
struct sources {
	size_t nr;
	const char *name[RUNNING_MAX], *file[RUNNING_MAX];
};

/* Returns 0, or an exit code after a message. */
static int find_sources(const struct view *view, const struct running *found, char **files,
			struct sources *sources)
{
	sources->nr = 0;
	for (; *files; files++) {
		if (sources->nr == RUNNING_MAX) {
			lfp_msg("VLFD926E", "A report takes at most %d histories.", RUNNING_MAX);
			return LFP_EXIT_USAGE;
		}
		sources->name[sources->nr] = NULL;
		sources->file[sources->nr++] = *files;
	}
	for (size_t i = 0; !sources->nr && !view->name && i < found->nr; i++) {
		sources->name[i] = found->name[i];
		sources->file[i] = NULL;
	}
	if (!sources->nr && !view->name)
		sources->nr = found->nr;
	if (sources->nr)
		return 0;
	sources->name[0] = view->name;
	sources->file[0] = NULL;
	sources->nr = 1;
	return 0;
}

/* Reads all sources. Returns the number of histories; those of instances that have none are told
 * and left out. *@code is the exit code of the last one that failed. */
static size_t read_all(const struct sources *sources, const struct range *range,
		       struct lfp_history *histories, int *code)
{
	size_t nr = 0;

	*code = LFP_EXIT_UNAVAILABLE;
	for (size_t i = 0; i < sources->nr; i++) {
		struct ask_error error;

		if (history_load(sources->name[i], sources->file[i], &histories[nr], &error)) {
			*code = ask_say(&error);
		} else if (history_choose(&histories[nr], range, &error)) {
			*code = ask_say(&error);
			lfp_history_free(&histories[nr]);
		} else {
			nr++;
		}
	}
	return nr;
}

static int print(const struct view *view, enum report report, const struct lfp_history *histories,
		 size_t nr)
{
	int rc = 0;

	if (view->json && report == REPORT_FCX112)
		rc = json_line(report_user_json(histories, nr), 0, stdout);
	else if (view->json)
		rc = report_io_json(histories, stdout);
	else if (report == REPORT_FCX112)
		report_user_text(histories, nr, stdout);
	else
		report_io_text(histories, stdout);
	if (!rc && !fflush(stdout))
		return LFP_EXIT_OK;
	lfp_msg("VLFD905E", "Cannot write the output: %s.", strerror(errno));
	return LFP_EXIT_FAILURE;
}

int command_report(struct view *view, enum report report, const struct range *range,
		   const struct running *found, char **files)
{
	struct lfp_history *histories;
	struct sources sources;
	size_t nr;
	int code = find_sources(view, found, files, &sources);

	if (code)
		return code;
	histories = calloc(sources.nr, sizeof(*histories));
	if (!histories)
		return LFP_EXIT_FAILURE;
	nr = read_all(&sources, range, histories, &code);
	if (nr)
		code = print(view, report, histories, nr);
	for (size_t i = 0; i < nr; i++)
		lfp_history_free(&histories[i]);
	free(histories);
	return code;
}
