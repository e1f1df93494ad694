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

#include "vsejob/cards.h"
#include "vsejob/condition.h"
#include "vsejob/edctcpmc.h"
#include "vsejob/operands.h"
#include "vsejob/runtime-options.h"
#include "vsejob/substitute.h"
#include "vsejob/symbols.h"

static FILE *open_text(const char *text)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	assert_non_null(in);
	return in;
}

static int join(const char *text, char out[static STATEMENT_MAX], struct cards *cards)
{
	FILE *in = open_text(text);
	int line, rc;

	cards_init(cards, in, "SYSRDR");
	assert_int_equal(card_read(cards), 1);
	rc = card_join(cards, out, &line);
	fclose(in);
	return rc;
}

/* Column 72 is the C; both lines are those of IBM's presentation. */
#define LONG "// EXEC ASMA90,SIZE=(ASMA90,64K),PARM='EXIT(LIBEXIT(EDECKXIT)),SIZE(MAXC\n"

static void column_72_continues(void **state)
{
	char text[STATEMENT_MAX];
	struct cards cards;

	(void)state;
	assert_int_equal(join(LONG "-200K,ABOVE)'\n", text, &cards), 0);
	assert_string_equal(text, "// EXEC ASMA90,SIZE=(ASMA90,64K),"
				  "PARM='EXIT(LIBEXIT(EDECKXIT)),SIZE(MAX-200K,ABOVE)'");
	assert_int_equal(join(LONG "               -200K,ABOVE)'\n", text, &cards), 0);
	assert_non_null(strstr(text, "SIZE(MAX-200K,ABOVE)'"));
}

static void a_procedure_ends_once(void **state)
{
	FILE *in = open_text("// EXEC PROGRAM\n* maybe data\n/+\nbehind\n");
	struct cards cards;

	(void)state;
	cards_init_procedure(&cards, in, "A.B(C.PROC)");
	assert_int_equal(card_read(&cards), 1);
	assert_int_equal(card_data_follows(&cards), 0);
	assert_int_equal(card_data_follows(&cards), 0);
	assert_int_equal(card_read(&cards), 1);
	assert_string_equal(cards.text, "* maybe data");
	for (int i = 0; i < 3; i++)
		assert_int_equal(card_read(&cards), 0);
	cards_finish(&cards);
	fclose(in);
}

static void a_card_that_was_put_back_is_looked_at(void **state)
{
	FILE *in = open_text("// EXEC PROGRAM\ndata\n");
	struct cards cards;

	(void)state;
	cards_init(&cards, in, "SYSRDR");
	assert_int_equal(card_read(&cards), 1);
	card_put_back(&cards);
	assert_int_equal(card_data_follows(&cards), 0);
	assert_int_equal(card_read(&cards), 1);
	assert_int_equal(card_data_follows(&cards), 1);
	cards_finish(&cards);
	fclose(in);
}

static void what_does_not_go_on_is_told(void **state)
{
	char text[STATEMENT_MAX];
	struct cards cards;

	(void)state;
	assert_int_equal(join(LONG, text, &cards), -EINVAL);
	assert_non_null(strstr(cards.err.text, "SYSRDR:1: column 72"));
	assert_int_equal(join(LONG "/&\n", text, &cards), -EINVAL);
}

static void what_does_not_count_is_cut(void **state)
{
	char text[STATEMENT_MAX], line[200];
	struct cards cards;

	(void)state;
	snprintf(line, sizeof(line), "%-71sX\n%s", "// EXEC IJBLFPOP, a remark, it's one",
		 "               PARM='LIST'\n");
	assert_int_equal(join(line, text, &cards), 0);
	assert_string_equal(text, "// EXEC IJBLFPOP,PARM='LIST'");
	/* Neither in quotes nor in parentheses, where a blank counts. */
	snprintf(line, sizeof(line), "%-71sX\nb'\n", "// EXEC A,SIZE=(A, B),PARM='a, ");
	assert_int_equal(join(line, text, &cards), 0);
	assert_memory_equal(text, "// EXEC A,SIZE=(A, B),PARM='a,  ", 32);
	assert_string_equal(text + 71, "b'");
	/* Column 72 is blank: the number behind it is no continuation. */
	snprintf(line, sizeof(line), "%-72s00010000\n", "// GOTO L");
	assert_int_equal(join(line, text, &cards), 0);
	assert_memory_equal(text, "// GOTO L ", 10);
	assert_int_equal(strlen(text), 71);
}

