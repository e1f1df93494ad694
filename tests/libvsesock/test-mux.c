/* SPDX-License-Identifier: Apache-2.0 */
/* test-mux.c - the choice of a system id: each cell of IBM's table, and each neighbouring pair */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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
	assert_int_equal(look_up(text, "00"), MUX_OTHER_STACK);
	assert_int_equal(look_up(text, "01"), MUX_LFP);
	assert_int_equal(look_up(text, "02"), MUX_OTHER_STACK);
	assert_int_equal(look_up(text, "03"), MUX_NO_PHASE);
	assert_int_equal(look_up(text, "04"), MUX_NO_PHASE);
	assert_int_equal(look_up(text, "05"), MUX_LFP);
	assert_int_equal(look_up(text, "06"), MUX_NO_ENTRY);
	assert_int_equal(look_up("", "01"), MUX_NO_ENTRY);
	assert_int_equal(look_up("01 \n01\n0", "01"), MUX_NO_ENTRY);
}

static void a_line_allows_the_hosts_sockets(void **state)
{
	static const struct {
		const char *text;
		enum mux_host host;
		unsigned int line; /* that is wrong */
	} cases[] = {
		{"", MUX_HOST_NO, 0},
		{"\n \t\n# HOST_SOCKETS = yes\n", MUX_HOST_NO, 0},
		{"HOST_SOCKETS = no\n", MUX_HOST_NO, 0},
		{"HOST_SOCKETS = yes\n", MUX_HOST_YES, 0},
		{"host_sockets=YES", MUX_HOST_YES, 0},
		{" HOST_SOCKETS\t= yes \r\n\n", MUX_HOST_YES, 0},
		{"HOST_SOCKETS = yes\nHOST_SOCKETS = no", MUX_HOST_NO, 0},
		{"HOST_SOCKETS = yess\n", MUX_HOST_BAD, 1},
		{"\nHOST_SOCKETS yes\n", MUX_HOST_BAD, 2},
		{"HOST_SOCKETS =\n", MUX_HOST_BAD, 1},
		{"HOST_SOCKETS = yes no\n", MUX_HOST_BAD, 1},
		{"HOST_SOCKETS = yes\nOTHER = 1\n", MUX_HOST_BAD, 2},
		{"=", MUX_HOST_BAD, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned int line;

		assert_int_equal(mux_read_host(cases[i].text, strlen(cases[i].text), &line),
				 cases[i].host);
		if (cases[i].host == MUX_HOST_BAD)
			assert_int_equal(line, cases[i].line);
	}
	assert_int_equal(mux_read_host("HOST_SOCKETS = yes\0", 19, &(unsigned int){0}),
			 MUX_HOST_BAD);
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
		cmocka_unit_test(a_line_allows_the_hosts_sockets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
