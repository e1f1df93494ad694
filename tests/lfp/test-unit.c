/* SPDX-License-Identifier: Apache-2.0 */
/* test-unit.c - what systemctl says about a service, and what it means */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "lfp/spawn.h"
#include "lfp/unit.h"
#include "tests/qemu-user.h"

static void names_are_escaped(void **state)
{
	char unit[LFP_UNIT_MAX];

	(void)state;
	lfp_unit_name(unit, "lfp", "01");
	assert_string_equal(unit, "lfp@01.service");
	lfp_unit_name(unit, "lfpd", "$#@_$#@_");
	assert_string_equal(unit, "lfpd@\\x24\\x23\\x40_\\x24\\x23\\x40_.service");
}

static void only_the_systems_tree_has_units(void **state)
{
	(void)state;
	setenv("LFP_ROOT", "/tmp", 1);
	assert_false(lfp_unit_manages());
	setenv("LFP_ROOT", "/", 1);
	bool with_slash = lfp_unit_manages();

	unsetenv("LFP_ROOT");
	assert_int_equal(with_slash, lfp_unit_manages());
}

/* A state, a result, and what is said then. */
static const struct {
	const char *text;
	enum lfp_unit_state state;
	const char *reason;
} cases[] = {
	{"ActiveState=activating\nSubState=auto-restart\nResult=exit-code\nExecMainCode=1\n"
	 "ExecMainStatus=69\nStatusText=VLFD012E No address.\n",
	 LFP_UNIT_AGAIN, "lfpd failed: VLFD012E No address"},
	/* The status of an lfpd that was well is no reason. */
	{"ActiveState=activating\nSubState=auto-restart\nResult=signal\nExecMainCode=2\n"
	 "ExecMainStatus=9\nStatusText=z/VSE is connected\n",
	 LFP_UNIT_AGAIN, "lfpd was ended by signal 9"},
	{"ActiveState=failed\nSubState=failed\nResult=exit-code\nExecMainCode=1\n"
	 "ExecMainStatus=78\nStatusText=\n",
	 LFP_UNIT_FAILED, "lfpd ended with exit code 78"},
	{"ActiveState=failed\nSubState=failed\nResult=exit-code\nExecMainCode=1\n"
	 "ExecMainStatus=225\n",
	 LFP_UNIT_FAILED, "systemd could not run lfpd (exit code 225)"},
	{"StatusText=VLFDxxxE no id\nActiveState=failed\nResult=core-dump\nExecMainCode=3\n"
	 "ExecMainStatus=11\n",
	 LFP_UNIT_FAILED, "lfpd was ended by signal 11"},
	{"ActiveState=failed\nSubState=failed\nResult=start-limit-hit\nExecMainCode=1\n"
	 "ExecMainStatus=69\nStatusText=VLFB012E No address.\n",
	 LFP_UNIT_FAILED, "lfpd failed: VLFB012E No address"},
	{"ActiveState=failed\nResult=watchdog\nExecMainCode=2\nExecMainStatus=6\n", LFP_UNIT_FAILED,
	 "lfpd hung and systemd's watchdog ended it"},
	{"ActiveState=failed\nResult=timeout\n", LFP_UNIT_FAILED, "lfpd was not ready in time"},
	{"ActiveState=failed\nResult=oom-kill\n", LFP_UNIT_FAILED,
	 "the system had no memory left and ended lfpd"},
	{"ActiveState=activating\nSubState=start\nResult=success\n", LFP_UNIT_STARTING, NULL},
	{"ActiveState=active\nSubState=running\nResult=success\n", LFP_UNIT_RUNNING, NULL},
	{"ActiveState=inactive\nSubState=dead\nResult=resources\n", LFP_UNIT_STOPPED,
	 "systemd reports the result resources"},
	{"", LFP_UNIT_RUNNING, NULL},
};

static void state_and_reason(void **state)
{
	char reason[1280];
	struct lfp_unit unit;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		lfp_unit_parse(&unit, cases[i].text);
		assert_int_equal(unit.state, cases[i].state);
		lfp_unit_reason(&unit, "lfpd", reason, sizeof(reason));
		if (cases[i].reason)
			assert_string_equal(reason, cases[i].reason);
	}
}

static void long_text_is_cut(void **state)
{
	static const char before[] = "ActiveState=failed\nStatusText=VLFD012E ";
	char text[4096], reason[64];
	struct lfp_unit unit;

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text, before, sizeof(before) - 1);
	text[sizeof(text) - 1] = '\0';
	lfp_unit_parse(&unit, text);
	assert_int_equal(strlen(unit.said), sizeof(unit.said) - 1);
	lfp_unit_reason(&unit, "lfpd", reason, sizeof(reason));
	assert_int_equal(strlen(reason), sizeof(reason) - 1);
}

static void output_of_a_program(void **state)
{
	char program[] = "echo", word[] = "hello", buf[5];
	char *argv[] = {program, word, NULL};

	(void)state;
	assert_int_equal(lfp_spawn_read(program, argv, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "hell");
	assert_int_equal(lfp_spawn(program, argv, true), 0);
}

static void no_program(void **state)
{
	char none[] = "/nowhere/at-all", buf[5] = "old";
	char *argv[] = {none, NULL};

	(void)state;
	QEMU_USER_LACKS("vfork(), by which posix_spawn() tells of a program that is missing");
	assert_true(lfp_spawn(none, argv, true) < 0);
	assert_true(lfp_spawn_read(none, argv, buf, sizeof(buf)) < 0);
	assert_string_equal(buf, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_escaped),
		cmocka_unit_test(only_the_systems_tree_has_units),
		cmocka_unit_test(state_and_reason),
		cmocka_unit_test(long_text_is_cut),
		cmocka_unit_test(output_of_a_program),
		cmocka_unit_test(no_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
