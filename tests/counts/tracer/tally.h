/* SPDX-License-Identifier: Apache-2.0 */
/* tally.h - counts of system calls and wake-ups, by group of processes and window */
#ifndef TESTS_COUNTS_TRACER_TALLY_H
#define TESTS_COUNTS_TRACER_TALLY_H

/* One more call of number @nr; calls without a name in the table are counted together. */
void tally_call(int group, unsigned long nr);

/* One more call that had to wait. */
void tally_wake_up(int group);

/* A window ends and the next begins. The first call begins the first window. */
void tally_window(void);

/*
 * Prints "GROUP TAB CALL TAB MEDIAN TAB LEAST TAB MOST" of all windows for each call with a median
 * above 0. Returns the number of windows.
 */
int tally_print(void);

#endif
