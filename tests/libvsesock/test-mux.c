/* SPDX-License-Identifier: Apache-2.0 */
/* test-mux.c - the choice of a system id: each cell of IBM's table, and each neighbouring pair */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "libvsesock/mux/choose.h"
#include "libvsesock/mux/files.h"

/* The cells, from the presentation's table: rows from top to bottom, columns LE/C, EZA, SOCKET. */
static const char *const cells[MUX_SOURCES] = {"X  ", "XX ", "X  ", " X ", "  X", "XXX", "XXX"};

static void each_cell_holds(void **state)
{
	(void)state;
	for (int source = 0; source < MUX_DEFAULT; source++) {
		for (int interface = MUX_LEC; interface <= MUX_CSI; interface++) {
			struct mux_said said = {{NULL}};
			enum mux_source from;
			const char *id;

			said.text[source] = "42";
			id = mux_choose((enum mux_interface)interface, &said, &from);
			if (cells[source][interface] == 'X') {
				assert_string_equal(id, "42");
				assert_int_equal(from, source);
			} else {
				assert_string_equal(id, "00");
				assert_int_equal(from, MUX_DEFAULT);
			}
		}
	}
}

static void all_21_are_those_of_the_table(void **state)
{
	(void)state;
	for (int source = 0; source < MUX_SOURCES; source++)
		for (int interface = MUX_LEC; interface <= MUX_CSI; interface++)
			assert_int_equal(
				mux_counts((enum mux_interface)interface, (enum mux_source)source),
				cells[source][interface] == 'X');
}

/* A wrong file of LFP's own is reported, not skipped. */
static void what_is_no_id_is_given_back(void **state)
{
	static const struct {
		enum mux_interface interface;
		enum mux_source source;
	} own[] = {
		{MUX_LEC, MUX_VARIABLE_LFP_ID},
		{MUX_LEC, MUX_SETPARM_LFP_ID},
		{MUX_EZA, MUX_SETPARM_LFP_ID},
		{MUX_EZA, MUX_TCPNAME},
		{MUX_CSI, MUX_ID},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		struct mux_said said = {{NULL}};
		enum mux_source from;

		said.text[own[i].source] = "X1";
		said.text[MUX_SYSPARM] = "05";
		assert_string_equal(mux_choose(own[i].interface, &said, &from), "X1");
		assert_int_equal(from, own[i].source);
	}
}

static void the_upper_of_two_neighbours_wins(void **state)
{
	(void)state;
	for (int interface = MUX_LEC; interface <= MUX_CSI; interface++) {
		int upper = -1;

		for (int source = 0; source < MUX_DEFAULT; source++) {
			struct mux_said said = {{NULL}};
			enum mux_source from;

			if (cells[source][interface] != 'X')
				continue;
			if (upper >= 0) {
				said.text[upper] = "11";
				said.text[source] = "22";
				assert_string_equal(
					mux_choose((enum mux_interface)interface, &said, &from),
					"11");
				assert_int_equal(from, upper);
			}
			upper = source;
		}
		/* The lowest one wins over the default. */
		assert_int_equal(upper, MUX_SYSPARM);
	}
}

static void what_others_use_counts_as_two_digits_only(void **state)
{
	struct mux_said said = {{NULL}};
	enum mux_source from;

	(void)state;
	said.text[MUX_VARIABLE_SYSID] = "PROD";
	said.text[MUX_SYSPARM] = "x";
	assert_string_equal(mux_choose(MUX_LEC, &said, &from), "00");
	said.text[MUX_SYSPARM] = "07";
	assert_string_equal(mux_choose(MUX_LEC, &said, &from), "07");
	/* A wrong entry of LFP's own is an error, not skipped. */
	said.text[MUX_VARIABLE_LFP_ID] = "7";
	assert_string_equal(mux_choose(MUX_LEC, &said, &from), "7");
	said.text[MUX_VARIABLE_LFP_ID] = "";
	assert_string_equal(mux_choose(MUX_LEC, &said, &from), "07");
}

static enum mux_phase look_up(const char *text, const char *sysid)
{
	return mux_look_up(text, strlen(text), sysid);
}

static void the_table_names_the_phase(void **state)
{
	static const char text[] = "00 $EDTCPV\n01 IJBLFPLE\n02 BSTTTCP6\n03 OTHER\n04 IJBLFPLEX\n"
				   "05 IJBLFPLE";

	(void)state;
	assert_int_equal(look_up(text, "00"), MUX_EDTCPV);
	assert_int_equal(look_up(text, "01"), MUX_LFP);
	assert_int_equal(look_up(text, "02"), MUX_BSTTTCP6);
	assert_int_equal(look_up(text, "03"), MUX_NO_PHASE);
	assert_int_equal(look_up(text, "04"), MUX_NO_PHASE);
	assert_int_equal(look_up(text, "05"), MUX_LFP);
	assert_int_equal(look_up(text, "06"), MUX_NO_ENTRY);
	assert_int_equal(look_up("", "01"), MUX_NO_ENTRY);
	assert_int_equal(look_up("01 \n01\n0", "01"), MUX_NO_ENTRY);
}

