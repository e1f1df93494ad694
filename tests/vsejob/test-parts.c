/* SPDX-License-Identifier: Apache-2.0 */
/* test-parts.c - the parts of a job control statement */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vsejob/condition.h"
#include "vsejob/operands.h"
#include "vsejob/runtime-options.h"
#include "vsejob/substitute.h"
#include "vsejob/symbols.h"

static void operands_are_taken_apart(void **state)
{
	char text[] = "IJBLFPOP,SIZE=(A,B),PARM='it''s, here' a comment";
	struct operands ops;

	(void)state;
	assert_null(operands_split(&ops, text));
	assert_int_equal(ops.nr, 3);
	assert_string_equal(ops.item[0].key, "");
	assert_string_equal(ops.item[0].value, "IJBLFPOP");
	assert_string_equal(ops.item[1].key, "SIZE");
	assert_string_equal(ops.item[1].value, "(A,B)");
	assert_string_equal(operands_value(&ops, "PARM"), "it's, here");
}

static void bad_operands_are_named(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"A,PARM='x", "a quote is not closed"},
		{"A,(B", "a parenthesis is not closed"},
		{"A)", "a closing parenthesis has no opening one"},
		{"A,", "an operand is missing after the last comma"},
		{"A, B", "an operand is missing after the last comma"},
		{"1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
		 "there are too many operands"},
	};
	struct operands ops;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = strdup(cases[i].text);

		assert_string_equal(operands_split(&ops, text), cases[i].why);
		free(text);
	}
}

static const char *parameter(void *data, const char *name)
{
	(void)data;
	if (!strcmp(name, "ID"))
		return "01";
	if (!strcmp(name, "QUOTE"))
		return "it's";
	return strcmp(name, "NAME") ? NULL : "ABC";
}

static void conditions_hold_or_not(void **state)
{
	const struct condition_facts facts = {.rc = 4, .max_rc = 8, .value_of = parameter};
	static const struct {
		const char *text;
		bool holds; /* with $RC 4, $MRC 8, ID 01, NAME ABC */
	} cases[] = {
		{"$RC=4", true},
		{"$RC = 5", false},
		{"$RC EQ 4", true},
		{"$RC ^= 4", false},
		{"$RC NE 5", true},
		{"$RC > 3", true},
		{"$RC > 4", false},
		{"$RC GT 3", true},
		{"$RC < 5", true},
		{"$RC LT 4", false},
		{"$RC >= 4", true},
		{"$RC GE 5", false},
		{"$RC <= 4", true},
		{"$RC LE 3", false},
		{"$MRC = 8", true},
		{"$MRC < 8", false},
		{"ID = 01", true},
		{"ID=02", false},
		{"id EQ '01'", true},
		{"ID = 1", false},
		{"NONE = ''", true},
		{"NONE = 01", false},
		{"NAME > AB", true},
		{"NAME LT 1", true},
		{"NAME = 'ABC  '", true},
		{"NAME < abc", false},
		{"$RC = 4 AND ID = 01", true},
		{"$RC = 5 AND ID = 01", false},
		{"$RC=5 OR ID=01", true},
		{"$RC=5|$MRC=8", true},
		{"$RC = 4 & $MRC = 7", false},
		{"$RC = 4 OR $RC = 5 AND $MRC = 1", true},
		{"$RC = 5 AND $MRC = 8 OR ID = 02", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct condition condition;
		char copy[64], *text = copy;

		snprintf(copy, sizeof(copy), "%s THEN", cases[i].text);
		assert_null(condition_read(&condition, &text, CONDITION_OF_IF));
		assert_string_equal(text, "THEN");
		assert_int_equal(condition_holds(&condition, &facts), cases[i].holds);
	}
}

static void bad_conditions_are_named(void **state)
{
	static const char *const cases[] = {
		"RC",        "$RC 1", "$RC = x",         "$RC = 10000", "$RC=1THEN",
		"",          "$RC =", "$CANCEL",         "$RC = 1 AND", "A = 'x",
		"A = 'it''", "A =",   "TOOLONGNAME = 1", "A = '1'2",
	};
	struct condition condition;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char copy[32], *text = copy;

		snprintf(copy, sizeof(copy), "%s", cases[i]);
		assert_non_null(condition_read(&condition, &text, CONDITION_OF_IF));
	}
}

static void on_has_conditions_of_its_own(void **state)
{
	struct condition_facts facts = {.abended = true};
	char abend[] = "$ABEND CONTINUE", either[] = "$CANCEL OR $RC > 3 GOTO X", name[] = "A = 1";
	struct condition condition;
	char *text = abend;

	(void)state;
	assert_null(condition_read(&condition, &text, CONDITION_OF_ON));
	assert_string_equal(text, "CONTINUE");
	assert_true(condition_holds(&condition, &facts));
	text = either;
	assert_null(condition_read(&condition, &text, CONDITION_OF_ON));
	assert_string_equal(text, "GOTO X");
	assert_false(condition_holds(&condition, &facts));
	facts.rc = 4;
	assert_true(condition_holds(&condition, &facts));
	text = name;
	assert_non_null(condition_read(&condition, &text, CONDITION_OF_ON));
}

