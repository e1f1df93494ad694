/* SPDX-License-Identifier: Apache-2.0 */
/* test-options.c - options by word and by letter, and those of every program */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <getopt.h>
#include <string.h>
#include <unistd.h>

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
	struct lfp_texts texts;
} got;

static const struct lfp_option table[] = {
	{"loud", 'l', &got.loud, NULL, NULL}, {NULL, 'p', &got.plain, NULL, NULL},
	{"file", 'f', NULL, &got.file, NULL}, {"id", 0, NULL, &got.id, NULL},
	{"add", 'a', NULL, NULL, &got.texts}, {"sub", 0, NULL, NULL, &got.texts},
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

/* @text becomes what PARSE() writes to standard error. */
static void parse_wrong(struct lfp_options options, const char *const *words, char *text,
			size_t size)
{
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO), rc;
	size_t len;

	assert_non_null(file);
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	rc = parse(options, words);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	len = fread(text, 1, size - 1, file);
	text[len] = '\0';
	fclose(file);
	opterr = 0;
	assert_int_equal(rc, LFP_EXIT_USAGE);
}

static void a_wrong_option_is_told_in_a_line(void **state)
{
	static const struct {
		const char *words[3], *text;
	} wrong[] = {
		{{"--nothing"}, "unknown option --nothing"},
		{{"-x"}, "unknown option -x"},
		{{"-lx"}, "unknown option -x"},
		{{"--loud", "-xq"}, "unknown option -x"},
		{{"--file"}, "--file needs an argument"},
		{{"-f"}, "-f needs an argument"},
		{{"--loud", "-lf"}, "-f needs an argument"},
		{{"--loud=yes"}, "--loud takes no argument"},
		{{"--help=x"}, "--help takes no argument"},
		{{"--version=x"}, "--version takes no argument"},
	};

	(void)state;
	for (size_t i = 0; i < NR(wrong); i++) {
		char text[256], expected[256];

		parse_wrong(program, wrong[i].words, text, sizeof(text));
		snprintf(expected, sizeof(expected), "test: %s; see test --help\n", wrong[i].text);
		assert_string_equal(text, expected);
		assert_null(usage_went_to);
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

static void a_part_tells_the_reason_before_its_usage(void **state)
{
	static const struct {
		const char *words[2], *part;
	} wrong[] = {
		{{"-x"}, "'x'"},
		{{"-f"}, "'f'"},
		{{"--nothing"}, "--nothing"},
		{{"--loud=yes"}, "--loud"},
	};

	(void)state;
	for (size_t i = 0; i < NR(wrong); i++) {
		const struct lfp_options part = {.program = NULL};
		char text[256];

		parse_wrong(part, wrong[i].words, text, sizeof(text));
		assert_non_null(strstr(text, wrong[i].part));
		assert_ptr_equal(usage_went_to, stderr);
	}
}

static void an_operand_may_end_the_options(void **state)
{
	const struct lfp_options starter = {.program = "test", .operands_end = true};

	(void)state;
	assert_int_equal(PARSE(starter, "-p", "other", "-l"), -1);
	assert_true(got.plain && !got.loud);
	assert_int_equal(optind, 2);
}

static void options_may_stand_several_times(void **state)
{
	(void)state;
	assert_int_equal(PARSE(program, "--add", "1", "--sub=2", "-a", "3", "rest"), -1);
	assert_int_equal(got.texts.nr, 3);
	assert_string_equal(got.texts.of[0].word, "add");
	assert_string_equal(got.texts.of[0].text, "1");
	assert_string_equal(got.texts.of[1].word, "sub");
	assert_string_equal(got.texts.of[1].text, "2");
	assert_string_equal(got.texts.of[2].word, "add");
	assert_string_equal(got.texts.of[2].text, "3");
	assert_int_equal(PARSE(program, "--add"), LFP_EXIT_USAGE);
}

static void not_more_often_than_there_is_room(void **state)
{
	char *argv[LFP_TEXTS_MAX + 3];
	struct lfp_options options = program;

	(void)state;
	argv[0] = (char *)(uintptr_t) "test";
	for (int i = 1; i < LFP_TEXTS_MAX + 2; i++)
		argv[i] = (char *)(uintptr_t) "--add=1";
	argv[LFP_TEXTS_MAX + 2] = NULL;
	memset(&got, 0, sizeof(got));
	options.usage = usage;
	options.table = table;
	options.nr = NR(table);
	assert_int_equal(lfp_options_read(&options, LFP_TEXTS_MAX + 1, argv), -1);
	memset(&got, 0, sizeof(got));
	assert_int_equal(lfp_options_read(&options, LFP_TEXTS_MAX + 2, argv), LFP_EXIT_USAGE);
	assert_int_equal(got.texts.nr, LFP_TEXTS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_words_or_letters),
		cmocka_unit_test(a_wrong_option_is_told_in_a_line),
		cmocka_unit_test(every_program_has_version_and_help),
		cmocka_unit_test(a_part_of_a_program_has_neither),
		cmocka_unit_test(a_part_tells_the_reason_before_its_usage),
		cmocka_unit_test(an_operand_may_end_the_options),
		cmocka_unit_test(options_may_stand_several_times),
		cmocka_unit_test(not_more_often_than_there_is_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
