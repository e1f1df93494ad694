/* SPDX-License-Identifier: Apache-2.0 */
/* test-transition.c - which changes of a socket's states are allowed */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "ijblfp/sock/transition.h"
#include "ijblfp/sock/vsock.h"

/* A row a state, a column a state that may follow; both in the order of enum vsock_state. */
static const char *const allowed[VSOCK_NR_STATES] = {
	/*                   onCAERoLDc */
	[VSOCK_OPENING] = "-x-x----xx",     [VSOCK_NEW] = "--x---xx-x",
	[VSOCK_CONNECTING] = "-x--x-xx-x",  [VSOCK_ARRIVING] = "----x----x",
	[VSOCK_ESTABLISHED] = "-----xx--x", [VSOCK_RESET] = "------x--x",
	[VSOCK_OVER] = "-x----x--x",        [VSOCK_LISTENING] = "------x--x",
	[VSOCK_DATAGRAM] = "------x--x",    [VSOCK_CLOSING] = "----------",
};

static unsigned int reported, from_state, to_state;
static const char *reported_name;

static void note(const char *name, unsigned int from, unsigned int to)
{
	reported++;
	reported_name = name;
	from_state = from;
	to_state = to;
}

static int set_hook(void **state)
{
	*state = (void *)(uintptr_t)transition_report;
	reported = 0;
	transition_report = note;
	return 0;
}

static int reset_hook(void **state)
{
	transition_report = (transition_reporter *)(uintptr_t)*state;
	return 0;
}

static void each_of_a_socket(void **state)
{
	struct vsock_table table;
	unsigned int expected = 0;

	(void)state;
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
			if (allowed[from][to] != 'x') {
				expected++;
				assert_string_equal(reported_name, "vsock_state");
				assert_int_equal(from_state, from);
				assert_int_equal(to_state, to);
			}
			assert_int_equal(reported, expected);
			vsock_destroy(&table, vs);
		}
	}
	vsock_table_finish(&table);
}

static void of_no_state(void **state)
{
	(void)state;
	assert_false(transition_is_allowed(&vsock_states, VSOCK_NR_STATES, VSOCK_CLOSING));
	assert_false(transition_is_allowed(&vsock_states, VSOCK_NEW, VSOCK_NR_STATES));
}

static void none_reported_in_products(void **state)
{
	(void)state;
	transition_report = NULL;
	transition_check(&vsock_states, VSOCK_CLOSING, VSOCK_NEW);
	assert_int_equal(reported, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_of_a_socket, set_hook, reset_hook),
		cmocka_unit_test(of_no_state),
		cmocka_unit_test_setup_teardown(none_reported_in_products, set_hook, reset_hook),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
