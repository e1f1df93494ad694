/* SPDX-License-Identifier: Apache-2.0 */
/* verb-check.c - zdev check: published figures against the model, and against measurements */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "figures/check.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "zdev/verb.h"

struct options {
	const char *table, *measured; /* "": none */
	enum check_format format;
	bool quiet, analytic;
	bool others;      /* measured values may be of rows that the table lacks */
	char *const *ids; /* rows, or their first letters: LFP, MQ */
};

static int usage(void)
{
	fputs("usage: zdev check [-q] [--analytic] [--format=text|markdown] [--table=FILE] "
	      "[--measured=FILE] [ROW...]\n"
	      "ROW is a row such as LFP-01, or all of a paper: LFP, MQ, ZI, FX or TN\n",
	      stderr);
	return LFP_EXIT_USAGE;
}

/* Fills @path with a file that is installed with this program, beside its scenarios. */
static void find_installed(char path[PATH_MAX], const char *name)
{
	char exe[PATH_MAX / 2] = "";
	const ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	exe[len > 0 ? len : 0] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	snprintf(path, PATH_MAX, "%s/../share/zdev/%s", exe, name);
}

static bool names(const char *wanted, const char *id)
{
	const size_t len = strlen(wanted);

	return !strncmp(wanted, id, len) && (!id[len] || id[len] == '-');
}

static bool is_wanted(const char *id, char *const *ids)
{
	if (!*ids)
		return true;
	for (; *ids; ids++)
		if (names(*ids, id))
			return true;
	return false;
}

/* Returns the first of @ids that names no row, or NULL. */
static const char *unknown(const struct check_table *table, char *const *ids)
{
	for (; *ids; ids++) {
		size_t i = 0;

		while (i < table->rows && !names(*ids, table->row[i].cell[CHECK_ID]))
			i++;
		if (i == table->rows)
			return *ids;
	}
	return NULL;
}

static FILE *open_table(const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file)
		lfp_msg("VLFZ092E", "Cannot open %s: %s.", path, strerror(errno));
	return file;
}

static int wrong_table(const char *error, int rc)
{
	lfp_msg("VLFZ093E", "%s.", error);
	return rc == -EINVAL ? LFP_EXIT_CONFIG : LFP_EXIT_UNAVAILABLE;
}

static int read_table(const char *path, struct check_table *table)
{
	FILE *file = open_table(path);
	char error[CHECK_ERROR];
	int rc;

	if (!file)
		return LFP_EXIT_UNAVAILABLE;
	rc = check_table_read(table, path, file, error);
	fclose(file);
	return rc < 0 ? wrong_table(error, rc) : LFP_EXIT_OK;
}

static int read_measured(const char *path, struct measured *measured)
{
	FILE *file = open_table(path);
	char error[MEASURED_ERROR];
	int rc;

	if (!file)
		return LFP_EXIT_UNAVAILABLE;
	rc = measured_read(measured, path, file, error);
	fclose(file);
	return rc < 0 ? wrong_table(error, rc) : LFP_EXIT_OK;
}

/* Each measured value has a published row. */
static int match_rows(const char *path, const struct measured *measured,
		      const struct check_table *table)
{
	char error[MEASURED_ERROR];

	for (size_t i = 0; i < measured->rows; i++) {
		const struct measured_row *row = &measured->row[i];

		if (check_table_find(table, row->cell[MEASURED_ID]))
			continue;
		snprintf(error, sizeof(error), "%.180s:%d: no published row '%.40s'", path,
			 row->line, row->cell[MEASURED_ID]);
		return wrong_table(error, -EINVAL);
	}
	return LFP_EXIT_OK;
}

static void on_run(void *context, const char *scenario)
{
	(void)context;
	fprintf(stderr, "\r\033[Krunning %s", scenario);
}

/* Do any of the chosen rows have a measured value? */
static bool has_measured(const struct check *check, char *const *ids)
{
	for (size_t i = 0; check->measured && i < check->measured->rows; i++)
		if (is_wanted(check->measured->row[i].cell[MEASURED_ID], ids))
			return true;
	return false;
}

