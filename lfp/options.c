/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - the options of a program, from a table */
#include "lfp/options.h"

#include <assert.h>
#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include "lfp/exit.h"

/* Results of getopt_long() for the word of the first option, and for those of every program */
#define WORD    256
#define VERSION (WORD + LFP_OPTIONS_MAX)
#define HELP    (VERSION + 1)

/* Tables for getopt_long(): words, and letters, with a colon after each that takes an argument. */
struct tables {
	struct option words[LFP_OPTIONS_MAX + 3];
	char letters[2 * (LFP_OPTIONS_MAX + 2) + 3];
	size_t nr_words, nr_letters;
};

static void add(struct tables *tables, const struct lfp_option *option, int result)
{
	const int has_arg = option->text || option->texts ? required_argument : no_argument;

	if (option->word)
		tables->words[tables->nr_words++] =
			(struct option){option->word, has_arg, NULL, result};
	if (!option->letter)
		return;
	tables->letters[tables->nr_letters++] = option->letter;
	if (has_arg == required_argument)
		tables->letters[tables->nr_letters++] = ':';
}

static void make_tables(struct tables *tables, const struct lfp_options *options)
{
	assert(options->nr <= LFP_OPTIONS_MAX);
	if (options->operands_end)
		tables->letters[tables->nr_letters++] = '+';
	/* Without it glibc reports wrong options. */
	if (options->program)
		tables->letters[tables->nr_letters++] = ':';
	for (size_t i = 0; i < options->nr; i++)
		add(tables, &options->table[i], WORD + (int)i);
	if (!options->program)
		return;
	add(tables, &(struct lfp_option){"version", 'V', NULL, NULL, NULL}, VERSION);
	add(tables, &(struct lfp_option){"help", 'h', NULL, NULL, NULL}, HELP);
}

static const struct lfp_option *find(const struct lfp_options *options, int result)
{
	for (size_t i = 0; i < options->nr; i++)
		if (result == WORD + (int)i || (result && result == options->table[i].letter))
			return &options->table[i];
	return NULL;
}

int lfp_options_wrong(const char *program, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", program);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see %s --help\n", program);
	return LFP_EXIT_USAGE;
}

/* Reports an option that getopt_long() refuses with @result. optopt is a letter, the result of a
 * word that is known, or 0: only then is @word the option. */
static int refuse(const struct tables *tables, int result, const char *word, const char *program)
{
	const char letter[] = {(char)optopt, '\0'};
	const char *dashes = optopt < WORD ? "-" : "--", *name = letter;

	if (!optopt)
		return lfp_options_wrong(program, "unknown option %s", word);
	for (size_t i = 0; i < tables->nr_words; i++)
		if (tables->words[i].val == optopt)
			name = tables->words[i].name;
	if (result == ':')
		return lfp_options_wrong(program, "%s%s needs an argument", dashes, name);
	/* A letter's argument is no error: "-sx" is "-s -x". */
	if (optopt >= WORD)
		return lfp_options_wrong(program, "--%s takes no argument", name);
	return lfp_options_wrong(program, "unknown option -%s", name);
}

/* An option that is not in the table. Returns an exit code. */
static int end(const struct lfp_options *options, const struct tables *tables, int result,
	       char **argv)
{
	if (result == 'V' || result == VERSION) {
		printf("%s %s\n", options->program, VSELFPD_VERSION);
		return LFP_EXIT_OK;
	}
	if (result == 'h' || result == HELP) {
		options->usage(stdout);
		return LFP_EXIT_OK;
	}
	if (options->program)
		return refuse(tables, result, argv[optind - 1], options->program);
	options->usage(stderr);
	return LFP_EXIT_USAGE;
}

/* Returns 0, or an exit code after a message. */
static int take(const struct lfp_option *option)
{
	struct lfp_texts *texts = option->texts;

	if (option->text) {
		*option->text = optarg;
	} else if (!texts) {
		*option->flag = true;
	} else if (texts->nr < LFP_TEXTS_MAX) {
		texts->of[texts->nr].word = option->word;
		texts->of[texts->nr++].text = optarg;
	} else {
		fprintf(stderr, "--%s is given more than %d times\n", option->word, LFP_TEXTS_MAX);
		return LFP_EXIT_USAGE;
	}
	return 0;
}

int lfp_options_read(const struct lfp_options *options, int argc, char **argv)
{
	struct tables tables = {.nr_words = 0};
	int result;

	make_tables(&tables, options);
	opterr = !options->program;
	/* glibc starts anew, also where another call ended within a word (getopt(3), NOTES). */
	optind = 0;
	while ((result = getopt_long(argc, argv, tables.letters, tables.words, NULL)) != -1) {
		const struct lfp_option *option = find(options, result);

		if (!option)
			return end(options, &tables, result, argv);
		if (take(option))
			return LFP_EXIT_USAGE;
	}
	return -1;
}
