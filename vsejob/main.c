/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - vsejob: run a z/VSE job stream */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "lfp/exit.h"
#include "lfp/log.h"
#include "vsejob/job.h"

#define EXIT_MOST 255u

static int usage(FILE *to, int code)
{
	fputs("usage: vsejob FILE\n"
	      "Run the z/VSE job stream in FILE, - is standard input.\n"
	      "  -V, --version  print the version\n"
	      "  -h, --help     print this\n",
	      to);
	return code;
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
	/* Line by line, so that what programs print stands where it belongs. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	rc = job_run_stream(in, in == stdin ? "SYSRDR" : name);
	if (in != stdin)
		fclose(in);
	return (int)(rc < EXIT_MOST ? rc : EXIT_MOST);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	int c;

	lfp_log_set_info(true);
	while ((c = getopt_long(argc, argv, "hV", options, NULL)) != -1) {
		switch (c) {
		case 'h':
			return usage(stdout, LFP_EXIT_OK);
		case 'V':
			puts("vsejob " VSELFPD_VERSION);
			return LFP_EXIT_OK;
		default:
			return usage(stderr, LFP_EXIT_USAGE);
		}
	}
	if (optind != argc - 1)
		return usage(stderr, LFP_EXIT_USAGE);
	return run(argv[optind]);
}