static int judge_all(struct check *check, const struct options *options)
{
	const bool measured = has_measured(check, options->ids);
	struct check_counts counts = {0};

	check_print_head(options->format, measured, stdout);
	for (size_t i = 0; i < check->table->rows; i++) {
		struct check_result result;

		if (!is_wanted(check->table->row[i].cell[CHECK_ID], options->ids))
			continue;
		check_judge(check, &check->table->row[i], &result);
		if (check->runs.progress)
			fputs("\r\033[K", stderr);
		check_print(check, &result, options->format, measured, stdout);
		check_count(&counts, &result);
	}
	check_print_counts(&counts, options->format, stdout);
	return counts.verdict[CHECK_FAILED] ? LFP_EXIT_FAILURE : LFP_EXIT_OK;
}

/* The scenarios are in the folder "scenarios" beside the table. */
static int check_rows(const struct options *options, const struct check_table *table,
		      const struct measured *measured)
{
	const char *slash = strrchr(options->table, '/');
	struct check check = {.table = table, .measured = measured, .closed = options->analytic};
	const char *wrong = unknown(table, options->ids);
	char folder[PATH_MAX];
	int rc;

	if (wrong) {
		fprintf(stderr, "zdev: %s has no row '%s'\n", options->table, wrong);
		return LFP_EXIT_USAGE;
	}
	snprintf(folder, sizeof(folder), "%.*sscenarios",
		 slash ? (int)(slash + 1 - options->table) : 0, options->table);
	check.runs.folder = folder;
	if (!options->quiet && isatty(STDERR_FILENO))
		check.runs.progress = on_run;
	rc = judge_all(&check, options);
	check_runs_finish(&check.runs);
	return rc;
}

static int run(const struct options *options)
{
	struct measured measured = {0};
	struct check_table table = {0};
	int rc = read_table(options->table, &table);

	if (rc == LFP_EXIT_OK && *options->measured)
		rc = read_measured(options->measured, &measured);
	if (rc == LFP_EXIT_OK && !options->others)
		rc = match_rows(options->measured, &measured, &table);
	if (rc == LFP_EXIT_OK)
		rc = check_rows(options, &table, &measured);
	measured_finish(&measured);
	check_table_finish(&table);
	return rc;
}

static bool take_format(const char *name, enum check_format *format)
{
	static const char *const formats[] = {[CHECK_TEXT] = "text", [CHECK_MARKDOWN] = "markdown"};

	for (int f = CHECK_TEXT; f <= CHECK_MARKDOWN; f++)
		if (!strcmp(name, formats[f])) {
			*format = (enum check_format)f;
			return true;
		}
	fprintf(stderr, "zdev: '%s' is neither text nor markdown\n", name);
	return false;
}

int verb_check(int argc, char **argv)
{
	static const struct option words[] = {
		{"analytic", no_argument, NULL, 'a'},
		{"format", required_argument, NULL, 'f'},
		{"measured", required_argument, NULL, 'm'},
		{"quiet", no_argument, NULL, 'q'},
		{"table", required_argument, NULL, 't'},
		{NULL, 0, NULL, 0},
	};
	char table[PATH_MAX], measured[PATH_MAX];
	struct options options = {.table = table, .measured = measured};
	int option;

	find_installed(table, "devices.tsv");
	find_installed(measured, "measured.tsv");
	optind = 1;
	while ((option = getopt_long(argc, argv, "q", words, NULL)) != -1) {
		if (option == 'q')
			options.quiet = true;
		else if (option == 'a')
			options.analytic = true;
		else if (option == 'm')
			options.measured = optarg;
		else if (option == 't')
			options.table = optarg;
		else if (option != 'f')
			return usage();
		else if (!take_format(optarg, &options.format))
			return LFP_EXIT_USAGE;
	}
	/* The package's own measured values are of the package's own table. */
	options.others = options.table != table && options.measured == measured;
	options.ids = argv + optind;
	return run(&options);
}
