/* SPDX-License-Identifier: Apache-2.0 */
/* figure.c - the runs behind each figure */
#include "devemu/plot/chart.h"

#include <errno.h>
#include <string.h>

#include "devemu/fabric/fabric.h"
#include "devemu/scenario/scenario.h"

/* Quantity of a point. MB/s are the sum of both directions. */
struct result {
	double rate, response_us, mb;
};

#define COMMON                                                                                     \
	"seed 1\nwarmup 20ms\ntime 100ms\nchannel 50\nchannel 51 discipline=ps:0.2us card=1\n"     \
	"control-unit 7800\ncontrol-unit 7900 preset=ideal\ndevice 7800-7807 cu=7800\n"            \
	"device 7900-7907 cu=7900\n"

static const char *const sizes[] = {"4K", "8K", "16K", "32K", "64K", "128K"};

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static int run(const char *text, struct result *result)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct lfp_reader_error err;
	struct fabric_error error;
	struct fabric *fabric = NULL;
	struct config config;
	uint64_t ended = 0, response = 0;
	double seconds;
	int rc;

	if (!file)
		return -errno;
	*result = (struct result){0};
	rc = scenario_read(&config, "figure", file, &err);
	fclose(file);
	if (rc == 0)
		rc = fabric_create(&fabric, &config, &error);
	if (rc == 0)
		rc = fabric_run(fabric);
	if (rc == 0) {
		seconds = (double)fabric_interval(fabric) / SIM_SEC;
		for (size_t i = 0; i < fabric->loads; i++) {
			ended += fabric->load[i].ended;
			response += fabric->load[i].response;
		}
		for (size_t i = 0; i < fabric->devices; i++)
			result->mb += (double)(fabric->device[i].counters.bytes_read +
					       fabric->device[i].counters.bytes_written) /
				      1e6 / seconds;
		result->rate = (double)ended / seconds;
		result->response_us = ended ? (double)response / (double)ended / (double)SIM_US : 0;
	}
	fabric_destroy(fabric);
	config_finish(&config);
	return rc;
}

static void series(struct chart *chart, const char *name)
{
	snprintf(chart->serie[chart->series++].name, CHART_TEXT, "%s", name);
}

/* Both protocols by block size: I/Os or, with a mix of reads and writes, megabytes a second. */
static int by_size(struct chart *chart, bool megabytes)
{
	static const char *const names[] = {"FICON", "zHPF"};
	struct result result;
	int rc = 0;

	chart->kind = CHART_BARS;
	strcpy(chart->x_label, "bytes an I/O");
	chart->categories = SIZES;
	for (size_t i = 0; i < SIZES; i++)
		strcpy(chart->category[i], sizes[i]);
	for (int p = 0; rc == 0 && p < 2; p++) {
		series(chart, names[p]);
		for (size_t i = 0; rc == 0 && i < SIZES; i++) {
			char text[1024];

			snprintf(text, sizeof(text),
				 COMMON
				 "path 50 7800\npath 51 7900\nzhpf %s\nload a devices=7800-7807 "
				 "streams=60 bytes=%s read=%d\n",
				 p ? "yes" : "no", sizes[i], megabytes ? 50 : 100);
			rc = run(text, &result);
			chart_add(chart, (double)i, megabytes ? result.mb : result.rate);
		}
	}
	return rc;
}

static int iops(struct chart *chart)
{
	strcpy(chart->title, "Reads a second on one FEx32S channel, by protocol and size");
	strcpy(chart->y_label, "I/Os a second");
	return by_size(chart, false);
}

static int mbs(struct chart *chart)
{
	strcpy(chart->title, "MB a second on one FEx32S channel, half reads and half writes");
	strcpy(chart->y_label, "MB a second, both directions");
	return by_size(chart, true);
}

/* As many streams of both as the percentages say. A processor with round robin divides its time
 * equally; one that serves I/Os in order of arrival divides I/Os equally. */
