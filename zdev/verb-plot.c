/* SPDX-License-Identifier: Apache-2.0 */
/* verb-plot.c - zdev plot: a figure as a picture */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "devemu/plot/chart.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "zdev/verb.h"

static int usage(void)
{
	fputs("usage: zdev plot FIGURE [-o FILE]\nfigures:\n", stderr);
	for (unsigned int i = 0; figure_name(i); i++)
		fprintf(stderr, "  %-10s %s\n", figure_name(i), figure_about(i));
	return LFP_EXIT_USAGE;
}

/* Writes to @path, or to standard output if that is NULL. Returns 0 or a negative errno. */
static int write_chart(const struct chart *chart, const char *path)
{
	FILE *out = path ? fopen(path, "we") : stdout;
	int rc = 0;

	if (!out)
		return -errno;
	chart_svg(chart, out);
	errno = 0;
	if (fflush(out) || ferror(out))
		rc = errno ? -errno : -EIO;
	if (path && fclose(out) && rc == 0)
		rc = -errno;
	return rc;
}

int verb_plot(int argc, char **argv)
{
	const char *path = NULL;
	struct chart chart;
	int option, rc;

	optind = 1;
	while ((option = getopt(argc, argv, "o:")) != -1) {
		if (option != 'o')
			return usage();
		path = optarg;
	}
	if (argc - optind != 1)
		return usage();
	rc = figure_make(argv[optind], &chart);
	if (rc == -ENOENT) {
		fprintf(stderr, "zdev: unknown figure '%s'\n", argv[optind]);
		return usage();
	}
	if (rc < 0) {
		lfp_msg("VLFZ009E", "Cannot make figure %s: %s.", argv[optind], strerror(-rc));
		return LFP_EXIT_FAILURE;
	}
	rc = write_chart(&chart, path);
	if (rc < 0) {
		lfp_msg("VLFZ010E", "Cannot write figure %s to %s: %s.", argv[optind],
			path ? path : "standard output", strerror(-rc));
		return LFP_EXIT_FAILURE;
	}
	return LFP_EXIT_OK;
}
