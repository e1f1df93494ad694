/* SPDX-License-Identifier: Apache-2.0 */
/* verb-report.c - zdev report: runs a scenario to its end, then prints its counters */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "devemu/report/report.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "zdev/verb.h"

static int usage(void)
{
	fputs("usage: zdev report [-q] [--format=text|json|csv] SCENARIO [REPORT...]\n"
	      "REPORT is channel, device or sync; without one, all are printed\n",
	      stderr);
	return LFP_EXIT_USAGE;
}

static int format_of(const char *name)
{
	static const char *const names[] = {"text", "json", "csv"};

	for (int i = 0; i < 3; i++)
		if (!strcmp(names[i], name))
			return i;
	fprintf(stderr, "zdev: '%s' is not text, json or csv\n", name);
	return -1;
}

/* Returns the reports that @names lists, as bits; 0 if one is unknown. */
static unsigned int kinds_of(char *const *names)
{
	unsigned int kinds = 0;

	for (; *names; names++) {
		const int kind = report_kind_of(*names);

		if (kind < 0) {
			fprintf(stderr,
				"zdev: unknown report '%s': there are channel, device and sync\n",
				*names);
			return 0;
		}
		kinds |= 1U << kind;
	}
	return kinds;
}

int verb_report(int argc, char **argv)
{
	static const struct option options[] = {
		{"format", required_argument, NULL, 'f'},
		{"quiet", no_argument, NULL, 'q'},
		{NULL, 0, NULL, 0},
	};
	unsigned int kinds = (1U << REPORTS) - 1;
	int option, rc, format = REPORT_TEXT;
	struct config config;
	struct fabric *fabric;
	bool quiet = false;

	optind = 1;
	while ((option = getopt_long(argc, argv, "q", options, NULL)) != -1) {
		if (option == 'q')
			quiet = true;
		else if (option != 'f')
			return usage();
		else if ((format = format_of(optarg)) < 0)
			return LFP_EXIT_USAGE;
	}
	if (optind == argc)
		return usage();
	if (argc - optind > 1) {
		kinds = kinds_of(argv + optind + 1);
		if (!kinds)
			return LFP_EXIT_USAGE;
	}
	rc = load_scenario(argv[optind], &config, &fabric);
	if (rc)
		return rc;
	rc = run_scenario(fabric, argv[optind], quiet);
	if (rc == 0) {
		rc = report_print(fabric, kinds, (enum report_format)format, stdout);
		if (rc == 0)
			rc = run_flush();
		if (rc < 0)
			lfp_msg("VLFZ006E", "Cannot write the report of %s: %s.", argv[optind],
				strerror(-rc));
	}
	fabric_destroy(fabric);
	config_finish(&config);
	return rc < 0 ? LFP_EXIT_FAILURE : LFP_EXIT_OK;
}
