/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - vsejob: run a z/VSE job stream */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/options.h"
#include "vsejob/job.h"

#define EXIT_MOST 255u

static void usage(FILE *to)
{
	fputs("usage: vsejob FILE\n"
	      "Run the z/VSE job stream in FILE, - is standard input.\n"
	      "  -V, --version  print the version\n"
	      "  -h, --help     print this\n",
	      to);
}

static int run(const char *name)
{
	FILE *in = stdin;
	unsigned int rc;

	if (strcmp(name, "-")) {
		in = fopen(name, "re");
		if (!in) {
			lfp_msg("VLFB600E", "Cannot read the job stream %s: %s.", name,
				strerror(errno));
			return LFP_EXIT_UNAVAILABLE;
		}
	}
	/* Write line by line, so that the output of programs appears in its place. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	rc = job_run_stream(in, in == stdin ? "SYSRDR" : name);
	if (in != stdin)
		fclose(in);
	return (int)(rc < EXIT_MOST ? rc : EXIT_MOST);
}

int main(int argc, char **argv)
{
	const struct lfp_options options = {.program = "vsejob", .usage = usage};
	int code;

	lfp_log_set_info(true);
	code = lfp_options_read(&options, argc, argv);
	if (code >= 0)
		return code;
	if (optind == argc - 1)
		return run(argv[optind]);
	return lfp_options_wrong("vsejob", optind < argc ? "more than one FILE" : "no FILE given");
}