/* Classifies the cards after the first one: the answer, then all cards with their lines. */
static void follow(const char *text, int data, const char *given)
{
	FILE *in = open_text(text);
	char all[600] = "", card[CARD_MAX + 20];
	struct cards cards;

	cards_init(&cards, in, "SYSRDR");
	assert_int_equal(card_read(&cards), 1);
	assert_int_equal(card_data_follows(&cards), data);
	while (card_read(&cards) == 1) {
		snprintf(card, sizeof(card), "%d%s;", cards.line, cards.text);
		assert_true(strlen(all) + strlen(card) < sizeof(all));
		strcat(all, card);
	}
	assert_string_equal(all, given);
	cards_finish(&cards);
	fclose(in);
}

static void an_asterisk_is_what_follows_it(void **state)
{
	(void)state;
	follow("// EXEC A\n", 0, "");
	follow("// EXEC A\nx\n/*\n", 1, "2x;3/*;");
	follow("// EXEC A\n/*\n/&\n", 1, "2/*;3/&;");
	follow("// EXEC A\n* a\n* b\nx\n* c\n/*\n", 1, "2* a;3* b;4x;5* c;6/*;");
	follow("// EXEC A\n* a\n/*\n", 1, "2* a;3/*;");
	follow("// EXEC A\n* a\n* b\n// GOTO L\n/&\n", 0, "2* a;3* b;4// GOTO L;5/&;");
	follow("// EXEC A\n* a\n* $$ EOJ\n", 0, "2* a;3* $$ EOJ;");
	follow("// EXEC A\n* a\n", 0, "2* a;");
}

static void what_is_kept_has_a_limit(void **state)
{
	char line[CARD_MAX + 1];
	struct cards cards;
	FILE *in = tmpfile();

	(void)state;
	assert_non_null(in);
	memset(line, '*', sizeof(line));
	line[CARD_MAX] = '\n';
	for (unsigned int i = 0; i <= AHEAD_MAX / sizeof(line); i++)
		assert_int_equal(fwrite(line, 1, sizeof(line), in), sizeof(line));
	rewind(in);
	cards_init(&cards, in, "X");
	assert_int_equal(card_data_follows(&cards), -EINVAL);
	assert_string_equal(cards.err.text, "X:65537: SYSIPT: the data is longer than 16 MiB");
	assert_int_equal(card_read(&cards), 1);
	assert_int_equal(cards.line, 1);
	cards_finish(&cards);
	fclose(in);
}

static void a_card_has_its_limits(void **state)
{
	char line[CARD_MAX + 10], text[STATEMENT_MAX];
	struct cards cards;
	FILE *in;

	(void)state;
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	in = open_text(line);
	cards_init(&cards, in, "X");
	assert_int_equal(card_read(&cards), -EINVAL);
	assert_string_equal(cards.err.text, "X:1: the line is longer than 255 bytes");
	fclose(in);
	in = open_text("a\x01");
	cards_init(&cards, in, "X");
	assert_int_equal(card_read(&cards), -EINVAL);
	assert_string_equal(cards.err.text, "X:1: control character 0x01 in column 2");
	fclose(in);
	line[90] = '\0';
	memcpy(line, "// ", 3);
	assert_int_equal(join(line, text, &cards), -EINVAL);
	assert_string_equal(cards.err.text, "SYSRDR:1: a statement has at most 80 columns");
}

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

static int read_table(const char *text, struct edctcpmc *table, struct cards *cards)
{
	FILE *in = open_text(text);
	int rc;

	cards_init(cards, in, "X");
	rc = edctcpmc_read(table, cards);
	fclose(in);
	return rc;
}

static void the_table_is_read(void **state)
{
	struct edctcpmc table;
	struct cards cards;

	(void)state;
	assert_int_equal(read_table("EDCTCPMC CSECT\nEDCTCPMC AMODE ANY\nEDCTCPMC RMODE ANY\n*\n"
				    "EDCTCPME SYSID='00',PHASE='$EDTCPV'\n"
				    "         EDCTCPME SYSID='01',PHASE='IJBLFPLE'\n*\n END\n/*\n",
				    &table, &cards),
			 0);
	assert_int_equal(table.nr, 2);
	assert_string_equal(table.entry[1].sysid, "01");
	assert_string_equal(table.entry[1].phase, "IJBLFPLE");
}

