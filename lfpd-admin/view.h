/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - what lfpd-admin shows of an instance, once or again and again */
#ifndef LFPD_ADMIN_VIEW_H
#define LFPD_ADMIN_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lfpd-admin/ask.h"
#include "lfpd-admin/order.h"
#include "lfpd-admin/page.h"
#include "lfpd-admin/rows.h"

/* A look at the statistics. */
struct sample {
	bool there;
	uint64_t time_us;
	struct rows rows;
};

/* A look at the sockets. */
struct socket_sample {
	bool there;
	double time; /* seconds */
	struct rows rows;
};

struct fleet;

struct view {
	const char *name; /* of the instance */
	bool json;
	bool rates;    /* of sockets and instances, too */
	double settle; /* seconds to wait between the first two samples; 0: no rates the first time
			*/
	double interval; /* seconds between two looks of watch() */
	struct order order;
	struct sample before, now;
	struct socket_sample sockets;
	struct fleet *fleet; /* instances.c: the samples of all instances */
};

/* A kind of view. Both functions return 0, or -1 with @error filled. */
struct view_kind {
	const char *title; /* on the screen */
	bool table;        /* has rows, which can be sorted and filtered */
	int (*page)(struct view *view, struct page *page, struct ask_error *error);
	/* NULL: only text */
	int (*json)(struct view *view, json_t **object, struct ask_error *error);
};

extern const struct view_kind view_status, view_tasks, view_sockets, view_users, view_limits,
	view_statistics, view_trace;

/* All running instances, a row each; view->name is not used. */
extern const struct view_kind view_instances;

/* The whole instance on one screen. */
extern const struct view_kind view_overview;

/* Asks, and fills a page with rows in their order, or writes a line of JSON. */
int view_page(const struct view_kind *kind, struct view *view, struct page *page,
	      struct ask_error *error);
int view_print(const struct view_kind *kind, struct view *view, FILE *out, struct ask_error *error);

/* Forgets all samples. */
void view_forget(struct view *view);
void view_finish(struct view *view);

/* Fills @error for a lack of memory, or for an answer that cannot be parsed. Returns -1. */
int view_fail(const struct view *view, int rc, struct ask_error *error);

/* Fills @error with the columns that there are. Returns -1. */
int view_no_column(const struct view *view, const struct rows *rows, struct ask_error *error);

/* Asks for a table. Returns 0, or -1 with @error filled. */
int view_rows(const struct view *view, const char *request, struct rows *rows,
	      struct ask_error *error);

/* rates.c: asks for sockets, with their rates if the view has them. */
void rates_forget(struct view *view);
int view_socket_rows(struct view *view, struct rows *rows, struct ask_error *error);

/* The columns of sockets by importance: 80 columns show the first six. */
extern const char *const socket_columns[];

/* Waits between the first two samples. */
void view_settle(const struct view *view);

/* sample.c: takes a sample of the statistics, and two the first time if the view waits for them.
 * Returns 0 or -1. */
int sample_take(struct view *view, struct ask_error *error);

/* The value of a statistic ("" if it does not exist), and its growth per second since the previous
 * sample; negative if unknown. */
const char *sample_value(const struct view *view, const char *name);
const char *sample_kind(const struct view *view, const char *name);
double sample_rate(const struct view *view, const char *name);
void sample_forget(struct view *view);

/* Writes a rate as it stands in tables and in JSON, "" if unknown. */
#define RATE_TEXT 32
const char *rate_text(double rate, char text[static RATE_TEXT]);

/* instances.c */
void fleet_forget(struct view *view);

/**
 * watch() - show a view every view->interval seconds, until "q" or a signal
 *
 * Without a terminal, or with view->json, each sample is printed below the previous one. Goes on if
 * the instance cannot be asked. Returns the exit code of the program.
 */
int watch(struct view *view, const struct view_kind *kind);

#endif
