/* SPDX-License-Identifier: Apache-2.0 */
/* rates.c - bytes a second of each socket, between two looks at all of them */
#include "lfpd-admin/rates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lfpd-admin/view.h"

const char *const socket_columns[] = {
	"state", "local", "peer",    "program", "to_host_rate", "to_vse_rate", "kind",
	"task",  "pid",   "to_host", "to_vse",  "partition",    NULL,
};

/* Columns that count. */
struct columns {
	size_t socket, pid, to_host, to_vse;
};

static bool find_columns(const struct rows *rows, struct columns *columns)
{
	columns->socket = rows_find(rows, "socket");
	columns->pid = rows_find(rows, "pid");
	columns->to_host = rows_find(rows, "to_host");
	columns->to_vse = rows_find(rows, "to_vse");
	return columns->socket < rows->columns && columns->pid < rows->columns &&
	       columns->to_host < rows->columns && columns->to_vse < rows->columns;
}

/* Rows of the earlier look, sorted by socket. */
struct index {
	const struct rows *rows;
	struct columns columns;
	size_t *row;
};

static int compare_rows(const void *one, const void *other, void *data)
{
	const struct index *index = data;
	const size_t *a = one, *b = other;

	return strcmp(rows_cell(index->rows, *a, index->columns.socket),
		      rows_cell(index->rows, *b, index->columns.socket));
}

static int index_make(struct index *index, const struct rows *rows)
{
	*index = (struct index){.rows = rows};
	if (!rows || !rows->nr || !find_columns(rows, &index->columns))
		return 0;
	index->row = calloc(rows->nr, sizeof(*index->row));
	if (!index->row)
		return -ENOMEM;
	for (size_t r = 0; r < rows->nr; r++)
		index->row[r] = r;
	qsort_r(index->row, rows->nr, sizeof(*index->row), compare_rows, index);
	return 0;
}

/* Returns the row of a socket, or NULL. A number that another process has now is another socket. */
static const size_t *index_find(const struct index *index, const char *socket, const char *pid)
{
	size_t low = 0, high = index->row ? index->rows->nr : 0;

	while (low < high) {
		size_t middle = (low + high) / 2, row = index->row[middle];
		int rc = strcmp(rows_cell(index->rows, row, index->columns.socket), socket);

		if (!rc && !strcmp(rows_cell(index->rows, row, index->columns.pid), pid))
			return &index->row[middle];
		if (!rc)
			return NULL;
		if (rc < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void put_rate(const char *before, const char *now, double seconds, FILE *out)
{
	double grown = strtod(now, NULL) - strtod(before, NULL);
	char text[RATE_TEXT];

	fprintf(out, "\t%s",
		rate_text(*before && *now && grown >= 0 && seconds > 0 ? grown / seconds : -1,
			  text));
}

static void write_row(const struct index *index, const struct rows *now,
		      const struct columns *columns, size_t row, double seconds, FILE *out)
{
	const size_t *old = index_find(index, rows_cell(now, row, columns->socket),
				       rows_cell(now, row, columns->pid));
	const char *to_host = "", *to_vse = "";

	if (old) {
		to_host = rows_cell(index->rows, *old, index->columns.to_host);
		to_vse = rows_cell(index->rows, *old, index->columns.to_vse);
	}
	fputs("row", out);
	for (size_t c = 0; c < now->columns; c++)
		fprintf(out, "\t%s", rows_cell(now, row, c));
	put_rate(to_host, rows_cell(now, row, columns->to_host), seconds, out);
	put_rate(to_vse, rows_cell(now, row, columns->to_vse), seconds, out);
	putc('\n', out);
}

int rates_add(const struct rows *before, const struct rows *now, double seconds, struct rows *out)
{
	struct page_text text;
	struct columns columns;
	struct index index;
	char *answer = NULL;
	int rc;

	if (!find_columns(now, &columns))
		return -EPROTO;
	rc = index_make(&index, before);
	if (!rc)
		rc = page_text_begin(&text);
	if (!rc) {
		fputs("columns", text.out);
		for (size_t c = 0; c < now->columns; c++)
			fprintf(text.out, "\t%s:%c", now->column[c].name,
				now->column[c].number ? 'n' : 's');
		fputs("\tto_host_rate:n\tto_vse_rate:n\n", text.out);
		for (size_t r = 0; r < now->nr; r++)
			write_row(&index, now, &columns, r, seconds, text.out);
		answer = page_text_end(&text);
		rc = answer ? rows_parse(answer, out) : -ENOMEM;
	}
	free(answer);
	free(index.row);
	return rc;
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void rates_forget(struct view *view)
{
	if (view->sockets.there)
		rows_finish(&view->sockets.rows);
	view->sockets.there = false;
}

static int look(struct view *view, struct socket_sample *sample, struct ask_error *error)
{
	int rc = view_rows(view, "sockets", &sample->rows, error);

	sample->time = now_s();
	sample->there = !rc;
	return rc;
}

int view_socket_rows(struct view *view, struct rows *rows, struct ask_error *error)
{
	struct socket_sample now;
	int rc;

	if (!view->rates)
		return view_rows(view, "sockets", rows, error);
	if (!view->sockets.there && view->settle > 0) {
		if (look(view, &view->sockets, error))
			return -1;
		view_settle(view);
	}
	if (look(view, &now, error))
		return -1;
	rc = rates_add(view->sockets.there ? &view->sockets.rows : NULL, &now.rows,
		       now.time - view->sockets.time, rows);
	rates_forget(view);
	view->sockets = now;
	return rc ? view_fail(view, rc, error) : 0;
}
