/* SPDX-License-Identifier: Apache-2.0 */
/* figure.h - figures of the FICON paper that have numbers, each point from a run */
#ifndef DEVEMU_PLOT_FIGURE_H
#define DEVEMU_PLOT_FIGURE_H

#include "devemu/plot/chart.h"

/* "iops", "mbs", "mix", "response", "distance"; NULL after the last. */
const char *figure_name(unsigned int nr);
const char *figure_about(unsigned int nr);

/* Run what the figure wants, a scenario a point, and fill @chart from the counters. Return: 0,
 * -ENOENT (there is no such figure), or what a run gave. */
int figure_make(const char *name, struct chart *chart);

#endif
