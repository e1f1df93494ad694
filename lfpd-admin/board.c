/* SPDX-License-Identifier: Apache-2.0 */
/* board.c - what the keys of the screen of --watch do */
#include "lfpd-admin/board.h"

#include <limits.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "lfp/exit.h"

#define ESCAPE   0x1b
#define DELETE   0x7f
#define SIDEWAYS 16 /* columns of text that a key moves */

void board_init(struct board *board, struct view *view, const struct view_kind *kind)
{
	*board = (struct board){
		.view = view,
		.kind = kind,
		.inside = kind == &view_instances ? &view_overview : kind,
	};
}

static void forget_page(struct board *board)
{
	free(board->shown.cells);
	board->shown = (struct rows){.columns = 0};
	page_finish(&board->page);
}

void board_finish(struct board *board)
{
	forget_page(board);
}

/* Takes the rows of the page that are to be shown. */
static void arrange(struct board *board)
{
	const struct rows *rows = &board->page.rows;
	size_t size = rows->nr * rows->columns * sizeof(rows->cells[0]);

	free(board->shown.cells);
	board->shown = *rows;
	board->shown.cells = malloc(size ? size : 1);
	if (!board->shown.cells) {
		board->shown.nr = 0;
		return;
	}
	if (size)
		memcpy(board->shown.cells, rows->cells, size);
	if (rows->columns && order_apply(&board->view->order, &board->shown)) {
		view_no_column(board->view, rows, &board->error);
		board->failed = true;
	}
}

void board_look(struct board *board)
{
	forget_page(board);
	board->error = (struct ask_error){.exit = LFP_EXIT_OK};
	board->failed = board->kind->page(board->view, &board->page, &board->error) != 0;
	if (board->failed)
		forget_page(board);
	else
		arrange(board);
}

static size_t count_of(const struct board *board)
{
	return board->shown.columns && !board->whole ? board->shown.nr : board->lines;
}

static bool is_overview(const struct board *board)
{
	return board->kind == &view_instances;
}

/* Moves the chosen row of the overview, or what is shown. */
static void move_rows(struct board *board, bool down, size_t by)
{
	size_t *at = is_overview(board) ? &board->chosen : &board->top;
	size_t nr = count_of(board), room = is_overview(board) ? 1 : board->room;
	size_t most = nr > room ? nr - room : 0;

	if (down)
		*at = *at + by < most ? *at + by : most;
	else
		*at -= *at < by ? *at : by;
}

static void move_sideways(struct board *board, bool right)
{
	size_t by = board->shown.columns && !board->whole ? 1 : SIDEWAYS;

	if (right)
		board->left += by; /* board_paint() knows the end */
	else
		board->left -= board->left < by ? board->left : by;
}

/* Sorts by the next column, in the order of the screen, or the previous one; behind the last one
 * the rows are in lfpd's order. */
static void sort_by_another(struct board *board, bool next)
{
	const struct rows *rows = &board->shown;
	struct order *order = &board->view->order;
	size_t at = rows->columns, nr = rows->columns, c;

	if (!nr)
		return;
	c = *order->column ? rows_find(rows, order->column) : nr;
	for (size_t i = 0; i < nr; i++)
		if (board->layout.order[i] == c)
			at = i;
	at = (at + (next ? 1 : nr)) % (nr + 1);
	if (at == nr)
		order->column[0] = '\0';
	else
		snprintf(order->column, sizeof(order->column), "%s",
			 rows->column[board->layout.order[at]].name);
	arrange(board);
}

static enum board_act show(struct board *board, const struct view_kind *kind)
{
	forget_page(board); /* further keys must not act on the old table */
	board->failed = false;
	board->kind = kind;
	board->top = board->left = 0;
	board->whole = false;
	board->view->order = (struct order){.descending = false};
	view_forget(board->view);
	return BOARD_ASKS;
}

/* Opens the instance that is chosen in the overview. */
static enum board_act open_chosen(struct board *board)
{
	if (!is_overview(board) || board->chosen >= board->shown.nr)
		return BOARD_STAYS;
	snprintf(board->name, sizeof(board->name), "%s",
		 rows_cell(&board->shown, board->chosen, 0));
	board->view->name = board->name;
	return show(board, board->inside);
}

