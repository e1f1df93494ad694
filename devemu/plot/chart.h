/* SPDX-License-Identifier: Apache-2.0 */
/* chart.h - bars or lines as an SVG picture, and the figures of the FICON paper as such charts */
#ifndef DEVEMU_PLOT_CHART_H
#define DEVEMU_PLOT_CHART_H

#include <stdio.h>

enum { CHART_SERIES = 4, CHART_POINTS = 32, CHART_TEXT = 96 };

enum chart_kind { CHART_BARS, CHART_LINES };

struct chart_series {
	char name[CHART_TEXT];
	unsigned int points;
	struct {
		double x, y;
	} point[CHART_POINTS];
};

/* A published value of a series; with bars, x is the number of the category. */
struct chart_published {
	unsigned int serie;
	double x, y;
	char origin[32];
};

/* Nothing in it is less than 0. Bars: each series has as many points as there are categories, and x
 * does not count. */
struct chart {
	enum chart_kind kind;
	char title[CHART_TEXT], note[CHART_TEXT], x_label[CHART_TEXT], y_label[CHART_TEXT];
	unsigned int categories;
	char category[CHART_POINTS][16];
	unsigned int series;
	struct chart_series serie[CHART_SERIES];
	unsigned int publishes;
	struct chart_published published[CHART_POINTS];
};

/* Add to the last series; beyond CHART_POINTS nothing is added. */
void chart_add(struct chart *chart, double x, double y);

/* SVG 1.1, complete in itself: no scripts, no fonts or files of others. */
void chart_svg(const struct chart *chart, FILE *out);

/* "iops", "mbs", "mix", "response", "distance"; NULL after the last. */
const char *figure_name(unsigned int nr);
const char *figure_about(unsigned int nr);

/* Runs a scenario for each point of the figure and fills @chart from the counters. Return: 0,
 * -ENOENT (unknown figure), or the error of a run. */
int figure_make(const char *name, struct chart *chart);

#endif
