/* SPDX-License-Identifier: Apache-2.0 */
/* metric.h - one number out of a run */
#ifndef DEVEMU_CHECK_METRIC_H
#define DEVEMU_CHECK_METRIC_H

#include "devemu/check/runs.h"

/* @what as runs.h has it. Return: 0, or a negative errno with @why filled. */
int check_metric(struct check_run *run, const char *what, double *value, char why[EXPRESSION_WHY]);

/* Those that are read back from what is printed; @word and what follows it are the parts of @what
 * between blanks. In printed.c. */
int check_printed(struct check_run *run, char *const word[4], unsigned int words, double *value,
		  char why[EXPRESSION_WHY]);
int check_displayed(struct check_run *run, const char *text, double *value,
		    char why[EXPRESSION_WHY]);

#endif
