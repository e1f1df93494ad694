/* SPDX-License-Identifier: Apache-2.0 */
/* test-engine-switches.c - the switches, their defaults, and errors by line */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "devemu/engine/switches.h"

static struct lfp_reader_error err;

static int read_text(struct switches *switches, const char *text, bool profile)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int rc;

	assert_non_null(file);
	switches_init(switches);
	rc = profile ? switches_read_profile(switches, "file", file, &err)
		     : switches_read_opt(switches, "file", file, &err);
	fclose(file);
	return rc;
}

static void defaults(void **state)
{
	struct switches switches;

	(void)state;
	switches_init(&switches);
	assert_false(switches.ziip_ipsecurity);
	assert_true(switches.honor_priority);
	assert_false(switches.project_cpu);
}

static void the_profile_is_read(void **state)
{
	static const struct {
		const char *text;
		bool on;
	} cases[] = {
		{"; nothing\n", false},
		{"GLOBALCONFIG ZIIP IPSECURITY\n", true},
		{"GLOBALCONF ZIIP ; a comment\n  ipsecurity\n", true},
		{"GLOBALCONFIG ZIIP IPSECURITY\nGLOBALCONFIG ZIIP NOIPSECURITY\n", false},
		{"IPCONFIG IPSECURITY DATAGRAMFWD\n  ZIIP\nGLOBALCONFIG\n ZIIP IPSECURITY\nPORT\n  23 TCP X\n",
		 true},
		{"IPCONFIG\n IPSECURITY\n", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct switches switches;

		assert_int_equal(read_text(&switches, cases[i].text, true), 0);
		assert_int_equal(switches.ziip_ipsecurity, cases[i].on);
	}
}

static void the_member_is_read(void **state)
{
	struct switches switches;

	(void)state;
	assert_int_equal(read_text(&switches,
				   "/* a comment\n over IIPHONORPRIORITY=YES */\n"
				   "iiphonorpriority=NO, /* and */ PROJECTCPU=Yes\n",
				   false),
			 0);
	assert_false(switches.honor_priority);
	assert_true(switches.project_cpu);
}

static void errors_name_the_line(void **state)
{
	static const struct {
		bool profile;
		const char *text, *error;
	} wrong[] = {
		{true, "\nGLOBALCONFIG ZIIP\n", "file:2: GLOBALCONFIG ZIIP: needs a parameter"},
		{true, "GLOBALCONFIG ZIIP IPSEC\n",
		 "file:1: GLOBALCONFIG ZIIP: 'IPSEC' is neither IPSECURITY nor NOIPSECURITY"},
		{true, "GLOBALCONFIG\n MAXRECS 1\n",
		 "file:2: GLOBALCONFIG: only ZIIP is known, not 'MAXRECS'"},
		{false, "\nPROJECTCPU\n", "file:2: 'PROJECTCPU' is not KEYWORD=VALUE"},
		{false, "PROJECTCPU=MAYBE\n", "file:1: PROJECTCPU: 'MAYBE' is neither YES nor NO"},
		{false, "CPENABLE=(1,2)\n",
		 "file:1: CPENABLE: only IIPHONORPRIORITY and PROJECTCPU are known"},
		{false, "/* no end\n\n", "file:2: the comment has no end"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct switches switches;

		assert_int_equal(read_text(&switches, wrong[i].text, wrong[i].profile), -EINVAL);
		assert_string_equal(err.text, wrong[i].error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(the_profile_is_read),
		cmocka_unit_test(the_member_is_read),
		cmocka_unit_test(errors_name_the_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
