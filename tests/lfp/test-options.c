/* SPDX-License-Identifier: Apache-2.0 */
/* test-options.c - options by word and by letter, and those of every program */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <getopt.h>
#include <string.h>

#include "lfp/exit.h"
#include "lfp/options.h"

static FILE *usage_went_to;

static void usage(FILE *out)
{
	usage_went_to = out;
}

static struct {
	bool loud, plain;
	const char *file, *id;
} got;

static const struct lfp_option table[] = {
	{"loud", 'l', &got.loud, NULL},
	{NULL, 'p', &got.plain, NULL},
	{"file", 'f', NULL, &got.file},
	{"id", 0, NULL, &got.id},
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* Reads the words, NULL after the last. */
static int parse(struct lfp_options options, const char *const *words)
{
	char *argv[8] = {(char *)(uintptr_t) "test"};
	int argc = 1;

	for (; *words; words++)
		argv[argc++] = (char *)(uintptr_t)*words;
	memset(&got, 0, sizeof(got));
	usage_went_to = NULL;
	opterr = 0;
	options.usage = usage;
	options.table = table;
	options.nr = NR(table);
	return lfp_options_read(&options, argc, argv);
}

#define PARSE(options, ...) parse(options, (const char *const[]){__VA_ARGS__, NULL})

static const struct lfp_options program = {.program = "test"};

static void options_are_words_or_letters(void **state)
{
	(void)state;
	assert_int_equal(PARSE(program, "--loud", "--file=a", "--id", "7", "rest"), -1);
	assert_true(got.loud && !got.plain);
	assert_string_equal(got.file, "a");
	assert_string_equal(got.id, "7");
	assert_int_equal(optind, 5);
	assert_int_equal(PARSE(program, "rest", "-lpf", "b"), -1);
	assert_true(got.loud && got.plain);
	assert_string_equal(got.file, "b");
	assert_null(got.id);
	assert_int_equal(optind, 3);
}

static void wrong_options_show_the_usage(void **state)
{
	static const char *const wrong[] = {"--nothing", "-x", "--file", "-f", "--loud=yes"};

	(void)state;
	for (size_t i = 0; i < NR(wrong); i++) {
		assert_int_equal(PARSE(program, wrong[i]), LFP_EXIT_USAGE);
		assert_ptr_equal(usage_went_to, stderr);
	}
}

static void every_program_has_version_and_help(void **state)
{
	(void)state;
	assert_int_equal(PARSE(program, "--help"), LFP_EXIT_OK);
	assert_ptr_equal(usage_went_to, stdout);
	assert_int_equal(PARSE(program, "-V"), LFP_EXIT_OK);
	assert_null(usage_went_to);
}

static void a_part_of_a_program_has_neither(void **state)
{
	const struct lfp_options part = {.program = NULL};

	(void)state;
	assert_int_equal(PARSE(part, "--help"), LFP_EXIT_USAGE);
	assert_int_equal(PARSE(part, "-V"), LFP_EXIT_USAGE);
	assert_int_equal(PARSE(part, "-l"), -1);
}

static void an_operand_may_end_the_options(void **state)
{
	const struct lfp_options starter = {.program = "test", .operands_end = true};

	(void)state;
	assert_int_equal(PARSE(starter, "-p", "other", "-l"), -1);
	assert_true(got.plain && !got.loud);
	assert_int_equal(optind, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_words_or_letters),
		cmocka_unit_test(wrong_options_show_the_usage),
		cmocka_unit_test(every_program_has_version_and_help),
		cmocka_unit_test(a_part_of_a_program_has_neither),
		cmocka_unit_test(an_operand_may_end_the_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