#define COLUMN_72 "         EDCTCPME SYSID='01', its phase                                X\n"

static void a_source_goes_on_behind_column_72(void **state)
{
	struct edctcpmc table;
	struct cards cards;

	(void)state;
	assert_int_equal(strlen(COLUMN_72), 73);
	assert_int_equal(read_table("EDCTCPMC CSECT\n" COLUMN_72
				    "               PHASE='IJBLFPLE'\n END\n/*\n",
				    &table, &cards),
			 0);
	assert_int_equal(table.nr, 1);
	assert_string_equal(table.entry[0].phase, "IJBLFPLE");
	assert_int_equal(read_table("EDCTCPMC CSECT\n" COLUMN_72 "               PHASE=''\n/*\n",
				    &table, &cards),
			 -EINVAL);
	assert_string_equal(cards.err.text, "X:2: PHASE: '' is not a name of a phase");
	assert_int_equal(read_table("EDCTCPMC CSECT\n" COLUMN_72 "/*\n", &table, &cards), -EINVAL);
	assert_non_null(strstr(cards.err.text, "X:3: column 72 of the previous line"));
}

static void bad_sources_are_named(void **state)
{
#define HEAD "EDCTCPMC CSECT\n"
#define ONE  "EDCTCPME SYSID='01',PHASE='IJBLFPLE'\n"
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ONE, "X:1: EDCTCPME: comes before CSECT"},
		{"EDCTCPMC AMODE ANY\n", "X:1: AMODE: comes before CSECT"},
		{HEAD "EDCTCPMC AMODE 24\n", "X:2: AMODE: is '24' and must be 'ANY'"},
		{HEAD HEAD, "X:2: CSECT: is given twice"},
		{HEAD ONE ONE, "X:3: SYSID: '01' is given twice"},
		{HEAD "EDCTCPME SYSID='1',PHASE='A'\n", "X:2: SYSID: '1' is not two digits"},
		{HEAD "EDCTCPME SYSID='01',PHASE='A B'\n",
		 "X:2: PHASE: 'A B' is not a name of a phase"},
		{HEAD "EDCTCPME SYSID='01'\n", "X:2: EDCTCPME: takes SYSID='nn',PHASE='name'"},
		{HEAD ONE, "X:2: END: is missing"},
		{HEAD "END\n", "X:2: EDCTCPME: the table has no entry"},
		{HEAD ONE "END\n" ONE,
		 "X:4: 'EDCTCPME SYSID='01',PHASE='IJBLFPLE'' comes after END"},
		{"LR 1,2\n",
		 "X:1: 'LR 1,2' is not a statement of the source EDCTCPMC, the only source that "
		 "EXEC ASMA90 takes"},
	};
	struct edctcpmc table;
	struct cards cards;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(read_table(cases[i].text, &table, &cards), -EINVAL);
		assert_string_equal(cards.err.text, cases[i].why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(column_72_continues),
		cmocka_unit_test(what_does_not_go_on_is_told),
		cmocka_unit_test(a_procedure_ends_once),
		cmocka_unit_test(a_card_that_was_put_back_is_looked_at),
		cmocka_unit_test(what_does_not_count_is_cut),
		cmocka_unit_test(an_asterisk_is_what_follows_it),
		cmocka_unit_test(what_is_kept_has_a_limit),
		cmocka_unit_test(a_card_has_its_limits),
		cmocka_unit_test(operands_are_taken_apart),
		cmocka_unit_test(bad_operands_are_named),
		cmocka_unit_test(conditions_hold_or_not),
		cmocka_unit_test(bad_conditions_are_named),
		cmocka_unit_test(on_has_conditions_of_its_own),
		cmocka_unit_test(parameters_are_replaced),
		cmocka_unit_test(options_stand_before_the_slash),
		cmocka_unit_test(symbols_are_set_and_forgotten),
		cmocka_unit_test(symbols_of_the_system_are_kept),
		cmocka_unit_test(the_table_is_read),
		cmocka_unit_test(a_source_goes_on_behind_column_72),
		cmocka_unit_test(bad_sources_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