static int mix(struct chart *chart)
{
	static const struct {
		const char *name, *paths;
	} lines[] = {
		{"time is shared", "path 50 7800\npath 51 7900\n"},
		{"I/Os are shared", "path 51 7800\npath 50 7900\n"},
	};
	struct result result;
	int rc = 0;

	chart->kind = CHART_LINES;
	strcpy(chart->title, "4 KB reads a second with both protocols on one FEx32S channel");
	strcpy(chart->x_label, "percent of the streams that use zHPF");
	strcpy(chart->y_label, "I/Os a second");
	for (size_t l = 0; l < 2; l++) {
		series(chart, lines[l].name);
		for (int zhpf = 0; rc == 0 && zhpf <= 100; zhpf += 10) {
			const int streams = zhpf == 100 ? 60 : 50 * zhpf / (100 - zhpf);
			char text[1024], part[2][128] = {"", ""};

			/* FICON has 64 exchanges: more streams of it would only wait for one. */
			if (zhpf > 0)
				snprintf(part[0], sizeof(part[0]),
					 "load z devices=7900-7907 streams=%d\n", streams);
			if (zhpf < 100)
				snprintf(part[1], sizeof(part[1]),
					 "load f devices=7900-7907 streams=50 program=ccw\n");
			snprintf(text, sizeof(text), COMMON "%szhpf yes\n%s%s", lines[l].paths,
				 part[0], part[1]);
			rc = run(text, &result);
			chart_add(chart, zhpf, result.rate);
		}
	}
	return rc;
}

static int response(struct chart *chart)
{
	static const unsigned int ficon[] = {1, 5, 10, 15, 18, 20, 22, 23, 24};
	static const unsigned int zhpf[] = {1, 10, 20, 50, 100, 150, 200, 250, 285, 295};
	static const struct {
		const char *name, *statement;
		const unsigned int *rate;
		size_t count;
	} lines[] = {
		{"FICON", "no", ficon, sizeof(ficon) / sizeof(ficon[0])},
		{"zHPF", "yes", zhpf, sizeof(zhpf) / sizeof(zhpf[0])},
	};
	struct result result;
	int rc = 0;

	chart->kind = CHART_LINES;
	strcpy(chart->title, "Response of 4 KB reads against load on one FEx32S channel");
	strcpy(chart->x_label, "I/Os a second");
	strcpy(chart->y_label, "microseconds");
	for (size_t l = 0; l < 2; l++) {
		series(chart, lines[l].name);
		for (size_t i = 0; rc == 0 && i < lines[l].count; i++) {
			char text[1024];

			snprintf(text, sizeof(text),
				 COMMON "path 50 7800\npath 51 7900\nzhpf %s\nload a "
					"devices=7800-7807 rate=%u\n",
				 lines[l].statement, lines[l].rate[i] * 1000);
			rc = run(text, &result);
			chart_add(chart, result.rate, result.response_us);
		}
	}
	return rc;
}

static int distance(struct chart *chart)
{
	static const unsigned int credits[] = {90, 720, 1690};
	struct result result;
	int rc = 0;

	chart->kind = CHART_LINES;
	strcpy(chart->title, "128 KB zHPF reads over one 32 Gbps link, by buffer credits");
	strcpy(chart->x_label, "kilometres");
	strcpy(chart->y_label, "MB a second");
	for (int c = 0; rc == 0 && c < 3; c++) {
		char name[32];

		snprintf(name, sizeof(name), "%u credits", credits[c]);
		series(chart, name);
		for (unsigned int km = 0; rc == 0 && km <= 120; km += km < 10 ? 5 : 10) {
			char text[1024];

			snprintf(text, sizeof(text),
				 COMMON "link L distance=%ukm credits=%u\npath 50 7800 via=L\npath "
					"51 7900\nzhpf "
					"yes\nload a devices=7800-7807 streams=100 bytes=128K\n",
				 km, credits[c]);
			rc = run(text, &result);
			chart_add(chart, km, result.mb);
		}
	}
	return rc;
}

static const struct {
	const char *name, *about;
	int (*make)(struct chart *chart);
} figures[] = {
	{"iops", "I/Os a second by protocol and size (Figures 1 and 4)", iops},
	{"mbs", "MB a second by protocol and size (Figures 2 and 6)", mbs},
	{"mix", "both protocols on one channel (Figure 5)", mix},
	{"response", "response against load (Figure 4)", response},
	{"distance", "MB a second against distance, by credits (Figure 11)", distance},
};

#define FIGURES (sizeof(figures) / sizeof(figures[0]))

const char *figure_name(unsigned int nr)
{
	return nr < FIGURES ? figures[nr].name : NULL;
}

const char *figure_about(unsigned int nr)
{
	return nr < FIGURES ? figures[nr].about : NULL;
}

int figure_make(const char *name, struct chart *chart)
{
	memset(chart, 0, sizeof(*chart));
	strcpy(chart->note, "Simulated events, a run of 0.1 s a point; the model is ours.");
	for (size_t i = 0; i < FIGURES; i++)
		if (!strcmp(figures[i].name, name))
			return figures[i].make(chart);
	return -ENOENT;
}
