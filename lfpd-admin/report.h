/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - lfpd-admin's report command: FCX222, FCX112 and FCX207 */
#ifndef LFPD_ADMIN_REPORT_H
#define LFPD_ADMIN_REPORT_H

#include <stdio.h>

#include "lfp/history.h"
#include "lfpd-admin/running.h"
#include "lfpd-admin/view.h"
#include "lfpd-admin/when.h"

enum report {
	REPORT_FCX112, /* CPU time of instances */
	REPORT_FCX207, /* sessions that have ended */
	REPORT_FCX222, /* traffic of an instance by interval */
	REPORTS
};

/* Returns the report of this name, in upper or lower case; REPORTS if none. */
enum report report_find(const char *name);

/* Prints the first lines of a report: its number and name, the range, and @of. */
void report_head(enum report report, const struct range *covered, double seconds, const char *of,
		 FILE *out);

/* Returns an object with the name of a report, for JSON. */
json_t *report_object(enum report report);

/* Sets a time of an object. */
void report_set_time(json_t *object, const char *key, uint64_t us);

/* Returns a number with a point, for JSON. */
json_t *report_real(double value, int digits);

/**
 * command_report() - print a report
 * @view:	its name is that of the instance, unless @files has one
 * @found:	all running instances, for REPORT_FCX112 without a name
 * @files:	histories, ended by NULL; none: those of the instances
 *
 * Return: the exit code of the program.
 */
int command_report(struct view *view, enum report report, const struct range *range,
		   const struct running *found, char **files);

/* report-io.c, report-user.c: the reports of histories that have been read and chosen.
 * report_io_json() writes its line interval by interval, so a long history needs no more memory
 * than a short one. It returns 0, or -1 without memory or if @out has failed. */
void report_io_text(const struct lfp_history *history, FILE *out);
int report_io_json(const struct lfp_history *history, FILE *out);
void report_user_text(const struct lfp_history *histories, size_t nr, FILE *out);
json_t *report_user_json(const struct lfp_history *histories, size_t nr);

/* sessions.c: FCX207, from the log of connections. Returns the exit code of the program. */
int command_sessions(struct view *view, const struct range *range);

#endif
