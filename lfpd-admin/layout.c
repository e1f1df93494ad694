/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c - a table on a screen that may be narrow */
#include "lfpd-admin/layout.h"

#include <string.h>

#include "lfpd-admin/text.h"

#define GAP        2  /* behind each column; in the first one of a title the mark of the order */
#define TEXT_LEAST 15 /* a longer text may be cut to so many columns */

static bool is_address(const struct rows_column *column)
{
	return !strcmp(column->name, "local") || !strcmp(column->name, "peer") ||
	       !strcmp(column->name, "own");
}

static void put_in_order(struct layout *layout, const struct rows *rows,
			 const char *const *important)
{
	bool taken[ROWS_COLUMNS] = {false};
	size_t nr = 0;

	for (; important && *important; important++) {
		size_t c = rows_find(rows, *important);

		if (c < rows->columns && !taken[c]) {
			taken[c] = true;
			layout->order[nr++] = c;
		}
	}
	for (size_t c = 0; c < rows->columns; c++)
		if (!taken[c])
			layout->order[nr++] = c;
}

/* The place that the columns from @first to before @end take. */
static size_t place_of(const struct layout *layout, size_t first, size_t end)
{
	size_t sum = 0;

	for (; first < end; first++)
		sum += layout->width[first] + GAP;
	return sum ? sum - 1 : 0; /* behind the last one only the mark of the order */
}

/* Gives columns what they want, in their order, while there is place. */
static void widen(struct layout *layout, const size_t *wanted, size_t room)
{
	size_t end = layout->first + layout->shown;
	size_t used = place_of(layout, layout->first, end);
	size_t spare = room > used ? room - used : 0;

	for (size_t i = layout->first; i < end; i++) {
		size_t more = wanted[i] - layout->width[i];

		more = more < spare ? more : spare;
		layout->width[i] += more;
		spare -= more;
	}
}

void layout_make(struct layout *layout, const struct rows *rows, const char *const *important,
		 size_t screen, size_t first)
{
	size_t wanted[ROWS_COLUMNS], nr = rows->columns, last = nr, room = screen;

	*layout = (struct layout){.screen = screen};
	put_in_order(layout, rows, important);
	for (size_t i = 0; i < nr; i++) {
		const struct rows_column *column = &rows->column[layout->order[i]];

		wanted[i] = layout->width[i] = rows_width(rows, layout->order[i]);
		if (!column->number && wanted[i] > TEXT_LEAST)
			layout->width[i] = TEXT_LEAST;
	}
	/* The marks take a place at both edges. */
	if (place_of(layout, 0, nr) > room && room > 2)
		room -= 2;
	/* So far to the right that the last column is seen, and no further. */
	while (last && place_of(layout, last - 1, nr) <= room)
		last--;
	if (last == nr && nr)
		last--;
	layout->first = first < last ? first : last;
	while (layout->first + layout->shown < nr &&
	       place_of(layout, layout->first, layout->first + layout->shown + 1) <= room)
		layout->shown++;
	if (!layout->shown && nr) {
		layout->shown = 1; /* however narrow the screen is */
		layout->width[layout->first] = room ? room - 1 : 0;
	} else {
		widen(layout, wanted, room);
	}
	layout->more_left = layout->first > 0;
	layout->more_right = layout->first + layout->shown < nr;
}

/* A line as it is written. */
struct line {
	const struct layout *layout;
	FILE *out;
	size_t used;
};

static bool has_marks(const struct layout *layout)
{
	return (layout->more_left || layout->more_right) && layout->screen > 2;
}

static struct line line_begin(const struct layout *layout, FILE *out)
{
	bool marks = has_marks(layout);

	if (marks)
		putc(layout->more_left ? '<' : ' ', out);
	return (struct line){layout, out, marks};
}

/* Writes the column @i of the order, and @mark behind it. */
static void line_put(struct line *line, size_t i, const char *text, enum text_side side, char mark)
{
	size_t width = line->layout->width[i];

	if (i > line->layout->first) {
		putc(' ', line->out);
		line->used++;
	}
	text_fit(text, width, side, line->out);
	line->used += width;
	if (line->used < line->layout->screen) {
		putc(mark, line->out);
		line->used++;
	}
}

static void line_end(struct line *line)
{
	const struct layout *layout = line->layout;
	bool marks = has_marks(layout);

	for (; line->used + marks < layout->screen; line->used++)
		putc(' ', line->out);
	if (marks)
		putc(layout->more_right ? '>' : ' ', line->out);
}

void layout_title(const struct layout *layout, const struct rows *rows, const struct order *order,
		  FILE *out)
{
	size_t sorted = *order->column ? rows_find(rows, order->column) : rows->columns;
	struct line line = line_begin(layout, out);

	for (size_t i = layout->first; i < layout->first + layout->shown; i++) {
		size_t c = layout->order[i], len;
		bool number = rows->column[c].number;
		char title[ROWS_TITLE + 1], mark = ' ';

		len = strlen(rows_title(&rows->column[c], title));
		if (c == sorted)
			mark = order->descending ? 'v' : '^';
		if (!number && len < layout->width[i]) { /* beside the title */
			title[len] = mark;
			title[len + 1] = '\0';
			mark = ' ';
		}
		line_put(&line, i, title, number ? TEXT_RIGHT : TEXT_LEFT, mark);
	}
	line_end(&line);
}

/* A cut address keeps its right side. */
static enum text_side side_of(const struct rows_column *column, const char *value, size_t width)
{
	return column->number || (is_address(column) && text_width(value) > width) ? TEXT_RIGHT
										   : TEXT_LEFT;
}

void layout_row(const struct layout *layout, const struct rows *rows, size_t row, FILE *out)
{
	struct line line = line_begin(layout, out);

	for (size_t i = layout->first; i < layout->first + layout->shown; i++) {
		size_t c = layout->order[i];
		char text[ROWS_VALUE];
		const char *value = rows_value(rows, row, c, text);

		line_put(&line, i, value, side_of(&rows->column[c], value, layout->width[i]), ' ');
	}
	line_end(&line);
}
