/* SPDX-License-Identifier: Apache-2.0 */
/* paint.c - the picture of the screen of --watch, line by line */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lfpd-admin/board.h"
#include "lfpd-admin/text.h"
#include "lfpd-admin/wrap.h"

#define ROWS_LEAST 3 /* a head that leaves the table fewer is not shown */

static const char help[] =
	"up, down, k, j         a row up or down; in the overview: choose an instance\n"
	"page up, page down, b, blank   a screen up or down\n"
	"home, end, g, G        first and last row\n"
	"left, right, h, l      a column to the left or to the right\n"
	"s, S                   sort by the next column, the previous one\n"
	"r                      sort the other way round\n"
	"/                      show only rows with a text; Enter keeps it, Esc the former one\n"
	"Esc                    drop the filter\n"
	"w                      whole rows, with all columns in several lines; the table again\n"
	"i                      all instances, and back to the chosen one\n"
	"Enter                  in the overview: show the chosen instance\n"
	"q                      end\n"
	"\n"
	"< and > mark what is cut, and columns that are left or right of the screen.\n"
	"^ and v mark the column that the rows are sorted by.\n";

struct picture {
	void (*put)(void *to, size_t row, const char *text, enum board_style style);
	void *to;
	size_t row, rows, columns;
};

/* Begins the next line of the picture. Returns where to write, or NULL. */
static FILE *line_begin(struct page_text *line)
{
	return page_text_begin(line) ? NULL : line->out;
}

static void line_end(struct picture *picture, struct page_text *line, enum board_style style)
{
	char *text = page_text_end(line);

	if (text)
		picture->put(picture->to, picture->row, text, style);
	free(text);
	picture->row++;
}

static size_t count_lines(const char *text)
{
	size_t nr = 0;

	for (; text && *text; text++)
		nr += *text == '\n';
	return nr;
}

/* Calls @put for the lines from @first, at most @most. */
static void each_line(struct picture *picture, const char *text, size_t first, size_t most,
		      void (*put)(struct picture *picture, const char *line, size_t left),
		      size_t left)
{
	for (size_t i = 0; text && *text && i < first + most; i++) {
		size_t len = strcspn(text, "\n");
		char *line = i < first ? NULL : strndup(text, len);

		if (line)
			put(picture, line, left);
		free(line);
		text += len + (text[len] == '\n');
	}
}

static void put_part(struct picture *picture, const char *text, size_t left)
{
	struct page_text line;
	FILE *out = line_begin(&line);

	if (!out)
		return;
	text_part(text, left, picture->columns, out);
	line_end(picture, &line, STYLE_PLAIN);
}

/* Messages are seen whole, in several lines. */
static void put_wrapped(struct picture *picture, const char *text, size_t unused)
{
	size_t width = text_width(text), at = 0;

	(void)unused;
	for (; at < width && picture->row < picture->rows; at += picture->columns) {
		struct page_text line;
		FILE *out = line_begin(&line);

		if (!out)
			return;
		text_columns(text, at, at + picture->columns, out);
		line_end(picture, &line, STYLE_PLAIN);
	}
}

/* The columns of the widest line */
static size_t widest_of(const char *text)
{
	size_t widest = 0;

	while (text && *text) {
		size_t len = strcspn(text, "\n");
		char *line = strndup(text, len);
		size_t width = line ? text_width(line) : 0;

		free(line);
		widest = width > widest ? width : widest;
		text += len + (text[len] == '\n');
	}
	return widest;
}

/* Paints text that may be moved in both directions. */
static void paint_text(struct board *board, struct picture *picture, const char *text)
{
	size_t widest = widest_of(text);

	board->lines = count_lines(text);
	board->room = picture->rows;
	if (board->top + board->room > board->lines)
		board->top = board->lines > board->room ? board->lines - board->room : 0;
	if (board->left + picture->columns > widest)
		board->left = widest > picture->columns ? widest - picture->columns : 0;
	each_line(picture, text, board->top, board->room, put_part, board->left);
}

/* Paints each row whole, as wide as the screen. */
static void paint_whole(struct board *board, struct picture *picture)
{
	struct page_text all;
	struct wrap wrap = {.width = picture->columns};
	char *text;

	if (page_text_begin(&all))
		return;
	wrap.out = all.out;
	for (size_t r = 0; r < board->shown.nr; r++) {
		wrap_row(&wrap, &board->shown, r);
		if (r + 1 < board->shown.nr)
			wrap_line(&wrap);
	}
	text = page_text_end(&all);
	paint_text(board, picture, text);
	free(text);
}

