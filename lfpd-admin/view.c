/* SPDX-License-Identifier: Apache-2.0 */
/* view.c - what lfpd-admin shows of an instance: its status, lists and statistics */
#include "lfpd-admin/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lfp/admin.h"
#include "lfp/exit.h"
#include "json/json.h"
#include "lfpd-admin/status.h"
#include "lfpd-admin/text.h"

int view_fail(const struct view *view, int rc, struct ask_error *error)
{
	error->id = "VLFD906E";
	error->exit = LFP_EXIT_UNAVAILABLE;
	snprintf(error->text, sizeof(error->text), "Cannot show the answer of instance %s: %s.",
		 view->name, rc == -EPROTO ? "it has another version" : strerror(-rc));
	return -1;
}

int view_rows(const struct view *view, const char *request, struct rows *rows,
	      struct ask_error *error)
{
	char *answer;
	int rc;

	if (ask(view->name, request, &answer, error))
		return -1;
	rc = rows_parse(answer, rows);
	ask_forget(answer);
	return rc ? view_fail(view, rc, error) : 0;
}

void view_settle(const struct view *view)
{
	struct timespec left = {.tv_sec = (time_t)view->settle};

	left.tv_nsec = (long)((view->settle - (double)left.tv_sec) * 1e9);
	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

const char *rate_text(double rate, char text[static RATE_TEXT])
{
	if (rate < 0)
		text[0] = '\0';
	else
		snprintf(text, RATE_TEXT, rate < 100 ? "%.1f" : "%.0f", rate);
	return text;
}

int view_no_column(const struct view *view, const struct rows *rows, struct ask_error *error)
{
	size_t used;

	error->id = "VLFD919E";
	error->exit = LFP_EXIT_USAGE;
	used = (size_t)snprintf(error->text, sizeof(error->text),
				"There is no column %s to sort by. The columns are",
				view->order.column);
	for (size_t c = 0; c < rows->columns && used < sizeof(error->text); c++)
		used += (size_t)snprintf(error->text + used, sizeof(error->text) - used, "%s %s",
					 c ? "," : "", rows->column[c].name);
	if (used < sizeof(error->text) - 1)
		strcpy(error->text + used, ".");
	text_clean(error->text);
	return -1;
}

int view_page(const struct view_kind *kind, struct view *view, struct page *page,
	      struct ask_error *error)
{
	*page = (struct page){.head = NULL};
	if (kind->page(view, page, error)) {
		page_finish(page);
		return -1;
	}
	if (page->rows.columns && order_apply(&view->order, &page->rows)) {
		view_no_column(view, &page->rows, error);
		page_finish(page);
		return -1;
	}
	return 0;
}

int view_print(const struct view_kind *kind, struct view *view, FILE *out, struct ask_error *error)
{
	struct page page;
	json_t *object;

	if (view->json) {
		if (kind->json(view, &object, error))
			return -1;
		return json_line(object, 0, out) ? view_fail(view, -ENOMEM, error) : 0;
	}
	if (view_page(kind, view, &page, error))
		return -1;
	page_print(&page, out);
	page_finish(&page);
	return 0;
}

/* Begins an object about the instance. */
static json_t *open_object(const struct view *view)
{
	json_t *object = json_object();

	json_object_set_new(object, "instance", json_text(view->name));
	return object;
}

/* Makes a page of text from the answer to a question, by @print. */
static int text_page(struct view *view, const char *question,
		     void (*print)(const char *answer, FILE *out), struct page *page,
		     struct ask_error *error)
{
	struct page_text text;
	char *answer;

	if (ask(view->name, question, &answer, error))
		return -1;
	if (!page_text_begin(&text)) {
		print(answer, text.out);
		page->head = page_text_end(&text);
	}
	ask_forget(answer);
	return page->head ? 0 : view_fail(view, -ENOMEM, error);
}

static int text_json(struct view *view, const char *question, json_t **object,
		     struct ask_error *error)
{
	json_t *status;
	char *answer;

	if (ask(view->name, question, &answer, error))
		return -1;
	*object = open_object(view);
	status = status_json(answer);
	ask_forget(answer);
	json_object_update(*object, status);
	json_decref(status);
	return 0;
}

/* Makes JSON of a table: @member has its rows. */
static int table_json(const struct view_kind *kind, struct view *view, const char *member,
		      json_t **object, struct ask_error *error)
{
	struct page page;

	if (view_page(kind, view, &page, error))
		return -1;
	*object = open_object(view);
	json_object_set_new(*object, member, rows_json(&page.rows));
	page_finish(&page);
	return 0;
}

static int status_page(struct view *view, struct page *page, struct ask_error *error)
{
	return text_page(view, "status", status_print, page, error);
}

static int status_object(struct view *view, json_t **object, struct ask_error *error)
{
	return text_json(view, "status", object, error);
}

const struct view_kind view_status = {
	.title = "status", .page = status_page, .json = status_object};

static int trace_page(struct view *view, struct page *page, struct ask_error *error)
{
	return text_page(view, "trace-status", status_trace, page, error);
}

static int trace_object(struct view *view, json_t **object, struct ask_error *error)
{
	return text_json(view, "trace-status", object, error);
}

const struct view_kind view_trace = {.title = "trace", .page = trace_page, .json = trace_object};

#define TABLE(what, names, get)                                                                    \
	static int what##_page(struct view *view, struct page *page, struct ask_error *error)      \
	{                                                                                          \
		page->important = names;                                                           \
		return get;                                                                        \
	}                                                                                          \
	static int what##_object(struct view *view, json_t **object, struct ask_error *error)      \
	{                                                                                          \
		return table_json(&view_##what, view, #what, object, error);                       \
	}                                                                                          \
	const struct view_kind view_##what = {                                                     \
		.title = #what, .table = true, .page = what##_page, .json = what##_object}

static const char *const task_columns[] = {"task", "program", "sockets", "pid", "uid", NULL};
static const char *const limit_columns[] = {"rule", "task", "uid", "connections", "refused", NULL};

TABLE(tasks, task_columns, view_rows(view, "tasks", &page->rows, error));
TABLE(sockets, socket_columns, view_socket_rows(view, &page->rows, error));
TABLE(users, NULL, view_rows(view, "users", &page->rows, error));
TABLE(limits, limit_columns, view_rows(view, "limits", &page->rows, error));

/* Makes the table of the statistics from the newest sample. */
static int statistics_page(struct view *view, struct page *page, struct ask_error *error)
{
	const struct rows *rows = &view->now.rows;
	struct page_text text;
	char *answer;
	int rc;

	if (sample_take(view, error))
		return -1;
	if (page_text_begin(&text))
		return view_fail(view, -ENOMEM, error);
	fprintf(text.out, "columns\tname:s\tvalue:n%s\n", view->interval > 0 ? "\trate:n" : "");
	for (size_t i = 0; i < rows->nr; i++) {
		const char *name = rows_cell(rows, i, 0);
		char rate[RATE_TEXT];

		fprintf(text.out, "row\t%s\t%s", name, rows_cell(rows, i, 2));
		if (view->interval > 0)
			fprintf(text.out, "\t%s", rate_text(sample_rate(view, name), rate));
		putc('\n', text.out);
	}
	answer = page_text_end(&text);
	rc = answer ? rows_parse(answer, &page->rows) : -ENOMEM;
	free(answer);
	return rc ? view_fail(view, rc, error) : 0;
}

static int statistics_object(struct view *view, json_t **object, struct ask_error *error)
{
	json_t *all = json_object();
	struct page page;

	if (view_page(&view_statistics, view, &page, error)) {
		json_decref(all);
		return -1;
	}
	for (size_t i = 0; i < page.rows.nr; i++) {
		const char *name = rows_cell(&page.rows, i, 0), *rate = "";
		json_t *one = json_object();

		if (page.rows.columns > 2)
			rate = rows_cell(&page.rows, i, 2);
		json_object_set_new(one, "value", json_numeral(rows_cell(&page.rows, i, 1)));
		json_object_set_new(one, "kind", json_text(sample_kind(view, name)));
		if (*rate)
			json_object_set_new(one, "rate", json_numeral(rate));
		json_object_set_new(all, name, one);
	}
	page_finish(&page);
	*object = open_object(view);
	json_object_set_new(*object, "statistics", all);
	return 0;
}

const struct view_kind view_statistics = {
	.title = "statistics", .table = true, .page = statistics_page, .json = statistics_object};

void view_forget(struct view *view)
{
	sample_forget(view);
	rates_forget(view);
}

void view_finish(struct view *view)
{
	view_forget(view);
	fleet_forget(view);
}
