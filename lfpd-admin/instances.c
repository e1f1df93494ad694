/* SPDX-License-Identifier: Apache-2.0 */
/* instances.c - all running instances, a row each */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/admin.h"
#include "lfp/exit.h"
#include "json/json.h"
#include "lfpd-admin/running.h"
#include "lfpd-admin/status.h"
#include "lfpd-admin/view.h"

/*
 * Theory of operation
 *
 * A fleet has a view of each instance, for its samples. It is made again when instances have come
 * or gone; those that stay keep their samples. So the rates need no time but that between two
 * screens.
 */

struct member {
	char name[9];
	struct view view;
	char *status;           /* the newest answer; NULL if there is none */
	struct ask_error error; /* then */
};

struct fleet {
	struct member member[RUNNING_MAX];
	size_t nr;
};

static const char *const columns[] = {
	"instance",    "state", "z_vse",  "sockets", "to_host_rate",
	"to_vse_rate", "tasks", "uptime", NULL,
};

static void member_finish(struct member *member)
{
	sample_forget(&member->view);
	free(member->status);
	member->status = NULL;
}

void fleet_forget(struct view *view)
{
	for (size_t i = 0; view->fleet && i < view->fleet->nr; i++)
		member_finish(&view->fleet->member[i]);
	free(view->fleet);
	view->fleet = NULL;
}

/* Moves the samples of an instance that was there before. */
static void take_over(struct member *member, struct fleet *before)
{
	for (size_t i = 0; before && i < before->nr; i++) {
		struct view *old = &before->member[i].view;

		if (strcmp(before->member[i].name, member->name) != 0)
			continue;
		member->view.before = old->before;
		member->view.now = old->now;
		old->before.there = old->now.there = false;
	}
}

static int find_fleet(struct view *view)
{
	struct fleet *fleet = calloc(1, sizeof(*fleet));
	struct running found;

	if (!fleet)
		return -ENOMEM;
	running_find(&found);
	for (; fleet->nr < found.nr; fleet->nr++) {
		struct member *member = &fleet->member[fleet->nr];

		memcpy(member->name, found.name[fleet->nr], sizeof(member->name));
		member->view.name = member->name;
		take_over(member, view->fleet);
	}
	fleet_forget(view);
	view->fleet = fleet;
	for (size_t i = 0; i < fleet->nr; i++)
		fleet->member[i].view.name = fleet->member[i].name;
	return 0;
}

static void ask_member(const struct view *view, struct member *member)
{
	free(member->status);
	member->status = NULL;
	if (view->rates && sample_take(&member->view, &member->error))
		return;
	if (ask(member->name, "status", &member->status, &member->error))
		member->status = NULL;
}

/* Asks all instances, and twice the first time if the view waits for rates. */
static int ask_all(struct view *view, struct ask_error *error)
{
	bool first = !view->fleet;

	if (find_fleet(view))
		return view_fail(view, -ENOMEM, error);
	for (size_t i = 0; i < view->fleet->nr; i++)
		ask_member(view, &view->fleet->member[i]);
	if (!first || !view->rates || view->settle <= 0 || !view->fleet->nr)
		return 0;
	view_settle(view);
	for (size_t i = 0; i < view->fleet->nr; i++)
		ask_member(view, &view->fleet->member[i]);
	return 0;
}

static const char *value(const char *answer, const char *key, char text[static 32])
{
	if (lfp_admin_value(answer, key, text, 32))
		text[0] = '\0';
	return text;
}

/* "12 of 512" */
static void put_share(const char *answer, const char *used, const char *most, FILE *out)
{
	char one[32], two[32];

	fprintf(out, "\t%s of %s", value(answer, used, one), value(answer, most, two));
}

static void put_status(const char *answer, FILE *out)
{
	char zvse[STATUS_ZVSE];

	status_zvse(answer, zvse);
	fprintf(out, "\t%s\t%s", *zvse ? "connected" : "not connected", zvse);
	put_share(answer, "tasks", "MAX_VSE_TASKS", out);
	put_share(answer, "sockets", "MAX_SOCKETS", out);
}

