/* SPDX-License-Identifier: Apache-2.0 */
/* test-figures.c - tables of figures: expressions, limits, verdicts, closed forms */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "figures/analytic.h"
#include "figures/check.h"
#include "figures/metric.h"

#define HEAD                                                                                       \
	"id\tseed\tquantity\tvalue\tunit\tconditions\ttolerance\tlimits\tclass\tmodel\tclosed\t"   \
	"note\n"

static struct check_table table;
static struct check check;

static void read_table(const char *text)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	char error[CHECK_ERROR] = "";

	assert_non_null(file);
	if (check_table_read(&table, "test", file, error) < 0)
		fail_msg("%s", error);
	fclose(file);
	memset(&check, 0, sizeof(check));
	check.table = &table;
	check.runs.folder = "zdev/scenarios";
}

static void done(void)
{
	check_runs_finish(&check.runs);
	check_table_finish(&table);
}

static struct check_result judge(const char *id)
{
	struct check_result result;

	check_judge(&check, check_table_find(&table, id), &result);
	return result;
}

static int source_row(void *context, const char *id, unsigned int nr, double *value,
		      char why[EXPRESSION_WHY])
{
	(void)context;
	(void)why;
	assert_string_equal(id, "A-1");
	*value = 10 * nr;
	return 0;
}

static int source_run(void *context, const char *scenario, const char *what, double *value,
		      char why[EXPRESSION_WHY])
{
	(void)context;
	if (strcmp(scenario, "here")) {
		strcpy(why, "not here");
		return -ENOENT;
	}
	*value = (double)strlen(what);
	return 0;
}

static int evaluate(const char *text, double *value, unsigned int *kinds, char *why)
{
	const struct expression_source source = {source_row, source_run, NULL};

	*kinds = 0;
	return expression_value(text, strlen(text), &source, value, kinds, why);
}

static void expressions_have_values(void **state)
{
	static const struct {
		const char *text;
		double value;
		unsigned int kinds;
	} cases[] = {
		{"1+2*3", 7, 0},
		{"(1+2)*3", 9, 0},
		{"8/4/2", 1, 0},
		{"7-2-1", 4, 0},
		{"-3 - -4", 1, 0},
		{".5*4", 2, 0},
		{"[A-1]+[A-1 3]", 40, EXPRESSION_ROW},
		{"{here rate x}", 6, EXPRESSION_RUN},
		{"abs(-2)+ceil(1.2)+floor(1.8)+round(1.5)", 7, 0},
		{"min(1,2)+max(1,2)", 3, 0},
		{"credits(8, 100)", 400, EXPRESSION_CLOSED},
		{"lfp_mb(2)-lfp_mb(2)+[A-1]", 10, EXPRESSION_REPLAY | EXPRESSION_ROW},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char why[EXPRESSION_WHY];
		unsigned int kinds;
		double value;

		if (evaluate(cases[i].text, &value, &kinds, why) < 0)
			fail_msg("%s: %s", cases[i].text, why);
		if (fabs(value - cases[i].value) > 1e-9)
			fail_msg("%s is %g, not %g", cases[i].text, value, cases[i].value);
		assert_int_equal(kinds, cases[i].kinds);
	}
}

