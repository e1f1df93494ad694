/* SPDX-License-Identifier: Apache-2.0 */
/* metric.h - one number out of a run */
#ifndef FIGURES_METRIC_H
#define FIGURES_METRIC_H

#include "figures/runs.h"

/*
 * @what of the run of a scenario, which is run now if that has not been done:
 *
 *   rate [LOAD]              I/Os a second of one load or all
 *   resp [LOAD]              microseconds, mean of all I/Os
 *   mb [LOAD]                MB/s
 *   ius_out CHPID            information units for each I/O to the control unit; ius_in: from it
 *   frame LINK               mean bytes of a frame from the control unit
 *   frames LINK              frames with data a second from the control unit
 *   channel ID COLUMN        a value of a report, read back from what is printed as CSV: of a
 *                            channel path,
 *   device ID COLUMN         or of a device (not of the logical control units between them),
 *   sync ID COLUMN           or of its synchronous I/O
 *   hex channel ID COLUMN    the same with a value in hexadecimal
 *   count REPORT COLUMN TEXT rows of a report with TEXT in a column
 *   lines TEXT               lines of the displays that contain TEXT
 *   builds                   1, or 0 if the scenario is refused
 *
 * Return: 0, or a negative errno with @why filled.
 */
int check_runs_value(struct check_runs *runs, const char *scenario, const char *what, double *value,
		     char why[EXPRESSION_WHY]);

/* Those that are read back from what is printed; @word and what follows it are the parts of @what
 * between blanks. In printed.c. */
int check_printed(struct check_run *run, char *const word[4], unsigned int words, double *value,
		  char why[EXPRESSION_WHY]);
int check_displayed(struct check_run *run, const char *text, double *value,
		    char why[EXPRESSION_WHY]);

#endif
