/* SPDX-License-Identifier: Apache-2.0 */
/* test-states.c - which changes of a virtual socket's states are allowed */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "ijblfp/sock/vsock.h"

/* A table, and what it has to say: a row a state, a column a state that may follow, both in the
 * order of the enum. */
struct expected {
	const struct lfp_transitions *table;
	unsigned int nr;
	const char *allowed[VSOCK_NR_STATES];
};

static const struct expected of_the_socket = {
	&vsock_states,
	VSOCK_NR_STATES,
	{
		/*                   osnCAERoLDc */
		[VSOCK_OPENING] = "-xx-x----xx",
		[VSOCK_SPARE] = "--x-------x",
		[VSOCK_NEW] = "---x---xx-x",
		[VSOCK_CONNECTING] = "--x--x-xx-x",
		[VSOCK_ARRIVING] = "-----x----x",
		[VSOCK_ESTABLISHED] = "------xx--x",
		[VSOCK_RESET] = "-------x--x",
		[VSOCK_OVER] = "--x----x--x",
		[VSOCK_LISTENING] = "-------x--x",
		[VSOCK_DATAGRAM] = "-------x--x",
		[VSOCK_CLOSING] = "-----------",
	},
};

static const struct expected of_its_parts[] = {
	{&reading_states, 3, {[READ_RESTS] = "xxx", [READ_SOME] = "xxx", [READ_TO_END] = "x-x"}},
	{&out_end_states,
	 4,
	 {[OUT_OPEN] = "xxxx", [OUT_HUNG] = "xxxx", [OUT_SHUT] = "--xx", [OUT_ABORTED] = "---x"}},
	{&in_end_states, 3, {[IN_OPEN] = "xx-", [IN_END_CAME] = "-xx", [IN_END_GIVEN] = "--x"}},
	{&in_reader_states,
	 4,
	 {[READER_READS] = "xxxx",
	  [READER_SHUT] = "-x--",
	  [READER_GONE] = "--x-",
	  [READER_BROKEN] = "---x"}},
	{&accept_mark_states, 3, {[MARK_NONE] = "xx-", [MARK_LEFT] = "xxx", [MARK_PASSED] = "x-x"}},
	{&guarding_states, 3, {[GUARD_NONE] = "-x-", [GUARD_HAS] = "--x", [GUARD_TOLD] = "---"}},
	{&told_states, 3, {[TOLD_NOTHING] = "xxx", [TOLD_CONNECTED] = "-xx", [TOLD_END] = "--x"}},
	{&listened_states,
	 3,
	 {[LISTENER_NEVER] = "xxx", [LISTENER_NOW] = "-xx", [LISTENER_WAS] = "-xx"}},
};

static void walk(const struct expected *expected)
{
	const struct lfp_transitions *table = expected->table;

	assert_int_equal(table->nr, expected->nr);
	for (unsigned int from = 0; from < table->nr; from++) {
		assert_non_null(table->states[from].name);
		for (unsigned int to = 0; to < table->nr; to++)
			if (lfp_transition_is_allowed(table, from, to) !=
			    (expected->allowed[from][to] == 'x'))
				fail_msg("%s: from %s to %s", table->what, table->states[from].name,
					 table->states[to].name);
	}
}

static void tables(void **state)
{
	(void)state;
	walk(&of_the_socket);
	for (size_t i = 0; i < sizeof(of_its_parts) / sizeof(of_its_parts[0]); i++)
		walk(&of_its_parts[i]);
}

static unsigned int reported;
static char report[128];

static void note(const char *text)
{
	reported++;
	(void)snprintf(report, sizeof(report), "%s", text);
}

/* vsock_set_state() asks its table. */
static void each_of_a_socket(void **state)
{
	struct vsock_table table;
	unsigned int expected = 0;

	(void)state;
	lfp_transition_set_reporter(note);
	vsock_table_init(&table);
	for (unsigned int from = 0; from < VSOCK_NR_STATES; from++) {
		for (unsigned int to = 0; to < VSOCK_NR_STATES; to++) {
			struct vsock *vs = vsock_create(&table, 0);

			assert_non_null(vs);
			/* No path from OPENING is looked for: only the second change counts. */
			table.by_state[vs->state]--;
			table.by_state[from]++;
			vs->state = from;
			vsock_set_state(&table, vs, to);
			/* The change is made, as products go on with it. */
			assert_int_equal(vs->state, to);
			if (of_the_socket.allowed[from][to] != 'x') {
				char text[128];

				expected++;
				(void)snprintf(text, sizeof(text),
					       "a virtual socket: %s cannot follow %s",
					       vsock_states.states[to].name,
					       vsock_states.states[from].name);
				assert_string_equal(report, text);
			}
			assert_int_equal(reported, expected);
			vsock_destroy(&table, vs);
		}
	}
	vsock_table_finish(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),
		cmocka_unit_test(each_of_a_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
