/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - what lfpd-admin shows of an instance, once or again and again */
#ifndef LFPD_ADMIN_VIEW_H
#define LFPD_ADMIN_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lfpd-admin/ask.h"
#include "lfpd-admin/rows.h"

/* A look at the statistics. */
struct sample {
	bool there;
	uint64_t time_us;
	struct rows rows;
};

struct view {
	const char *name; /* of the instance */
	bool json;
	bool screen;     /* for a terminal, which may be narrow: the important columns come first */
	double interval; /* seconds between the two samples for rates; 0: no rates */
	struct sample before, now;
};

/* Writes all of a view, or nothing. Returns 0, or -1 with @error filled. */
typedef int (*view_function)(struct view *view, FILE *out, struct ask_error *error);

int view_status(struct view *view, FILE *out, struct ask_error *error);
int view_tasks(struct view *view, FILE *out, struct ask_error *error);
int view_sockets(struct view *view, FILE *out, struct ask_error *error);
int view_users(struct view *view, FILE *out, struct ask_error *error);
int view_limits(struct view *view, FILE *out, struct ask_error *error);
int view_statistics(struct view *view, FILE *out, struct ask_error *error);
int view_trace(struct view *view, FILE *out, struct ask_error *error);

/* Shows all running instances, a line each; view->name is not used. */
int view_instances(struct view *view, FILE *out, struct ask_error *error);

/* Shows the whole instance on one screen, only as text. */
int view_overview(struct view *view, FILE *out, struct ask_error *error);

void view_finish(struct view *view);

/* Fills @error for a lack of memory, or for an answer that cannot be parsed. Returns -1. */
int view_fail(const struct view *view, int rc, struct ask_error *error);

/* sample.c: takes a sample of the statistics, and two the first time if the view has rates. Returns
 * 0 or -1. */
int sample_take(struct view *view, struct ask_error *error);

/* The value of a statistic ("" if it does not exist), and its growth per second since the previous
 * sample; negative if unknown. */
const char *sample_value(const struct view *view, const char *name);
double sample_rate(const struct view *view, const char *name);

/**
 * watch() - show a view every view->interval seconds, until "q" or a signal
 *
 * Without a terminal, or with view->json, each sample is printed below the previous one. Goes on if
 * the instance cannot be asked. Returns the exit code of the program.
 */
int watch(struct view *view, view_function show);

#endif
