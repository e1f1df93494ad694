/* SPDX-License-Identifier: Apache-2.0 */
/* verb-plot.c - zdev plot: a figure as a picture */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "devemu/plot/chart.h"
#include "devemu/plot/published.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "zdev/verb.h"

static int usage(void)
{
	fputs("usage: zdev plot FIGURE [-o FILE] [-p FILE]\nfigures:\n", stderr);
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

/* Adds the published values of the file @path. Returns an exit code. */
static int add_published(struct chart *chart, const char *figure, const char *path)
{
	FILE *in = fopen(path, "re");
	const char *why;
	unsigned int line;
	int rc;

	if (!in) {
		lfp_msg("VLFZ090E", "Cannot open %s: %s.", path, strerror(errno));
		return LFP_EXIT_FAILURE;
	}
	rc = published_read(chart, figure, in, &line, &why);
	fclose(in);
	if (rc >= 0)
		return LFP_EXIT_OK;
	lfp_msg("VLFZ091E", "%s:%u: %s.", path, line, rc == -EINVAL ? why : strerror(-rc));
	return LFP_EXIT_FAILURE;
}

int verb_plot(int argc, char **argv)
{
	const char *path = NULL, *points = NULL;
	struct chart chart;
	int option, rc;

	optind = 1;
	while ((option = getopt(argc, argv, "o:p:")) != -1) {
		if (option == 'o')
			path = optarg;
		else if (option == 'p')
			points = optarg;
		else
			return usage();
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
	rc = points ? add_published(&chart, argv[optind], points) : LFP_EXIT_OK;
	if (rc)
		return rc;
	rc = write_chart(&chart, path);
	if (rc < 0) {
		lfp_msg("VLFZ010E", "Cannot write figure %s to %s: %s.", argv[optind],
			path ? path : "standard output", strerror(-rc));
		return LFP_EXIT_FAILURE;
	}
	return LFP_EXIT_OK;
}
