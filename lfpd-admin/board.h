/* SPDX-License-Identifier: Apache-2.0 */
/* board.h - what the screen of --watch shows, and what its keys do */
#ifndef LFPD_ADMIN_BOARD_H
#define LFPD_ADMIN_BOARD_H

#include <stdbool.h>
#include <stddef.h>

#include "lfpd-admin/layout.h"
#include "lfpd-admin/view.h"

/*
 * BOARD_LOOK	keys move, sort, switch
 * BOARD_FILTER	keys are the filter's text, which is in force as it is typed
 * BOARD_HELP	the next key of any kind ends it
 */
enum board_mode { BOARD_LOOK, BOARD_FILTER, BOARD_HELP };

/* Effect of a key, beside a new picture. */
enum board_act {
	BOARD_STAYS,
	BOARD_ASKS, /* another view: a look is due now */
	BOARD_ENDS,
};

struct board {
	struct view *view;
	const struct view_kind *kind;
	const struct view_kind *inside; /* of one instance, from which the overview was chosen */
	char name[9];                   /* of the instance chosen in the overview */
	enum board_mode mode;
	struct page page;
	struct rows shown; /* of page.rows, those with the filter, in order; it has cells alone */
	struct ask_error error;
	bool failed; /* @error stands for the page */
	bool whole;  /* each row is shown whole, in several lines, in the place of a table */

	size_t top;    /* number of the row, or line of text, that is shown first */
	size_t left;   /* columns of the table, or of text, that are left of the screen */
	size_t chosen; /* row of the overview */
	size_t room;   /* rows, or lines, that the screen has shown */
	size_t lines;  /* of the text */
	struct layout layout;
	char filter[sizeof(((struct order *)NULL)->filter)]; /* before BOARD_FILTER */
};

void board_init(struct board *board, struct view *view, const struct view_kind *kind);
void board_finish(struct board *board);

/* Asks for a new page, or for the reason why there is none. */
void board_look(struct board *board);

/* Acts on a key. @special: it is one of ncurses' KEY_*, else a character. */
enum board_act board_key(struct board *board, unsigned int key, bool special);

enum board_style { STYLE_PLAIN, STYLE_TITLE, STYLE_CHOSEN, STYLE_BAR };

/* Makes the picture, line by line. @put is called for each line but empty ones. */
void board_paint(struct board *board, size_t rows, size_t columns,
		 void (*put)(void *to, size_t row, const char *text, enum board_style style),
		 void *to);

#endif
