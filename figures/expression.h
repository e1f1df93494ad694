/* SPDX-License-Identifier: Apache-2.0 */
/* expression.h - arithmetic on published and measured values, as column "model" of a table has it
 *
 *   expression   sums, differences, products, quotients, ( ), numbers
 *   [ROW]        the first number of column "value" of a row; [ROW N] its Nth number
 *   {RUN WHAT}   a result of a run of the scenario RUN: metric.h
 *   name(a, ...) abs, ceil, floor, max, min, round, or a closed form: analytic.h
 */
#ifndef FIGURES_EXPRESSION_H
#define FIGURES_EXPRESSION_H

#include <stddef.h>

/* Kinds of sources that an expression names. */
enum {
	EXPRESSION_ROW = 1,
	EXPRESSION_RUN = 2,
	EXPRESSION_CLOSED = 4,
	EXPRESSION_REPLAY = 8,
};

enum { EXPRESSION_WHY = 160, EXPRESSION_DEPTH = 32 };

/* Sources of values. Each returns 0, or a negative errno with @why filled. */
struct expression_source {
	int (*row)(void *context, const char *id, unsigned int nr, double *value,
		   char why[EXPRESSION_WHY]);
	int (*run)(void *context, const char *scenario, const char *what, double *value,
		   char why[EXPRESSION_WHY]);
	void *context;
};

/*
 * Evaluate the @len characters at @text. @kinds gets bits or-ed in. Return: 0; -EINVAL (no
 * expression), -EDOM (not a finite number), or the source's error, with @why filled.
 */
int expression_value(const char *text, size_t len, const struct expression_source *source,
		     double *value, unsigned int *kinds, char why[EXPRESSION_WHY]);

#endif
