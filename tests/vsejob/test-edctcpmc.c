/* SPDX-License-Identifier: Apache-2.0 */
/* test-edctcpmc.c - the source of the table EDCTCPMC */
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
#include "vsejob/edctcpmc.h"

static int read_table(const char *text, struct edctcpmc *table, struct cards *cards)
{
	FILE *in = text_open(text);
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
		cmocka_unit_test(the_table_is_read),
		cmocka_unit_test(a_source_goes_on_behind_column_72),
		cmocka_unit_test(bad_sources_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