/* Keeps the first row, and the chosen one, inside the table and the screen. */
static void keep_inside(struct board *board, bool choice)
{
	size_t nr = board->shown.nr;

	if (choice && board->chosen >= nr)
		board->chosen = nr ? nr - 1 : 0;
	if (choice && board->chosen < board->top)
		board->top = board->chosen;
	if (choice && board->room && board->chosen >= board->top + board->room)
		board->top = board->chosen - board->room + 1;
	if (board->top + board->room > nr)
		board->top = nr > board->room ? nr - board->room : 0;
}

static void paint_row(struct board *board, struct picture *picture, size_t row, bool chosen)
{
	struct page_text line;
	FILE *out = line_begin(&line);

	if (!out)
		return;
	layout_row(&board->layout, &board->shown, row, out);
	line_end(picture, &line, chosen ? STYLE_CHOSEN : STYLE_PLAIN);
}

static void paint_table(struct board *board, struct picture *picture)
{
	bool choice = board->kind == &view_instances;
	struct page_text line;
	FILE *out;

	layout_make(&board->layout, &board->shown, board->page.important, picture->columns,
		    board->left);
	board->left = board->layout.first;
	out = picture->row < picture->rows ? line_begin(&line) : NULL;
	if (out) {
		layout_title(&board->layout, &board->shown, &board->view->order, out);
		line_end(picture, &line, STYLE_TITLE);
	}
	board->room = picture->rows - picture->row;
	keep_inside(board, choice);
	for (size_t r = board->top; r < board->shown.nr && picture->row < picture->rows; r++)
		paint_row(board, picture, r, choice && r == board->chosen);
	if (picture->row < picture->rows)
		each_line(picture, board->page.foot, 0, picture->rows - picture->row, put_wrapped,
			  0);
}

static void paint_page(struct board *board, struct picture *picture)
{
	size_t head = count_lines(board->page.head);

	if (board->failed) {
		char text[sizeof(board->error.text) + 16];

		snprintf(text, sizeof(text), "%s %s", board->error.id, board->error.text);
		put_wrapped(picture, text, 0);
		return;
	}
	if (!board->shown.columns) {
		paint_text(board, picture, board->page.head);
		return;
	}
	if (board->whole) {
		paint_whole(board, picture);
		return;
	}
	if (head && head + 2 + ROWS_LEAST <= picture->rows) {
		each_line(picture, board->page.head, 0, head, put_part, 0);
		picture->row++;
	}
	paint_table(board, picture);
}

static void put_place(const struct board *board, FILE *out)
{
	bool table = board->shown.columns && !board->whole;
	size_t nr = table ? board->shown.nr : board->lines;
	size_t last = board->top + board->room < nr ? board->top + board->room : nr;

	if (!board->failed)
		fprintf(out, "  %s %zu-%zu of %zu", table ? "rows" : "lines",
			nr ? board->top + 1 : 0, last, nr);
}

static void put_bar(const struct board *board, FILE *out)
{
	const struct order *order = &board->view->order;
	time_t now = time(NULL);
	struct tm tm = {0};

	if (board->mode == BOARD_FILTER) {
		fprintf(out, "Filter: %s_  (Enter, Esc)", order->filter);
		put_place(board, out);
		return;
	}
	if (!localtime_r(&now, &tm))
		memset(&tm, 0, sizeof(tm));
	fprintf(out, "%02d:%02d:%02d  ", tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (board->kind != &view_instances)
		fprintf(out, "%s ", board->view->name);
	fputs(board->kind->title, out);
	put_place(board, out);
	if (*order->filter)
		fprintf(out, "  with '%s'", order->filter);
	fputs("  q ends, ? helps", out);
}

static void paint_bar(const struct board *board, struct picture *picture)
{
	struct page_text bar, line;
	char *text;

	if (page_text_begin(&bar))
		return;
	put_bar(board, bar.out);
	text = page_text_end(&bar);
	if (text && line_begin(&line)) {
		text_fit(text, picture->columns, TEXT_LEFT, line.out);
		line_end(picture, &line, STYLE_BAR);
	}
	free(text);
}

void board_paint(struct board *board, size_t rows, size_t columns,
		 void (*put)(void *to, size_t row, const char *text, enum board_style style),
		 void *to)
{
	struct picture picture = {.put = put, .to = to, .rows = rows - 1, .columns = columns};

	if (board->mode == BOARD_HELP)
		each_line(&picture, help, 0, picture.rows, put_part, 0);
	else
		paint_page(board, &picture);
	picture.row = rows - 1;
	paint_bar(board, &picture);
}
