/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - judging rows */
#include "figures/check.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "figures/metric.h"

static int row_value(void *context, const char *id, unsigned int nr, double *value,
		     char why[EXPRESSION_WHY])
{
	const struct check *check = context;
	const struct check_row *row = check_table_find(check->table, id);

	if (!row) {
		snprintf(why, EXPRESSION_WHY, "unknown row %.40s", id);
		return -ENOENT;
	}
	if (check_number(row->cell[CHECK_VALUE], nr, value) == 0)
		return 0;
	snprintf(why, EXPRESSION_WHY, "row %s has no number %u in its value", id, nr);
	return -ENOENT;
}

static int run_value(void *context, const char *scenario, const char *what, double *value,
		     char why[EXPRESSION_WHY])
{
	struct check *check = context;

	return check_runs_value(&check->runs, scenario, what, value, why);
}

static bool limit_of(const struct check_row *row, const char *name, struct check_limit *limit)
{
	const char *at = row->cell[CHECK_LIMITS];

	while (check_limit_next(&at, limit) > 0)
		if (!strcmp(limit->name, name))
			return true;
	memset(limit, 0, sizeof(*limit));
	snprintf(limit->name, sizeof(limit->name), "%s", name);
	limit->bound = CHECK_SHOWN;
	limit->value = NAN;
	return false;
}

/* The next "name=expression" of @at. Return: 1, 0 at the end, -EINVAL. */
static int next_model(const char **at, char name[24], const char **expression, size_t *len)
{
	const char *next = *at + strspn(*at, "; ");
	const size_t named = strcspn(next, "=");

	if (!*next)
		return 0;
	if (next[named] != '=' || named == 0 || named >= 24)
		return -EINVAL;
	memcpy(name, next, named);
	name[named] = '\0';
	*expression = next + named + 1;
	*len = strcspn(*expression, ";");
	*at = *expression + *len;
	return 1;
}

/* Every value of the model; true if each is within its limit and each limit has been judged. */
static bool judge_items(struct check *check, const char *model, struct check_result *result)
{
	const struct expression_source source = {row_value, run_value, check};
	const char *expression, *limits = result->row->cell[CHECK_LIMITS];
	unsigned int wanted = 0, judged = 0;
	struct check_limit limit;
	bool holds = true;
	char name[24];
	size_t len;
	int rc;

	while (check_limit_next(&limits, &limit) > 0)
		wanted += limit.bound != CHECK_SHOWN;
	while ((rc = next_model(&model, name, &expression, &len)) > 0) {
		struct check_item *item = &result->item[result->items];

		if (result->items == CHECK_ITEMS) {
			snprintf(result->why, sizeof(result->why), "there are more than %d values",
				 CHECK_ITEMS);
			return false;
		}
		if (limit_of(result->row, name, &item->limit) && item->limit.bound != CHECK_SHOWN)
			judged++;
		if (expression_value(expression, len, &source, &item->model, &result->kinds,
				     result->why) < 0)
			return false;
		item->holds = check_limit_holds(&item->limit, item->model);
		holds = holds && item->holds;
		result->items++;
	}
	if (rc < 0)
		snprintf(result->why, sizeof(result->why), "'%.80s' is not name=expression", model);
	else if (judged != wanted || (!wanted && strcmp(result->row->cell[CHECK_CLASS], "X")))
		snprintf(result->why, sizeof(result->why), "%u limits, but %u values judged",
			 wanted, judged);
	return holds && !result->why[0];
}

/* What lfp-workload has measured of a row, beside the verdict about the model. */
static void judge_measured(const struct measured *measured, struct check_result *result)
{
	const char *id = result->row->cell[CHECK_ID];
	const struct measured_row *row = measured_next(measured, NULL, id);
	bool same = false;

	result->measured = row;
	for (; row; row = measured_next(measured, row, id)) {
		same = same || row->judged == MEASURED_SAME;
		if (row->judged != MEASURED_DIFFERENT || result->verdict == CHECK_CANNOT)
			continue;
		result->verdict = CHECK_FAILED;
		snprintf(result->why, sizeof(result->why), "measured %.60s, not %.60s",
			 row->cell[MEASURED_HERE], row->cell[MEASURED_PUBLISHED]);
		return;
	}
	if (result->verdict == CHECK_SKIPPED && same) {
		result->verdict = CHECK_PASSED;
		result->by_run = true;
	}
}

static void judge_model(struct check *check, const struct check_row *row,
			struct check_result *result)
{
	const bool closed = check->closed && strcmp(row->cell[CHECK_CLOSED], "-");
	const char *model = row->cell[closed ? CHECK_CLOSED : CHECK_MODEL];
	bool holds;

	if (!strcmp(model, "-")) {
		result->verdict =
			strcmp(row->cell[CHECK_CLASS], "X") ? CHECK_SKIPPED : CHECK_CANNOT;
		return;
	}
	holds = judge_items(check, model, result);
	if (result->why[0])
		result->verdict = CHECK_FAILED;
	else if (!strcmp(row->cell[CHECK_CLASS], "X"))
		result->verdict = CHECK_CANNOT;
	else
		result->verdict = holds ? CHECK_PASSED : CHECK_FAILED;
}

void check_judge(struct check *check, const struct check_row *row, struct check_result *result)
{
	memset(result, 0, sizeof(*result));
	result->row = row;
	judge_model(check, row, result);
	if (check->measured)
		judge_measured(check->measured, result);
}

const char *check_how(const struct check_result *result)
{
	const char *class = result->row->cell[CHECK_CLASS];
	const bool output = !strcmp(class, "C") || !strcmp(class, "D");

	if (!strcmp(class, "X"))
		return "contradiction";
	if (!result->items)
		return result->by_run ? "run" : "-";
	switch (result->kinds & ~(unsigned int)EXPRESSION_ROW) {
	case 0:
		return "arithmetic";
	case EXPRESSION_RUN:
		return output ? "output" : "events";
	case EXPRESSION_CLOSED:
		return "closed form";
	case EXPRESSION_RUN | EXPRESSION_CLOSED:
		return "events, closed form";
	case EXPRESSION_REPLAY:
		return strcmp(class, "F") ? "replay" : "fit";
	}
	return "mixed";
}

const char *check_verdict_name(enum check_verdict verdict)
{
	static const char *const names[CHECK_VERDICTS] = {
		[CHECK_PASSED] = "passed",
		[CHECK_FAILED] = "FAILED",
		[CHECK_SKIPPED] = "skipped",
		[CHECK_CANNOT] = "cannot hold",
	};

	return names[verdict];
}

void check_count(struct check_counts *counts, const struct check_result *result)
{
	counts->verdict[result->verdict]++;
	if (result->verdict == CHECK_PASSED && (result->kinds & EXPRESSION_REPLAY))
		counts->replays++;
	counts->runs += result->by_run;
}