static enum board_act overview_or_back(struct board *board)
{
	if (is_overview(board))
		return open_chosen(board);
	board->inside = board->kind;
	return show(board, &view_instances);
}

static void begin_filter(struct board *board)
{
	if (!board->shown.columns)
		return;
	memcpy(board->filter, board->view->order.filter, sizeof(board->filter));
	board->mode = BOARD_FILTER;
}

/* Removes the last character. */
static void cut(char *text)
{
	size_t len = strlen(text);

	while (len && ((unsigned char)text[--len] & 0xc0) == 0x80)
		;
	text[len] = '\0';
}

static void append(char *text, size_t size, wchar_t wide)
{
	char bytes[MB_LEN_MAX];
	mbstate_t state = {0};
	size_t len = strlen(text), more = wcrtomb(bytes, wide, &state);

	if (more == (size_t)-1 || wcwidth(wide) < 1 || len + more >= size)
		return;
	memcpy(text + len, bytes, more);
	text[len + more] = '\0';
}

static void filter_key(struct board *board, unsigned int key, bool special)
{
	char *filter = board->view->order.filter;

	if (special && key == KEY_BACKSPACE)
		cut(filter);
	else if (special ? key == KEY_ENTER : key == '\r' || key == '\n')
		board->mode = BOARD_LOOK;
	else if (special)
		return;
	else if (key == '\b' || key == DELETE)
		cut(filter);
	else if (key == ESCAPE)
		memcpy(filter, board->filter, sizeof(board->filter));
	else
		append(filter, sizeof(board->filter), (wchar_t)key);
	if (!special && key == ESCAPE)
		board->mode = BOARD_LOOK;
	arrange(board);
}

static enum board_act special_key(struct board *board, unsigned int key)
{
	size_t page = board->room > 1 ? board->room - 1 : 1;

	switch (key) {
	case KEY_UP:
	case KEY_DOWN:
		move_rows(board, key == KEY_DOWN, 1);
		break;
	case KEY_PPAGE:
	case KEY_NPAGE:
		move_rows(board, key == KEY_NPAGE, page);
		break;
	case KEY_HOME:
	case KEY_END:
		move_rows(board, key == KEY_END, count_of(board));
		break;
	case KEY_LEFT:
	case KEY_RIGHT:
		move_sideways(board, key == KEY_RIGHT);
		break;
	case KEY_F(1):
		board->mode = BOARD_HELP;
		break;
	case KEY_ENTER:
		return open_chosen(board);
	default:
		break;
	}
	return BOARD_STAYS;
}

/* The keys that do the same as another one. */
static unsigned int same_as(unsigned int key)
{
	static const struct {
		char key;
		unsigned short special;
	} keys[] = {
		{'k', KEY_UP},    {'j', KEY_DOWN},   {'h', KEY_LEFT},   {'l', KEY_RIGHT},
		{' ', KEY_NPAGE}, {'b', KEY_PPAGE},  {'g', KEY_HOME},   {'G', KEY_END},
		{'?', KEY_F(1)},  {'\r', KEY_ENTER}, {'\n', KEY_ENTER},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if ((unsigned int)keys[i].key == key)
			return keys[i].special;
	return 0;
}

static enum board_act look_key(struct board *board, unsigned int key)
{
	struct order *order = &board->view->order;

	switch (key) {
	case 'q':
	case 'Q':
		return BOARD_ENDS;
	case 's':
	case 'S':
		sort_by_another(board, key == 's');
		break;
	case 'r':
		order->descending = !order->descending;
		arrange(board);
		break;
	case 'w':
		board->whole = !board->whole && !is_overview(board);
		board->top = board->left = 0;
		break;
	case '/':
		begin_filter(board);
		break;
	case ESCAPE:
		order->filter[0] = '\0';
		arrange(board);
		break;
	case 'i':
		return overview_or_back(board);
	default:
		return special_key(board, same_as(key));
	}
	return BOARD_STAYS;
}

enum board_act board_key(struct board *board, unsigned int key, bool special)
{
	if (board->mode == BOARD_HELP) {
		board->mode = BOARD_LOOK;
		return BOARD_STAYS;
	}
	if (board->mode == BOARD_FILTER) {
		filter_key(board, key, special);
		return BOARD_STAYS;
	}
	return special ? special_key(board, key) : look_key(board, key);
}
