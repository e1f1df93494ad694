/* SPDX-License-Identifier: Apache-2.0 */
/* test-transition.c - the check of changes of states: what passes, what is reported, and how */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/log.h"
#include "lfp/transition.h"

enum light { RED, GREEN, AMBER };

static const struct lfp_transitions lights = {
	.what = "a light",
	.nr = AMBER + 1,
	.states =
		{
			[RED] = {"red", LFP_NEXT(GREEN)},
			[GREEN] = {"green", LFP_NEXT(GREEN) | LFP_NEXT(AMBER)},
			[AMBER] = {"amber", LFP_NEXT(RED)},
		},
};

/* The same, but each light may stay as it is. */
static struct lfp_transitions staying(void)
{
	struct lfp_transitions table = lights;

	table.may_repeat = true;
	return table;
}

/* Makes a change in a child process. Returns how it ended; @text: its standard error. */
static int change(unsigned int from, unsigned int to, bool product, char *text, size_t room)
{
	int pipes[2], status;
	ssize_t n, len = 0;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		signal(SIGABRT, SIG_DFL);
		dup2(pipes[1], STDERR_FILENO);
		lfp_log_set_debug(true);
		if (product)
			lfp_transition_set_reporter(NULL);
		_exit(lfp_transition(&lights, from, to) == to ? 0 : 1);
	}
	close(pipes[1]);
	while ((n = read(pipes[0], text + len, room - 1 - (size_t)len)) > 0)
		len += n;
	text[len] = '\0';
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

/* @text: the first line; qemu-user adds one of its own. */
static bool ends_by_abort(unsigned int from, unsigned int to, char *text, size_t room)
{
	int status = change(from, to, false, text, room);

	text[strcspn(text, "\n")] = '\0';
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void those_of_the_table_pass(void **state)
{
	static const bool allowed[3][3] = {{0, 1, 0}, {0, 1, 1}, {1, 0, 0}};
	const struct lfp_transitions also = staying();

	(void)state;
	for (unsigned int from = 0; from < 3; from++) {
		for (unsigned int to = 0; to < 3; to++) {
			assert_int_equal(lfp_transition_is_allowed(&lights, from, to),
					 allowed[from][to]);
			assert_int_equal(lfp_transition_is_allowed(&also, from, to),
					 allowed[from][to] || from == to);
		}
	}
}

static void unknown_states_do_not_pass(void **state)
{
	const struct lfp_transitions also = staying();

	(void)state;
	assert_false(lfp_transition_is_allowed(&lights, 3, RED));
	assert_false(lfp_transition_is_allowed(&lights, RED, 3));
	assert_false(lfp_transition_is_allowed(&lights, 40, 40));
	assert_false(lfp_transition_is_allowed(&also, 3, 3));
}

static void others_abort_in_tests(void **state)
{
	char text[256];

	(void)state;
	assert_true(ends_by_abort(AMBER, GREEN, text, sizeof(text)));
	assert_string_equal(text, "a light: green cannot follow amber");
	assert_true(ends_by_abort(RED, 3, text, sizeof(text)));
	assert_string_equal(text, "a light: unknown cannot follow red");
	assert_int_equal(change(RED, GREEN, false, text, sizeof(text)), 0);
	assert_string_equal(text, "");
}

static void others_are_made_and_told_in_products(void **state)
{
	char text[256];

	(void)state;
	assert_int_equal(change(AMBER, GREEN, true, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "a light: green cannot follow amber"));
	assert_int_equal(change(RED, GREEN, true, text, sizeof(text)), 0);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_of_the_table_pass),
		cmocka_unit_test(unknown_states_do_not_pass),
		cmocka_unit_test(others_abort_in_tests),
		cmocka_unit_test(others_are_made_and_told_in_products),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
