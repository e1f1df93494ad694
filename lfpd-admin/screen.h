/* SPDX-License-Identifier: Apache-2.0 */
/* screen.h - a terminal that the program has for itself, by ncurses */
#ifndef LFPD_ADMIN_SCREEN_H
#define LFPD_ADMIN_SCREEN_H

#include <stdbool.h>

#include "lfpd-admin/board.h"

/* Returns false if standard output is no terminal that can be used as a screen. */
bool screen_open(void);

/* Leaves the terminal as it was. */
void screen_close(void);

/* The same in a handler of signals, while no other function of this file runs. Memory stays. */
void screen_leave(void);

/* Takes a new size of the terminal. */
void screen_measure(void);

void screen_draw(struct board *board);

/* Takes a key that was typed. Returns false if there is none. */
bool screen_key(unsigned int *key, bool *special);

#endif
