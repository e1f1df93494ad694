/* SPDX-License-Identifier: Apache-2.0 */
/* chart.c - charts as SVG */
#include "devemu/plot/chart.h"

enum { WIDTH = 860, HEIGHT = 520, LEFT = 90, RIGHT = 30, TOP = 70, BOTTOM = 90, TICKS = 6 };

static const char *const colours[CHART_SERIES] = {"#1f5fa8", "#c2571a", "#3b8a3b", "#7a4b94"};

/* From the values of the chart to the picture. */
struct scale {
	double x_max, y_max, x_step, y_step;
};

void chart_add(struct chart *chart, double x, double y)
{
	struct chart_series *series;

	if (!chart->series)
		return;
	series = &chart->serie[chart->series - 1];
	if (series->points == CHART_POINTS)
		return;
	series->point[series->points].x = x;
	series->point[series->points++].y = y;
}

static void text(FILE *out, const char *from)
{
	for (; *from; from++) {
		if (*from == '&')
			fputs("&amp;", out);
		else if (*from == '<')
			fputs("&lt;", out);
		else if (*from == '>')
			fputs("&gt;", out);
		else
			fputc(*from, out);
	}
}

static void label(FILE *out, double x, double y, const char *attributes, const char *from)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
	text(out, from);
	fputs("</text>\n", out);
}

/* 1, 2 or 5 times a power of ten, the least of which TICKS reach @max. */
static double step_for(double max)
{
	double power = 1;

	while (power * TICKS >= max)
		power /= 10;
	while (power * 10 * TICKS < max)
		power *= 10;
	if (power * TICKS >= max)
		return power;
	if (power * 2 * TICKS >= max)
		return power * 2;
	return power * 5 * TICKS >= max ? power * 5 : power * 10;
}

/* The first multiple of @step that is not less than @max. */
static double end_of(double max, double step)
{
	double end = step;

	while (end < max)
		end += step;
	return end;
}

static struct scale scale_of(const struct chart *chart)
{
	struct scale scale = {0, 0, 1, 1};

	for (unsigned int s = 0; s < chart->series; s++)
		for (unsigned int p = 0; p < chart->serie[s].points; p++) {
			if (chart->serie[s].point[p].x > scale.x_max)
				scale.x_max = chart->serie[s].point[p].x;
			if (chart->serie[s].point[p].y > scale.y_max)
				scale.y_max = chart->serie[s].point[p].y;
		}
	for (unsigned int p = 0; p < chart->publishes; p++) {
		if (chart->kind == CHART_LINES && chart->published[p].x > scale.x_max)
			scale.x_max = chart->published[p].x;
		if (chart->published[p].y > scale.y_max)
			scale.y_max = chart->published[p].y;
	}
	if (scale.x_max <= 0)
		scale.x_max = 1;
	if (scale.y_max <= 0)
		scale.y_max = 1;
	scale.x_step = step_for(scale.x_max);
	scale.y_step = step_for(scale.y_max);
	scale.x_max = end_of(scale.x_max, scale.x_step);
	scale.y_max = end_of(scale.y_max, scale.y_step);
	return scale;
}

static double at_x(const struct scale *scale, double x)
{
	return LEFT + x / scale->x_max * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct scale *scale, double y)
{
	return HEIGHT - BOTTOM - y / scale->y_max * (HEIGHT - TOP - BOTTOM);
}

static void value_text(char *result, size_t size, double value)
{
	snprintf(result, size, "%.*f", value >= 1000 || value - (double)(long)value < 0.001 ? 0 : 1,
		 value);
}

static void axes(const struct chart *chart, const struct scale *scale, FILE *out)
{
	char value[32];

	for (int i = 0; i * scale->y_step <= scale->y_max * 1.0001; i++) {
		const double y = at_y(scale, i * scale->y_step);

		fprintf(out,
			"<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ccc\"/>\n",
			LEFT, y, WIDTH - RIGHT, y);
		value_text(value, sizeof(value), i * scale->y_step);
		label(out, LEFT - 8, y + 4, "text-anchor=\"end\"", value);
	}
	if (chart->kind == CHART_LINES)
		for (int i = 0; i * scale->x_step <= scale->x_max * 1.0001; i++) {
			value_text(value, sizeof(value), i * scale->x_step);
			label(out, at_x(scale, i * scale->x_step), HEIGHT - BOTTOM + 18,
			      "text-anchor=\"middle\"", value);
		}
	fprintf(out, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#222\"/>\n", LEFT, TOP,
		HEIGHT - BOTTOM, WIDTH - RIGHT);
	label(out, (LEFT + WIDTH - RIGHT) / 2., HEIGHT - BOTTOM + 40, "text-anchor=\"middle\"",
	      chart->x_label);
	fprintf(out, "<g transform=\"translate(20 %d) rotate(-90)\">", (TOP + HEIGHT - BOTTOM) / 2);
	label(out, 0, 0, "text-anchor=\"middle\"", chart->y_label);
	fputs("</g>\n", out);
}

