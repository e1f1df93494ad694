/* SPDX-License-Identifier: Apache-2.0 */
/* test-cards.c - the cards of a job: continuation, data, limits */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/vsejob/text.h"
#include "vsejob/cards.h"

static int join(const char *text, char out[static STATEMENT_MAX], struct cards *cards)
{
	FILE *in = text_open(text);
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
	FILE *in = text_open("// EXEC PROGRAM\n* maybe data\n/+\nbehind\n");
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
	FILE *in = text_open("// EXEC PROGRAM\ndata\n");
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
	FILE *in = text_open(text);
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
	in = text_open(line);
	cards_init(&cards, in, "X");
	assert_int_equal(card_read(&cards), -EINVAL);
	assert_string_equal(cards.err.text, "X:1: the line is longer than 255 bytes");
	fclose(in);
	in = text_open("a\x01");
	cards_init(&cards, in, "X");
	assert_int_equal(card_read(&cards), -EINVAL);
	assert_string_equal(cards.err.text, "X:1: control character 0x01 in column 2");
	fclose(in);
	line[90] = '\0';
	memcpy(line, "// ", 3);
	assert_int_equal(join(line, text, &cards), -EINVAL);
	assert_string_equal(cards.err.text, "SYSRDR:1: a statement has at most 80 columns");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(column_72_continues),
		cmocka_unit_test(a_procedure_ends_once),
		cmocka_unit_test(a_card_that_was_put_back_is_looked_at),
		cmocka_unit_test(what_does_not_go_on_is_told),
		cmocka_unit_test(what_does_not_count_is_cut),
		cmocka_unit_test(an_asterisk_is_what_follows_it),
		cmocka_unit_test(what_is_kept_has_a_limit),
		cmocka_unit_test(a_card_has_its_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
