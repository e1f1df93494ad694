/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c - looks at the statistics of an instance, and rates between two of them */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/admin.h"
#include "lfpd-admin/view.h"

enum { NAME, KIND, VALUE, COLUMNS };

static int look(const struct view *view, struct sample *sample, struct ask_error *error)
{
	char *answer, text[32];
	int rc = ask(view->name, "statistics", &answer, error);

	if (rc)
		return rc;
	if (lfp_admin_value(answer, "time_us", text, sizeof(text)))
		text[0] = '\0';
	sample->time_us = strtoull(text, NULL, 10);
	rc = rows_parse(answer, &sample->rows);
	ask_forget(answer);
	if (!rc && (sample->rows.columns < COLUMNS || !sample->rows.column[VALUE].number)) {
		rows_finish(&sample->rows);
		rc = -EPROTO;
	}
	sample->there = !rc;
	return rc ? view_fail(view, rc, error) : 0;
}

static void forget(struct sample *sample)
{
	if (sample->there)
		rows_finish(&sample->rows);
	sample->there = false;
}

int sample_take(struct view *view, struct ask_error *error)
{
	if (!view->now.there && view->settle > 0) {
		if (look(view, &view->now, error))
			return -1;
		view_settle(view);
	}
	forget(&view->before);
	view->before = view->now;
	view->now.there = false;
	return look(view, &view->now, error);
}

void sample_forget(struct view *view)
{
	forget(&view->before);
	forget(&view->now);
}

static const char *find(const struct sample *sample, const char *name, const char **kind)
{
	for (size_t i = 0; sample->there && i < sample->rows.nr; i++) {
		if (strcmp(rows_cell(&sample->rows, i, NAME), name) != 0)
			continue;
		*kind = rows_cell(&sample->rows, i, KIND);
		return rows_cell(&sample->rows, i, VALUE);
	}
	return "";
}

const char *sample_value(const struct view *view, const char *name)
{
	const char *kind;

	return find(&view->now, name, &kind);
}

const char *sample_kind(const struct view *view, const char *name)
{
	const char *kind = "";

	(void)find(&view->now, name, &kind);
	return kind;
}

double sample_rate(const struct view *view, const char *name)
{
	const char *kind = "", *now = find(&view->now, name, &kind);
	const char *before = find(&view->before, name, &kind);
	double seconds, grown;

	if (!*now || !*before || strcmp(kind, "counter") != 0 ||
	    view->now.time_us <= view->before.time_us)
		return -1;
	seconds = (double)(view->now.time_us - view->before.time_us) / 1e6;
	grown = strtod(now, NULL) - strtod(before, NULL);
	/* A counter that falls belongs to an instance that was started again. */
	return grown < 0 ? -1 : grown / seconds;
}