static void lines_name_the_stacks(void **state)
{
	static const struct {
		const char *text;
		enum mux_stack edtcpv, bsttcp;
		unsigned int line; /* that is wrong */
	} cases[] = {
		{"", MUX_STACK_NONE, MUX_STACK_NONE, 0},
		{"\n \t\n# HOST_SOCKETS = yes\n", MUX_STACK_NONE, MUX_STACK_NONE, 0},
		{"HOST_SOCKETS = no\n", MUX_STACK_NONE, MUX_STACK_NONE, 0},
		{"HOST_SOCKETS = yes\n", MUX_STACK_HOST, MUX_STACK_HOST, 0},
		{"host_sockets=YES", MUX_STACK_HOST, MUX_STACK_HOST, 0},
		{" HOST_SOCKETS\t= yes \r\n\n", MUX_STACK_HOST, MUX_STACK_HOST, 0},
		{"HOST_SOCKETS = yes\nHOST_SOCKETS = no", MUX_STACK_NONE, MUX_STACK_NONE, 0},
		{"$EDTCPV = host\n", MUX_STACK_HOST, MUX_STACK_NONE, 0},
		{"$EDTCPV = stack\nBSTTTCP6 = host\n", MUX_STACK_OWN, MUX_STACK_HOST, 0},
		{"bstttcp6=STACK", MUX_STACK_NONE, MUX_STACK_OWN, 0},
		{"HOST_SOCKETS = yes\n$EDTCPV = none", MUX_STACK_NONE, MUX_STACK_HOST, 0},
		{"$EDTCPV = stack\nHOST_SOCKETS = yes", MUX_STACK_HOST, MUX_STACK_HOST, 0},
		{"$EDTCPV = yes\n", MUX_STACK_BAD, MUX_STACK_BAD, 1},
		{"HOST_SOCKETS = stack\n", MUX_STACK_BAD, MUX_STACK_BAD, 1},
		{"IJBLFPLE = stack\n", MUX_STACK_BAD, MUX_STACK_BAD, 1},
		{"HOST_SOCKETS = yess\n", MUX_STACK_BAD, MUX_STACK_BAD, 1},
		{"\nHOST_SOCKETS yes\n", MUX_STACK_BAD, MUX_STACK_BAD, 2},
		{"HOST_SOCKETS =\n", MUX_STACK_BAD, MUX_STACK_BAD, 1},
		{"$EDTCPV\n", MUX_STACK_BAD, MUX_STACK_BAD, 1},
		{"HOST_SOCKETS = yes no\n", MUX_STACK_BAD, MUX_STACK_BAD, 1},
		{"HOST_SOCKETS = yes\nOTHER = 1\n", MUX_STACK_BAD, MUX_STACK_BAD, 2},
		{"=", MUX_STACK_BAD, MUX_STACK_BAD, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t len = strlen(cases[i].text);
		unsigned int line;

		assert_int_equal(mux_read_stack(cases[i].text, len, MUX_EDTCPV, &line),
				 cases[i].edtcpv);
		assert_int_equal(mux_read_stack(cases[i].text, len, MUX_BSTTTCP6, &line),
				 cases[i].bsttcp);
		if (cases[i].edtcpv == MUX_STACK_BAD)
			assert_int_equal(line, cases[i].line);
	}
	assert_int_equal(mux_read_stack("HOST_SOCKETS = yes\0", 19, MUX_EDTCPV, &(unsigned int){0}),
			 MUX_STACK_BAD);
}

static void the_environment_names_the_partitions_stack(void **state)
{
	static const struct {
		const char *said, *nn, *place;
	} cases[] = {
		{"05:/run/x", "05", "/run/x"}, {"05:/run/x", "06", NULL}, {"05:run", "05", NULL},
		{"05/run/x", "05", NULL},      {"", "05", NULL},          {"0", "0", NULL},
		{"05:", "05", NULL},           {":/run/x", "", NULL},
	};

	(void)state;
	unsetenv(MUX_STACK_VARIABLE);
	assert_null(mux_stack_place("05"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *place;

		setenv(MUX_STACK_VARIABLE, cases[i].said, 1);
		place = mux_stack_place(cases[i].nn);
		if (cases[i].place)
			assert_string_equal(place, cases[i].place);
		else
			assert_null(place);
	}
	unsetenv(MUX_STACK_VARIABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cell_holds),
		cmocka_unit_test(all_21_are_those_of_the_table),
		cmocka_unit_test(what_is_no_id_is_given_back),
		cmocka_unit_test(the_upper_of_two_neighbours_wins),
		cmocka_unit_test(what_others_use_counts_as_two_digits_only),
		cmocka_unit_test(the_table_names_the_phase),
		cmocka_unit_test(lines_name_the_stacks),
		cmocka_unit_test(the_environment_names_the_partitions_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