static void bars(const struct chart *chart, const struct scale *scale, FILE *out)
{
	const double group = (double)(WIDTH - LEFT - RIGHT) / chart->categories;
	const double width = group * 0.8 / chart->series;

	for (unsigned int c = 0; c < chart->categories; c++) {
		label(out, LEFT + group * (c + 0.5), HEIGHT - BOTTOM + 18, "text-anchor=\"middle\"",
		      chart->category[c]);
		for (unsigned int s = 0; s < chart->series; s++) {
			const double y = chart->serie[s].point[c].y;
			const double x = LEFT + group * (c + 0.1) + s * width;
			char value[32];

			if (c >= chart->serie[s].points)
				continue;
			fprintf(out,
				"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
				"fill=\"%s\"/>\n",
				x, at_y(scale, y), width * 0.95, HEIGHT - BOTTOM - at_y(scale, y),
				colours[s]);
			value_text(value, sizeof(value), y);
			label(out, x + width / 2, at_y(scale, y) - 4,
			      "text-anchor=\"middle\" font-size=\"10\"", value);
		}
	}
}

static void lines(const struct chart *chart, const struct scale *scale, FILE *out)
{
	for (unsigned int s = 0; s < chart->series; s++) {
		const struct chart_series *series = &chart->serie[s];

		fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"",
			colours[s]);
		for (unsigned int p = 0; p < series->points; p++)
			fprintf(out, "%s%.1f,%.1f", p ? " " : "", at_x(scale, series->point[p].x),
				at_y(scale, series->point[p].y));
		fputs("\"/>\n", out);
		for (unsigned int p = 0; p < series->points; p++)
			fprintf(out,
				"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%g: "
				"%g</title></circle>\n",
				at_x(scale, series->point[p].x), at_y(scale, series->point[p].y),
				colours[s], series->point[p].x, series->point[p].y);
	}
}

static void diamond(double x, double y, const char *colour, FILE *out)
{
	fprintf(out,
		"<path class=\"published\" d=\"M%.1f %.1fl7 7l-7 7l-7 -7z\" fill=\"white\" stroke=\"%s\" "
		"stroke-width=\"2\">",
		x, y - 7, colour);
}

/* Hollow, in the colour of the series: on its bar, or at its place. */
static void published(const struct chart *chart, const struct scale *scale, FILE *out)
{
	const double group =
		(double)(WIDTH - LEFT - RIGHT) / (chart->categories ? chart->categories : 1);

	for (unsigned int p = 0; p < chart->publishes; p++) {
		const struct chart_published *point = &chart->published[p];
		const double width = group * 0.8 / chart->series;
		const double x = chart->kind == CHART_LINES ? at_x(scale, point->x)
							    : LEFT + group * (point->x + 0.1) +
								      (point->serie + 0.5) * width;

		diamond(x, at_y(scale, point->y), colours[point->serie], out);
		fprintf(out, "<title>published: %g (", point->y);
		text(out, point->origin);
		fputs(")</title></path>\n", out);
	}
	if (chart->publishes) {
		const double x = LEFT + 3 * ((double)(WIDTH - LEFT - RIGHT) / CHART_SERIES);

		diamond(x + 6, 50, "#222", out);
		fputs("</path>\n", out);
		label(out, x + 18, 54, "", "published");
	}
}

static void legend(const struct chart *chart, FILE *out)
{
	for (unsigned int s = 0; s < chart->series; s++) {
		const double x = LEFT + s * ((double)(WIDTH - LEFT - RIGHT) / CHART_SERIES);

		fprintf(out, "<rect x=\"%.1f\" y=\"44\" width=\"12\" height=\"12\" fill=\"%s\"/>\n",
			x, colours[s]);
		label(out, x + 18, 54, "", chart->serie[s].name);
	}
}

void chart_svg(const struct chart *chart, FILE *out)
{
	const struct scale scale = scale_of(chart);

	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
	label(out, LEFT, 28, "font-size=\"16\" font-weight=\"bold\"", chart->title);
	legend(chart, out);
	axes(chart, &scale, out);
	if (chart->kind == CHART_BARS)
		bars(chart, &scale, out);
	else
		lines(chart, &scale, out);
	published(chart, &scale, out);
	label(out, LEFT, HEIGHT - 12, "font-size=\"11\" fill=\"#555\"", chart->note);
	fputs("</svg>\n", out);
}
