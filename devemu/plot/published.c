/* SPDX-License-Identifier: Apache-2.0 */
/* published.c - reads published values for a figure */
#include "devemu/plot/published.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIGURE, SERIES, X, Y, ORIGIN, WORDS };

static bool number(const char *word, double *value)
{
	char *end;

	*value = strtod(word, &end);
	return end != word && !*end && isfinite(*value) && *value >= 0;
}

/* Returns NULL, or the reason why the words are no point of @chart. */
static const char *add(struct chart *chart, char *const words[static WORDS])
{
	struct chart_published *point = &chart->published[chart->publishes];

	if (chart->publishes == CHART_POINTS)
		return "the figure has too many points";
	for (point->serie = 0; point->serie < chart->series; point->serie++)
		if (!strcmp(chart->serie[point->serie].name, words[SERIES]))
			break;
	if (point->serie == chart->series)
		return "the figure has no such series";
	if (chart->kind == CHART_BARS) {
		unsigned int c = 0;

		while (c < chart->categories && strcmp(chart->category[c], words[X]) != 0)
			c++;
		if (c == chart->categories)
			return "the figure has no such category";
		point->x = c;
	} else if (!number(words[X], &point->x)) {
		return "x is no number";
	}
	if (!number(words[Y], &point->y))
		return "y is no number";
	snprintf(point->origin, sizeof(point->origin), "%s", words[ORIGIN]);
	chart->publishes++;
	return NULL;
}

int published_read(struct chart *chart, const char *figure, FILE *in, unsigned int *line,
		   const char **why)
{
	char buf[512];
	const unsigned int before = chart->publishes;

	for (*line = 1; fgets(buf, sizeof(buf), in); (*line)++) {
		char *words[WORDS], *rest = buf;
		size_t count = 0;

		*why = "a line has five words, between tabs";
		if (!strchr(buf, '\n') && !feof(in))
			return -EINVAL;
		buf[strcspn(buf, "\n")] = '\0';
		if (*buf == '#' || !*buf)
			continue;
		while (count < WORDS && rest)
			words[count++] = strsep(&rest, "\t");
		if (count < WORDS || rest)
			return -EINVAL;
		if (strcmp(words[FIGURE], figure) != 0)
			continue;
		*why = add(chart, words);
		if (*why)
			return -EINVAL;
	}
	return ferror(in) ? -EIO : (int)(chart->publishes - before);
}