static void parameters_are_replaced(void **state)
{
	static const struct {
		const char *text, *result; /* NULL: it is wrong */
	} cases[] = {
		{"A &ID B", "A 01 B"},
		{"&ID.&name", "01ABC"},
		{"&ID..X", "01.X"},
		{"PARM='&ID'", "PARM='01'"},
		{"a && b & c &", "a & b & c &"},
		{"$RC=1&$RC=2", "$RC=1&$RC=2"},
		{"&QUOTE '&QUOTE'", "it's 'it''s'"},
		{"&OTHER", NULL},
		{"&TOOLONGNAME", NULL},
		{"&1", "&1"},
	};
	const struct substitution how = {.value_of = parameter};
	char out[40];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *why = substitute(&how, cases[i].text, out, sizeof(out));

		assert_true(!why == !!cases[i].result);
		if (!why)
			assert_string_equal(out, cases[i].result);
	}
	assert_string_equal(substitute(&how, "&ID.&ID", out, 4), "the statement is too long");
}

static void options_stand_before_the_slash(void **state)
{
	char full[] = "ALL31(ON) ENVAR(\"LFP$ID=01\",B=2) HEAP(4K,4K)/one two";
	char plain[] = "-s http://host/ x", path[] = "//etc/passwd", open[] = "ENVAR(\"A=1)/x";
	char nameless[] = "ENVAR(x)/";
	struct runtime_options options;

	(void)state;
	assert_null(runtime_options_read(&options, full));
	assert_int_equal(options.nr, 2);
	assert_string_equal(options.variable[0], "LFP$ID=01");
	assert_string_equal(options.variable[1], "B=2");
	assert_string_equal(options.arguments, "one two");
	assert_null(runtime_options_read(&options, plain));
	assert_int_equal(options.nr, 0);
	assert_string_equal(options.arguments, "-s http://host/ x");
	assert_null(runtime_options_read(&options, path));
	assert_string_equal(options.arguments, "/etc/passwd");
	/* No parenthesis closes: these are no options. */
	assert_null(runtime_options_read(&options, open));
	assert_string_equal(options.arguments, "ENVAR(\"A=1)/x");
	assert_string_equal(runtime_options_read(&options, nameless), "ENVAR needs NAME=value");
}

static void symbols_are_set_and_forgotten(void **state)
{
	struct symbols symbols = {.nr = 0};
	char text[200], small[10];

	(void)state;
	assert_null(symbols_set(&symbols, "LFP$ID", "01"));
	assert_null(symbols_set(&symbols, "EZA$PHA", "IJBLFPEZ"));
	assert_null(symbols_set(&symbols, "LFP$ID", "02"));
	assert_int_equal(symbols_print(&symbols, text, sizeof(text)), 0);
	assert_string_equal(text, "LFP$ID=02,EZA$PHA=IJBLFPEZ");
	assert_int_equal(symbols_print(&symbols, small, sizeof(small)), -ENAMETOOLONG);
	assert_null(symbols_set(&symbols, "LFP$ID", ""));
	assert_string_equal(symbols_get(&symbols, "LFP$ID"), "");
	assert_null(symbols_get(&symbols, "OTHER"));
	assert_int_equal(symbols_print(&symbols, text, sizeof(text)), 0);
	assert_string_equal(text, "EZA$PHA=IJBLFPEZ");
	assert_non_null(symbols_set(&symbols, "lower", "1"));
	assert_non_null(symbols_set(&symbols, "TOOLONGNAME", "1"));
	assert_non_null(symbols_set(&symbols, "A", "1,2"));
	assert_non_null(
		symbols_set(&symbols, "A", "123456789012345678901234567890123456789012345678901"));
}

static void symbols_of_the_system_are_kept(void **state)
{
	char root[] = "/tmp/test-vsejob-XXXXXX", path[300], command[64];
	struct symbols symbols = {.nr = 0}, read;

	(void)state;
	assert_non_null(mkdtemp(root));
	setenv("LFP_ROOT", root, 1);
	assert_int_equal(symbols_load_system(&read, path, sizeof(path)), 0);
	assert_int_equal(read.nr, 0);
	assert_null(symbols_set(&symbols, "LFP$ID", "01"));
	assert_int_equal(symbols_save_system(&symbols, path, sizeof(path)), 0);
	assert_int_equal(symbols_load_system(&read, path, sizeof(path)), 0);
	assert_int_equal(read.nr, 1);
	assert_string_equal(read.item[0].value, "01");
	assert_int_equal(truncate(path, 3), 0);
	assert_int_equal(symbols_load_system(&read, path, sizeof(path)), -EBADMSG);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_are_taken_apart),
		cmocka_unit_test(bad_operands_are_named),
		cmocka_unit_test(conditions_hold_or_not),
		cmocka_unit_test(bad_conditions_are_named),
		cmocka_unit_test(on_has_conditions_of_its_own),
		cmocka_unit_test(parameters_are_replaced),
		cmocka_unit_test(options_stand_before_the_slash),
		cmocka_unit_test(symbols_are_set_and_forgotten),
		cmocka_unit_test(symbols_of_the_system_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
