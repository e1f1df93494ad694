/* SPDX-License-Identifier: Apache-2.0 */
/* test-source.c - the source of START's statements */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ijblfp/oper/source.h"

static char root[] = "/tmp/lfp-source.XXXXXX";

static void put(const char *place, const char *text)
{
	char path[LFP_PLACE_MAX];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", root, place);
	assert_int_equal(lfp_place_make_parent(path), 0);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

/* Checks that @word opens the file with @text, by the name @name under the root. */
static void assert_source(const char *word, const char *text, const char *name)
{
	char line[32] = "";
	struct source source;

	assert_int_equal(source_open(&source, word), 0);
	assert_non_null(fgets(line, sizeof(line), source.in));
	assert_string_equal(line, text);
	assert_string_equal(source.name + strlen(root), name);
	source_close(&source);
	assert_null(source.in);
}

static void sysipt_is_standard_input(void **state)
{
	static const char *const words[] = {"-", "DD:SYSIPT", "dd:sysipt"};
	struct source source;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(source_open(&source, words[i]), 0);
		assert_ptr_equal(source.in, stdin);
		assert_string_equal(source.name, "SYSIPT");
		source_close(&source);
	}
	assert_int_equal(fileno(stdin), STDIN_FILENO);
}

static void members_are_files(void **state)
{
	(void)state;
	put("etc/vselfp/libr/PRD2/CONFIG/LFP01.L", "upper");
	put("etc/vselfp/libr/prd2/config/lfp02.l", "lower");
	put("etc/vselfp/libr/prd2/config/lfp01.l", "other");
	assert_source("DD:PRD2.CONFIG(LFP01.L)", "upper", "/etc/vselfp/libr/PRD2/CONFIG/LFP01.L");
	assert_source("DD:PRD2.CONFIG(LFP02.L)", "lower", "/etc/vselfp/libr/prd2/config/lfp02.l");
	assert_source("DD:prd2.config(lfp01.l)", "other", "/etc/vselfp/libr/prd2/config/lfp01.l");
}

static void what_is_missing_is_named_as_asked(void **state)
{
	struct source source;

	(void)state;
	assert_int_equal(source_open(&source, "DD:PRD1.BASE(NONE.L)"), -ENOENT);
	assert_string_equal(source.name + strlen(root), "/etc/vselfp/libr/PRD1/BASE/NONE.L");
	assert_int_equal(source_open(&source, "33"), -ENOENT);
	assert_string_equal(source.name + strlen(root), "/etc/vselfp/lfp-33.conf");
}

static void numbers_and_files(void **state)
{
	char file[64];

	(void)state;
	put("etc/vselfp/lfp-07.conf", "number");
	assert_source("07", "number", "/etc/vselfp/lfp-07.conf");
	put("file", "plain");
	snprintf(file, sizeof(file), "%s/file", root);
	assert_source(file, "plain", "/file");
}

static void bad_names_are_refused(void **state)
{
	static const char *const words[] = {
		"DD:",
		"DD:SYSLST",
		"DD:PRD2",
		"DD:PRD2.CONFIG",
		"DD:PRD2.CONFIG()",
		"DD:PRD2.CONFIG(LFP01)",
		"DD:PRD2.CONFIG(LFP01.)",
		"DD:PRD2.CONFIG(LFP01.L",
		"DD:PRD2.CONFIG(LFP01.L))",
		"DD:PRD2.CONFIG(LFP01.L) ",
		"DD:PRD2CONF.CONFIG(LFP01.L)",
		"DD:PRD2.CONFIGCON(LFP01.L)",
		"DD:PRD2.CONFIG(LFP010101.L)",
		"DD:...(LFP01.L)",
		"DD:../x.y(LFP01.L)",
		"DD:PRD2.CONFIG(../a.L)",
		"DD:PRD2.CONFIG(LFP01./L)",
	};
	char longest[2 * LFP_PLACE_MAX];
	struct source source;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_int_equal(source_open(&source, words[i]), -EINVAL);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(source_open(&source, longest), -ENAMETOOLONG);
}

static int make_root(void **state)
{
	(void)state;
	return mkdtemp(root) && !setenv("LFP_ROOT", root, 1) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sysipt_is_standard_input),
		cmocka_unit_test(members_are_files),
		cmocka_unit_test(what_is_missing_is_named_as_asked),
		cmocka_unit_test(numbers_and_files),
		cmocka_unit_test(bad_names_are_refused),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
