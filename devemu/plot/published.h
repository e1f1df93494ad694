/* SPDX-License-Identifier: Apache-2.0 */
/* published.h - published values, which stand in a figure beside those of its runs */
#ifndef DEVEMU_PLOT_PUBLISHED_H
#define DEVEMU_PLOT_PUBLISHED_H

#include <stdio.h>

#include "devemu/plot/chart.h"

/*
 * Adds to @chart the points of @figure from @in. A line has five words, between tabs: a figure, a
 * series of it, x (in figures of bars a category), y, and the origin of the value. Lines that begin
 * with "#" are comments.
 *
 * Returns the number of points. -EINVAL: line *@line is wrong, and *@why has the reason; -EIO.
 */
int published_read(struct chart *chart, const char *figure, FILE *in, unsigned int *line,
		   const char **why);

#endif
