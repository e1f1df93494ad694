/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - a table of published figures against the model: "make check-devices" runs it
 *
 *   figures [-q] [--analytic] [--format=text|markdown] TABLE [ROW...]
 *
 * --analytic takes closed forms instead of runs where the table has some. Scenarios are looked for
 * in the folder "scenarios" beside the table. The exit code is 0, 1 (a figure does not come out),
 * or one of lfp/exit.h. docs/devices.md describes the output.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/figures/check.h"
#include "lfp/exit.h"

static int usage(void)
{
	fputs("usage: figures [-q] [--analytic] [--format=text|markdown] TABLE [ROW...]\n"
	      "Scenarios are looked for in the folder 'scenarios' beside the table.\n",
	      stderr);
	return LFP_EXIT_USAGE;
}

static void on_run(void *context, const char *scenario)
{
	(void)context;
	fprintf(stderr, "\r\033[Krunning %s", scenario);
}

static bool is_wanted(const char *id, char *const *ids)
{
	if (!*ids)
		return true;
	for (; *ids; ids++)
		if (!strcmp(*ids, id))
			return true;
	return false;
}

static int read_table(const char *path, struct check_table *table)
{
	char error[CHECK_ERROR];
	FILE *file = fopen(path, "re");
	int rc;

	if (!file) {
		fprintf(stderr, "figures: %s cannot be opened: %s\n", path, strerror(errno));
		return LFP_EXIT_UNAVAILABLE;
	}
	rc = check_table_read(table, path, file, error);
	fclose(file);
	if (rc == 0)
		return 0;
	fprintf(stderr, "figures: %s\n", error);
	check_table_finish(table);
	return rc == -EINVAL ? LFP_EXIT_CONFIG : LFP_EXIT_UNAVAILABLE;
}

static int check_all(struct check *check, char *const *ids, enum check_format format, bool show)
{
	struct check_counts counts = {0};

	check_print_head(format, stdout);
	for (size_t i = 0; i < check->table->rows; i++) {
		struct check_result result;

		if (!is_wanted(check->table->row[i].cell[CHECK_ID], ids))
			continue;
		check_judge(check, &check->table->row[i], &result);
		if (show)
			fputs("\r\033[K", stderr);
		check_print(&result, format, stdout);
		check_count(&counts, &result);
	}
	check_print_counts(&counts, format, stdout);
	if (fflush(stdout) == EOF || ferror(stdout)) {
		fprintf(stderr, "figures: the output cannot be written: %s\n", strerror(errno));
		return LFP_EXIT_FAILURE;
	}
	return counts.verdict[CHECK_FAILED] ? LFP_EXIT_FAILURE : LFP_EXIT_OK;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"analytic", no_argument, NULL, 'a'},
		{"format", required_argument, NULL, 'f'},
		{"quiet", no_argument, NULL, 'q'},
		{NULL, 0, NULL, 0},
	};
	enum check_format format = CHECK_TEXT;
	struct check check = {0};
	struct check_table table;
	bool quiet = false;
	char folder[PATH_MAX];
	const char *slash;
	int option, rc;

	while ((option = getopt_long(argc, argv, "q", options, NULL)) != -1) {
		if (option == 'q')
			quiet = true;
		else if (option == 'a')
			check.closed = true;
		else if (option != 'f')
			return usage();
		else if (!strcmp(optarg, "markdown"))
			format = CHECK_MARKDOWN;
		else if (strcmp(optarg, "text")) {
			fprintf(stderr, "figures: '%s' is neither text nor markdown\n", optarg);
			return LFP_EXIT_USAGE;
		}
	}
	if (optind == argc)
		return usage();
	rc = read_table(argv[optind], &table);
	if (rc)
		return rc;
	for (char **id = argv + optind + 1; *id; id++)
		if (!check_table_find(&table, *id)) {
			fprintf(stderr, "figures: %s has no row '%s'\n", argv[optind], *id);
			check_table_finish(&table);
			return LFP_EXIT_USAGE;
		}
	slash = strrchr(argv[optind], '/');
	snprintf(folder, sizeof(folder), "%.*sscenarios",
		 slash ? (int)(slash + 1 - argv[optind]) : 0, argv[optind]);
	check.table = &table;
	check.runs.folder = folder;
	if (!quiet && isatty(STDERR_FILENO))
		check.runs.progress = on_run;
	rc = check_all(&check, argv + optind + 1, format, check.runs.progress != NULL);
	check_runs_finish(&check.runs);
	check_table_finish(&table);
	return rc;
}