static void what_is_no_expression_is_named(void **state)
{
	static const struct {
		const char *text;
		int rc;
		const char *why;
	} cases[] = {
		{"", -EINVAL, "a value is missing at the end"},
		{"1+", -EINVAL, "a value is missing at the end"},
		{"1 2", -EINVAL, "unexpected '2' after the expression"},
		{"(1", -EINVAL, "')' is missing"},
		{"[A-1", -EINVAL, "a ']' is missing"},
		{"[A-1 0]", -EINVAL, "'0' is not from 1 to 99"},
		{"{here}", -EINVAL, "a metric is missing"},
		{"{there rate}", -ENOENT, "not here"},
		{"1/0", -EDOM, "not a finite number"},
		{"1.2.3", -EINVAL, "'1.2.3' is not a number"},
		{"nothing(1)", -ENOENT, "unknown function nothing with 1 arguments"},
		{"min(1)", -ENOENT, "unknown function min with 1 arguments"},
		{"credits(1,2,3,4,5)", -EINVAL, "more than 4 arguments"},
		{"credits", -EINVAL, "'(' is missing after credits"},
		{"$", -EINVAL, "'$' cannot start a value"},
		{"((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))", -EINVAL,
		 "nested more than 32 levels deep"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char why[EXPRESSION_WHY];
		unsigned int kinds;
		double value;

		assert_int_equal(evaluate(cases[i].text, &value, &kinds, why), cases[i].rc);
		if (!strstr(why, cases[i].why))
			fail_msg("'%s' has '%s', not '%s'", cases[i].text, why, cases[i].why);
	}
}

static void numbers_are_found_in_texts(void **state)
{
	static const struct {
		const char *text;
		unsigned int nr;
		double value; /* NAN: no value */
	} cases[] = {
		{"302,000", 1, 302000},
		{"-8,-6,.1,3", 2, -6},
		{"-8,-6,.1,3", 3, 0.1},
		{"11.5..12.5", 2, 12.5},
		{"4.6 each, 13.8 total", 2, 13.8},
		{"~12", 1, 12},
		{"26 (3x1+23) vs 9", 3, 23},
		{".087 / .040", 2, 0.04},
		{"N/A", 1, NAN},
		{"1 / 2", 3, NAN},
		{"XX7800", 1, NAN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double value;

		if (isnan(cases[i].value)) {
			assert_int_equal(check_number(cases[i].text, cases[i].nr, &value), -ENOENT);
			continue;
		}
		assert_int_equal(check_number(cases[i].text, cases[i].nr, &value), 0);
		if (fabs(value - cases[i].value) > 1e-12)
			fail_msg("number %u of '%s' is %g", cases[i].nr, cases[i].text, value);
	}
}

static void limits_hold_to_their_ends(void **state)
{
	static const struct {
		const char *text;
		double model;
		int holds; /* -1: it is no limit */
	} cases[] = {
		{"a=100~5%", 105, 1},  {"a=100~5%", 105.1, 0}, {"a=100~5%", 94.9, 0},
		{"a=-8~0.5", -8.4, 1}, {"a=-8~0.5", -8.6, 0},  {"a=3~0", 3, 1},
		{"a=3~0", 3.001, 0},   {"a=1..2", 2, 1},       {"a=1..2", 2.1, 0},
		{"a=1..2", 0.9, 0},    {"a=..4", -100, 1},     {"a=..4", 4.1, 0},
		{"a=38..", 1e9, 1},    {"a=38..", 37, 0},      {"a=.5..1.5", 0.6, 1},
		{"a=7?", 1000, 1},     {"a=7", 7, -1},         {"a=", 7, -1},
		{"=7~1", 7, -1},       {"a=7~", 7, -1},        {"a=7~-1", 7, -1},
		{"a=2..1", 1, -1},     {"a=x..1", 1, -1},      {"a=7~1x", 7, -1},
		{"a=..", 7, -1},       {"a=7~1%%", 7, -1},     {"a 7", 7, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *at = cases[i].text;
		struct check_limit limit;
		int rc = check_limit_next(&at, &limit);

		if (rc != (cases[i].holds < 0 ? -EINVAL : 1))
			fail_msg("'%s' gives %d", cases[i].text, rc);
		if (rc == 1 && check_limit_holds(&limit, cases[i].model) != cases[i].holds)
			fail_msg("%g of '%s'", cases[i].model, cases[i].text);
		if (rc == 1)
			assert_int_equal(check_limit_next(&at, &limit), 0);
	}
}

static void rows_get_their_verdicts(void **state)
{
	(void)state;
	read_table(HEAD "A-1\t0\tq\t10 / 20\tu\tc\tt\tr=2~1%\tD\tr=[A-1 2]/[A-1]\t-\t\n"
			"A-2\t0\tq\t10\tu\tc\tt\tr=10~1%\tD\tr=11\t-\t\n"
			"A-3\t0\tq\t10\tu\tc\tt\tr=10?\tX\tr=11\t-\tno\n"
			"A-4\t0\tq\t10\tu\tc\tt\t-\tC\t-\t-\tno\n"
			"A-5\t0\tq\t10\tu\tc\tt\tr=10~1%; s=1~0\tD\tr=10\t-\t\n"
			"A-6\t0\tq\t10\tu\tc\tt\t-\tD\tr=10\t-\t\n"
			"A-7\t0\tq\t10\tu\tc\tt\tr=10~1\tD\tr=[A-9]\t-\t\n"
			"A-8\t0\tq\t1083\tu\tc\tt\tr=1083~0\tR\tr=round({distance frame "
			"near4K})\tr=frame_mean(4096)\t\n"
			"A-10\t0\tq\t72\tu\tc\tt\tr=72~1\tF\tr=lfp_mb(2)\t-\t\n");
	assert_int_equal(judge("A-1").verdict, CHECK_PASSED);
	assert_int_equal(judge("A-2").verdict, CHECK_FAILED);
	assert_int_equal(judge("A-3").verdict, CHECK_CANNOT);
	assert_int_equal(judge("A-4").verdict, CHECK_SKIPPED);
	/* A limit that was not judged, and a row without a limit, do not count as passed. */
	assert_int_equal(judge("A-5").verdict, CHECK_FAILED);
	assert_string_equal(judge("A-5").why, "2 limits, but 1 values judged");
	assert_int_equal(judge("A-6").verdict, CHECK_FAILED);
	assert_int_equal(judge("A-7").verdict, CHECK_FAILED);
	assert_string_equal(judge("A-7").why, "unknown row A-9");
	assert_int_equal(judge("A-8").verdict, CHECK_PASSED);
	assert_int_equal(judge("A-8").kinds, EXPRESSION_RUN);
	assert_int_equal(judge("A-10").kinds, EXPRESSION_REPLAY);
	check.closed = true;
	assert_int_equal(judge("A-8").verdict, CHECK_PASSED);
	assert_int_equal(judge("A-8").kinds, EXPRESSION_CLOSED);
	assert_int_equal(judge("A-10").kinds, EXPRESSION_REPLAY);
	done();
}

static void bad_tables_are_named(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"", "test: the table has no rows"},
		{HEAD, "test: the table has no rows"},
		{"id\tx\n", "test:1: 2 cells instead of 12"},
		{"x\t0\tq\tv\tu\tc\tt\tl\tD\tm\t-\t\n", "test:1: column 1 is 'x', not 'id'"},
		{HEAD "A-1\t0\n", "test:2: 2 cells instead of 12"},
		{HEAD "A\t0\tq\t1\tu\tc\tt\t-\tD\t-\t-\t\nA\t0\tq\t1\tu\tc\tt\t-\tD\t-\t-\t\n",
		 "test:3: 'A' is empty or a duplicate"},
		{HEAD "A\t0\tq\t1\tu\tc\tt\tr=1\tD\t-\t-\t\n", "test:2: A: invalid limits 'r=1'"},
		/* Terminals take all of these as the begin of a sequence. */
		{HEAD "A\t0\t\x1b[1m\n", "test:2:5: a control character, 0x1b"},
		{HEAD "A\t0\tq\xc2\x9b"
		      "1m\n",
		 "test:2:7: a control character, 0x9b"},
		{HEAD "A\t0\tq\x9b"
		      "1m\n",
		 "test:2:6: a control character, 0x9b"},
		{HEAD "A\t0\t\xe2\x80\xa6\x80\n", "test:2:8: a control character, 0x80"},
		{HEAD "A\t0\t\xc2\xb1\x9f\n", "test:2:7: a control character, 0x9f"},
		{HEAD "A\t0\t\xf5\x9b\n", "test:2:6: a control character, 0x9b"},
		/* U+0100 U+20AC U+65E5 U+1F600 have bytes of the same values. */
		{HEAD "A\t\xc4\x80\xe2\x82\xac\xe6\x97\xa5\xf0\x9f\x98\x80\n",
		 "test:2: 2 cells instead of 12"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		FILE *file = tmpfile();
		char error[CHECK_ERROR] = "";

		assert_non_null(file);
		fputs(cases[i].text, file);
		rewind(file);
		assert_int_equal(check_table_read(&table, "test", file, error), -EINVAL);
		if (!strstr(error, cases[i].why))
			fail_msg("'%s', not '%s'", error, cases[i].why);
		check_table_finish(&table);
		fclose(file);
	}
}

static void what_a_run_has_not_is_named(void **state)
{
	static const struct {
		const char *scenario, *what, *why;
	} cases[] = {
		{"none", "rate", "none.zdev: No such file"},
		{"units", "rate x", "has no load x"},
		{"units", "ius_in 99", "has no channel 99"},
		{"units", "frame x", "has no link x"},
		{"units", "channel 99 g", "no row of 99"},
		{"units", "channel 50 x", "no column x"},
		{"units", "channel 50 g", "'2E' in the row of 50 is not a number"},
		{"units", "tape 50 g", "unknown metric"},
		{"units", "everything", "unknown metric"},
		{"refused-domain-cards", "rate", "domain 0 already has 8 cards"},
	};
	double value;
	char why[EXPRESSION_WHY];

	(void)state;
	read_table(HEAD "A\t0\tq\t1\tu\tc\tt\t-\tD\t-\t-\t\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(check_runs_value(&check.runs, cases[i].scenario, cases[i].what, &value,
					     why) < 0);
		if (!strstr(why, cases[i].why))
			fail_msg("'%s', not '%s'", why, cases[i].why);
	}
	assert_int_equal(check_runs_value(&check.runs, "units", "hex channel 50 g", &value, why),
			 0);
	assert_true(value == 0x2E);
	assert_int_equal(check_runs_value(&check.runs, "units", "count channel g 2E", &value, why),
			 0);
	assert_true(value == 3);
	assert_int_equal(
		check_runs_value(&check.runs, "refused-domain-cards", "builds", &value, why), 0);
	assert_true(value == 0);
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_have_values),
		cmocka_unit_test(what_is_no_expression_is_named),
		cmocka_unit_test(numbers_are_found_in_texts),
		cmocka_unit_test(limits_hold_to_their_ends),
		cmocka_unit_test(rows_get_their_verdicts),
		cmocka_unit_test(bad_tables_are_named),
		cmocka_unit_test(what_a_run_has_not_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
