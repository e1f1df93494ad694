/* SPDX-License-Identifier: Apache-2.0 */
/* test-plot.c - figures: their points come from runs, their pictures are complete */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/plot/chart.h"
#include "devemu/plot/published.h"

static struct chart chart;

static char *picture(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	chart_svg(&chart, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t found = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		found++;
	return found;
}

static double y(unsigned int serie, unsigned int point)
{
	assert_in_range(serie, 0, chart.series - 1);
	assert_in_range(point, 0, chart.serie[serie].points - 1);
	return chart.serie[serie].point[point].y;
}

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance * expected))
		fail_msg("%g is not within %g %% of %g", value, 100 * tolerance, expected);
}

static void make(const char *name)
{
	assert_int_equal(figure_make(name, &chart), 0);
}

static void points_are_where_the_paper_has_them(void **state)
{
	(void)state;
	make("iops");
	near(y(1, 0), 302000, 0.01);
	near(y(1, 0) / y(0, 0), 12, 0.04);
	near(y(1, 1) / y(0, 1), 12, 0.02);
	make("mbs");
	near(y(1, 0), 1200, 0.04);
	near(y(0, 0), 100, 0.04);
	assert_true(y(0, 4) > 700 && y(0, 4) < 900);
	assert_true(y(1, 4) > 5800 && y(1, 4) < 6200);
	make("mix");
	near(y(0, 5), 160000, 0.03);
	near(y(0, 9), 280000, 0.03);
	assert_true(y(1, 5) < y(0, 5) / 2);
	make("distance");
	near(y(2, 11), 3200, 0.01); /* 1690 credits at 100 km */
	near(y(0, 1), 3200, 0.01);  /* 90 at 5 km */
	assert_true(y(0, 2) < 2000);
	make("response");
	assert_true(y(0, 0) - y(1, 0) > 85 && y(0, 0) - y(1, 0) < 170);
	assert_true(y(0, 8) > 2 * y(0, 4)); /* beyond the knee */
	assert_int_equal(figure_make("none", &chart), -ENOENT);
}

static void bars_and_lines_are_all_drawn(void **state)
{
	char *text;

	(void)state;
	memset(&chart, 0, sizeof(chart));
	chart.kind = CHART_BARS;
	strcpy(chart.title, "a < b & c > d");
	chart.categories = 3;
	chart.series = 2;
	for (int s = 0; s < 2; s++)
		for (unsigned int c = 0; c < 3; c++) {
			chart.serie[s].point[c].y = 10 * c;
			chart.serie[s].points++;
		}
	text = picture();
	assert_non_null(strstr(text, "a &lt; b &amp; c &gt; d"));
	/* The ground, two of the legend, six bars */
	assert_int_equal(count(text, "<rect "), 9);
	assert_int_equal(count(text, "<text "), count(text, "</text>"));
	assert_int_equal(strcmp(text + strlen(text) - 7, "</svg>\n"), 0);
	free(text);

	chart.kind = CHART_LINES;
	chart.series = 1;
	chart.serie[0].points = 0;
	for (int i = 0; i < 100; i++)
		chart_add(&chart, i, i * 1e6);
	assert_int_equal(chart.serie[0].points, CHART_POINTS);
	text = picture();
	assert_int_equal(count(text, "<polyline "), 1);
	assert_int_equal(count(text, "<circle "), CHART_POINTS);
	assert_null(strstr(text, "nan"));
	free(text);
}

static int add(const char *figure, const char *text, const char **why)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	unsigned int line;
	int rc;

	assert_non_null(in);
	rc = published_read(&chart, figure, in, &line, why);
	fclose(in);
	return rc == -EINVAL ? -(int)line : rc;
}

static void published_values_stand_beside_the_runs(void **state)
{
	const char *why;
	char *text;

	(void)state;
	memset(&chart, 0, sizeof(chart));
	chart.kind = CHART_LINES;
	chart.series = 1;
	strcpy(chart.serie[0].name, "a b");
	chart_add(&chart, 1, 1);
	assert_int_equal(add("f", "# c\n\nother\tz\t1\t1\tR\nf\ta b\t4\t8.5\tR<1\n", &why), 1);
	text = picture();
	assert_non_null(strstr(text, "published: 8.5 (R&lt;1)"));
	/* and one in the legend */
	assert_int_equal(count(text, "class=\"published\""), 2);
	assert_non_null(strstr(text, ">8</text>")); /* the axes reach them */
	free(text);
	assert_int_equal(add("f", "f\ta b\t1\t1\tR\nf\tz\t1\t1\tR\n", &why), -2);
	assert_string_equal(why, "the figure has no such series");
	assert_int_equal(add("f", "f\ta b\t1\t-1\tR\n", &why), -1);
	assert_string_equal(why, "y is no number");
	assert_int_equal(add("f", "f\ta b\tone\t1\tR\n", &why), -1);
	assert_int_equal(add("f", "f\ta b\t1\tnan\tR\n", &why), -1);
	assert_int_equal(add("f", "f\ta b\t1\t1\n", &why), -1);
	assert_int_equal(add("f", "f\ta b\t1\t1\tR\tmore\n", &why), -1);
	chart.kind = CHART_BARS;
	chart.categories = 1;
	strcpy(chart.category[0], "4K");
	assert_int_equal(add("f", "f\ta b\t4K\t1\tR\n", &why), 1);
	assert_int_equal(add("f", "f\ta b\t8K\t1\tR\n", &why), -1);
	assert_string_equal(why, "the figure has no such category");
	while (chart.publishes < CHART_POINTS)
		assert_int_equal(add("f", "f\ta b\t4K\t1\tR\n", &why), 1);
	assert_int_equal(add("f", "f\ta b\t4K\t1\tR\n", &why), -1);
}

static void nothing_can_be_drawn_too(void **state)
{
	char *text;

	(void)state;
	memset(&chart, 0, sizeof(chart));
	chart.kind = CHART_LINES;
	chart_add(&chart, 1, 1); /* no series: nothing */
	chart.series = 1;
	text = picture();
	assert_null(strstr(text, "nan"));
	assert_int_equal(count(text, "<circle "), 0);
	free(text);
	for (int i = 0; i < 3; i++)
		chart_add(&chart, 0, 0);
	text = picture();
	assert_null(strstr(text, "nan"));
	assert_int_equal(count(text, "<circle "), 3);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_where_the_paper_has_them),
		cmocka_unit_test(bars_and_lines_are_all_drawn),
		cmocka_unit_test(published_values_stand_beside_the_runs),
		cmocka_unit_test(nothing_can_be_drawn_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
