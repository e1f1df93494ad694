/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - the options of a program, from a table */
#ifndef LFP_OPTIONS_H
#define LFP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LFP_TEXTS_MAX 256

/* The arguments of options that may stand several times, in their order. */
struct lfp_texts {
	struct {
		const char *word; /* of the option */
		const char *text;
	} of[LFP_TEXTS_MAX];
	size_t nr;
};

/* An option sets @flag to true, or has an argument, to which it sets @text or which it adds to
 * @texts. */
struct lfp_option {
	const char *word; /* --WORD; NULL: none */
	char letter;      /* -LETTER; 0: none */
	bool *flag;
	const char **text;
	struct lfp_texts *texts;
};

#define LFP_OPTIONS_MAX 32

struct lfp_options {
	const char *program; /* with --version and --help, too; NULL: without them */
	void (*usage)(FILE *out);
	const struct lfp_option *table; /* at most LFP_OPTIONS_MAX */
	size_t nr;
	bool operands_end; /* words behind the first operand are no options */
};

/* Report a wrong command line of @program on standard error: "PROGRAM: TEXT; see PROGRAM --help".
 * Returns LFP_EXIT_USAGE. */
int lfp_options_wrong(const char *program, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Reads the options, in any order, with getopt_long(). Afterwards optind is the place of the first
 * operand. Returns -1 to go on, or an exit code: everything has been printed then. */
int lfp_options_read(const struct lfp_options *options, int argc, char **argv);

#endif
