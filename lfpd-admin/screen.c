/* SPDX-License-Identifier: Apache-2.0 */
/* screen.c - a terminal that the program has for itself, by ncurses */
#define NCURSES_WIDECHAR 1
#include "lfpd-admin/screen.h"

#include <ncurses.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <term.h> /* its macros have the names of many things */

#define ESCAPE_MS 50 /* the bytes of a key that sends several come within it */

static SCREEN *screen;

/* Returns whether the terminal is known, and can move its cursor. newterm() keeps memory if not. */
static bool can_be_screen(void)
{
	int known;
	bool can;

	if (!isatty(STDOUT_FILENO) || setupterm(NULL, STDOUT_FILENO, &known) != OK || known != 1)
		return false;
	can = cursor_address != NULL;
	del_curterm(cur_term);
	return can;
}

bool screen_open(void)
{
	if (!can_be_screen())
		return false;
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	return true;
}

void screen_close(void)
{
	endwin();
	delscreen(screen);
	screen = NULL;
}

void screen_leave(void)
{
	if (screen)
		endwin();
}

void screen_measure(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
}

/* @to is not used: there is one screen. */
static void put(void *to, size_t row, const char *text, enum board_style style)
{
	static const attr_t attributes[] = {
		[STYLE_PLAIN] = A_NORMAL,
		[STYLE_TITLE] = A_BOLD,
		[STYLE_CHOSEN] = A_REVERSE,
		[STYLE_BAR] = A_REVERSE,
	};

	(void)to;
	attrset((int)attributes[style]);
	mvaddstr((int)row, 0, text);
	attrset((int)A_NORMAL);
}

void screen_draw(struct board *board)
{
	erase();
	board_paint(board, (size_t)LINES, (size_t)COLS, put, NULL);
	refresh();
}

bool screen_key(unsigned int *key, bool *special)
{
	wint_t wide;
	int rc = get_wch(&wide);

	*key = wide;
	*special = rc == KEY_CODE_YES;
	return rc != ERR;
}