static void put_member(const struct view *view, const struct member *member, FILE *out)
{
	char text[RATE_TEXT], uptime[32];

	fprintf(out, "row\t%s", member->name);
	if (member->status)
		put_status(member->status, out);
	else
		fputs("\tno answer\t\t\t", out);
	if (view->rates && member->status) {
		fprintf(out, "\t%s", rate_text(sample_rate(&member->view, "path_bytes_in"), text));
		fprintf(out, "\t%s", rate_text(sample_rate(&member->view, "path_bytes_out"), text));
	} else if (view->rates) {
		fputs("\t\t", out);
	}
	fprintf(out, "\t%s\n", member->status ? status_uptime(member->status, uptime) : "");
}

/* Makes the table, and the messages below it. */
static int make_rows(const struct view *view, struct page *page)
{
	struct page_text text;
	char *answer;
	int rc;

	if (page_text_begin(&text))
		return -ENOMEM;
	fprintf(text.out, "columns\tinstance:s\tstate:s\tz_vse:s\ttasks:s\tsockets:s%s\tuptime:s\n",
		view->rates ? "\tto_host_rate:n\tto_vse_rate:n" : "");
	for (size_t i = 0; i < view->fleet->nr; i++)
		put_member(view, &view->fleet->member[i], text.out);
	answer = page_text_end(&text);
	rc = answer ? rows_parse(answer, &page->rows) : -ENOMEM;
	free(answer);
	if (rc || page_text_begin(&text))
		return rc ? rc : -ENOMEM;
	for (size_t i = 0; i < view->fleet->nr; i++)
		if (!view->fleet->member[i].status)
			fprintf(text.out, "%s %s\n", view->fleet->member[i].error.id,
				view->fleet->member[i].error.text);
	page->foot = page_text_end(&text);
	return page->foot ? 0 : -ENOMEM;
}

static int instances_page(struct view *view, struct page *page, struct ask_error *error)
{
	int rc;

	if (ask_all(view, error))
		return -1;
	if (!view->fleet->nr && !view->json) {
		*error = (struct ask_error){
			.id = "VLFD913E",
			.exit = LFP_EXIT_UNAVAILABLE,
			.text = "No instance of lfpd is running.",
		};
		return -1;
	}
	page->important = columns;
	rc = make_rows(view, page);
	return rc ? view_fail(view, rc, error) : 0;
}

static const struct member *find_member(const struct view *view, const char *name)
{
	for (size_t i = 0; i < view->fleet->nr; i++)
		if (!strcmp(view->fleet->member[i].name, name))
			return &view->fleet->member[i];
	return NULL;
}

/* Returns all of the status, and the rates; or the reason why there is none. */
static json_t *member_json(const struct rows *rows, size_t row, const struct member *member)
{
	static const char *const rates[] = {"to_host_rate", "to_vse_rate"};
	json_t *object = json_object(), *status;

	json_object_set_new(object, "instance", json_text(member->name));
	if (!member->status) {
		json_object_set_new(object, "error", json_text(member->error.text));
		return object;
	}
	status = status_json(member->status);
	json_object_update(object, status);
	json_decref(status);
	for (size_t i = 0; i < 2; i++) {
		size_t c = rows_find(rows, rates[i]);
		const char *rate = c < rows->columns ? rows_cell(rows, row, c) : "";

		if (*rate)
			json_object_set_new(object, rates[i], json_numeral(rate));
	}
	return object;
}

static int instances_json(struct view *view, json_t **object, struct ask_error *error)
{
	json_t *array;
	struct page page;

	if (view_page(&view_instances, view, &page, error))
		return -1;
	array = json_array();
	for (size_t r = 0; r < page.rows.nr; r++) {
		const struct member *member = find_member(view, rows_cell(&page.rows, r, 0));

		if (member)
			json_array_append_new(array, member_json(&page.rows, r, member));
	}
	page_finish(&page);
	*object = json_object();
	json_object_set_new(*object, "instances", array);
	return 0;
}

const struct view_kind view_instances = {
	.title = "all instances", .table = true, .page = instances_page, .json = instances_json};
