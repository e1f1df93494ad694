/* SPDX-License-Identifier: Apache-2.0 */
/* all.c - a table of all running instances */
#include "lfpd-admin/all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "lfpd-admin/status.h"

#define OWN_COLUMNS 2 /* instance, z_vse */

struct part {
	struct view view; /* of one instance */
	struct page page;
	char zvse[STATUS_ZVSE];
	bool there; /* it has answered so far; else @error */
	struct ask_error error;
};

struct parts {
	size_t nr;
	struct part part[];
};

bool all_takes(const struct view_kind *kind)
{
	return kind == &view_tasks || kind == &view_sockets || kind == &view_users ||
	       kind == &view_limits;
}

static struct parts *make_parts(const struct view *view, const struct running *found)
{
	struct parts *parts = calloc(1, sizeof(*parts) + found->nr * sizeof(parts->part[0]));

	if (!parts)
		return NULL;
	parts->nr = found->nr;
	for (size_t i = 0; i < parts->nr; i++) {
		parts->part[i].view.name = found->name[i];
		parts->part[i].view.rates = view->rates;
		parts->part[i].there = true;
	}
	return parts;
}

static void forget_parts(struct parts *parts)
{
	for (size_t i = 0; i < parts->nr; i++) {
		page_finish(&parts->part[i].page);
		view_finish(&parts->part[i].view);
	}
	free(parts);
}

static int ask_status(struct part *part)
{
	char *answer;

	if (ask(part->view.name, "status", &answer, &part->error))
		return -1;
	status_zvse(answer, part->zvse);
	ask_forget(answer);
	return 0;
}

/* Asks those that have answered so far. */
static void ask_parts(const struct view_kind *kind, struct parts *parts)
{
	for (size_t i = 0; i < parts->nr; i++) {
		struct part *part = &parts->part[i];

		page_finish(&part->page);
		part->there = part->there && !kind->page(&part->view, &part->page, &part->error) &&
			      !ask_status(part);
	}
}

/* Says why instances have not answered. Returns 0, or -1 with the last reason if none has. */
static int check_parts(const struct parts *parts, struct ask_error *error)
{
	size_t missing = 0;

	for (size_t i = 0; i < parts->nr; i++)
		missing += !parts->part[i].there;
	for (size_t i = 0; i < parts->nr; i++) {
		if (parts->part[i].there)
			continue;
		*error = parts->part[i].error;
		if (missing < parts->nr || i + 1 < parts->nr)
			ask_say(error);
	}
	return missing < parts->nr ? 0 : -1;
}

/* Returns rows->columns if the instance, one of another version, has no such column, or has it with
 * another kind of values. */
static size_t find_column(const struct rows *rows, const struct rows_column *column)
{
	size_t c = rows_find(rows, column->name);

	return c < rows->columns && rows->column[c].number == column->number ? c : rows->columns;
}

static void put_part(const struct part *part, const struct rows *first, size_t columns, FILE *out)
{
	const struct rows *rows = &part->page.rows;
	size_t from[ROWS_COLUMNS];

	for (size_t c = 0; c < columns; c++)
		from[c] = find_column(rows, &first->column[c]);
	for (size_t r = 0; r < rows->nr; r++) {
		fprintf(out, "row\t%s\t%s", part->view.name, part->zvse);
		for (size_t c = 0; c < columns; c++)
			fprintf(out, "\t%s",
				from[c] < rows->columns ? rows_cell(rows, r, from[c]) : "");
		putc('\n', out);
	}
}

/* Makes one table of all that have answered: as text, and parsed as one answer is. Then all cells
 * lie in one text, which the rows own, and rows.c alone checks columns, numbers and limits. */
static int join(const struct view *view, const struct parts *parts, struct rows *rows)
{
	const struct rows *first = NULL;
	struct page_text text;
	size_t columns;
	char *answer;
	int rc;

	for (size_t i = parts->nr; i-- > 0;)
		if (parts->part[i].there)
			first = &parts->part[i].page.rows;
	if (!first || page_text_begin(&text))
		return -ENOMEM;
	columns = first->columns;
	if (columns > ROWS_COLUMNS - OWN_COLUMNS)
		columns = ROWS_COLUMNS - OWN_COLUMNS;
	fprintf(text.out, "columns\tinstance:s\t%s:s", view->json ? "zvse" : "z_vse");
	for (size_t c = 0; c < columns; c++)
		fprintf(text.out, "\t%s:%c", first->column[c].name,
			first->column[c].number ? 'n' : 's');
	putc('\n', text.out);
	for (size_t i = 0; i < parts->nr; i++)
		if (parts->part[i].there)
			put_part(&parts->part[i], first, columns, text.out);
	answer = page_text_end(&text);
	rc = answer ? rows_parse(answer, rows) : -ENOMEM;
	free(answer);
	return rc;
}

static int print_rows(const struct view_kind *kind, const struct view *view, struct rows *rows,
		      FILE *out, struct ask_error *error)
{
	json_t *object;

	if (order_apply(&view->order, rows))
		return view_no_column(view, rows, error);
	if (!view->json) {
		rows_print(rows, out);
		return 0;
	}
	object = json_object();
	json_object_set_new(object, kind->title, rows_json(rows));
	return json_line(object, 0, out) ? view_fail(view, -ENOMEM, error) : 0;
}

int all_print(const struct view_kind *kind, const struct view *view, const struct running *found,
	      FILE *out, struct ask_error *error)
{
	struct parts *parts = make_parts(view, found);
	struct rows rows = {.text = NULL};
	int rc;

	if (!parts)
		return view_fail(view, -ENOMEM, error);
	if (kind == &view_sockets && view->rates && view->settle > 0) {
		ask_parts(kind, parts);
		view_settle(view);
	}
	ask_parts(kind, parts);
	rc = check_parts(parts, error);
	if (!rc) {
		rc = join(view, parts, &rows);
		rc = rc ? view_fail(view, rc, error) : print_rows(kind, view, &rows, out, error);
		rows_finish(&rows);
	}
	forget_parts(parts);
	return rc;
}
