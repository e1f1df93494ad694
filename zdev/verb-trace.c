/* SPDX-License-Identifier: Apache-2.0 */
/* verb-trace.c - zdev trace: the events of a run, a line each */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "devemu/fabric/trace.h"
#include "lfp/exit.h"
#include "lfp/number.h"
#include "zdev/verb.h"

struct lines {
	struct fabric *fabric;
	unsigned long left;
};

static void print_record(void *ctx, const struct eventlog_record *record)
{
	struct lines *lines = ctx;
	char text[64];

	if (!lines->left)
		return;
	printf("%" PRId64 ".%06" PRId64 " us %-8s %04X ", record->at / SIM_US, record->at % SIM_US,
	       trace_name(record->kind), record->object);
	if (record->kind == TRACE_IU) {
		trace_iu_text(record->value, text, sizeof(text));
		puts(text);
	} else if (record->kind == TRACE_STATUS) {
		printf("%04" PRIX64 "\n", record->value);
	} else {
		printf("%" PRIu64 "\n", record->value);
	}
	if (--lines->left == 0 || ferror(stdout))
		sim_stop(&lines->fabric->sim);
}

int verb_trace(int argc, char **argv)
{
	struct lines lines = {.left = ULONG_MAX};
	struct config config;
	int option, rc;

	optind = 1;
	while ((option = getopt(argc, argv, "n:")) != -1) {
		if (option != 'n')
			return LFP_EXIT_USAGE;
		if (lfp_number(optarg, 1, ULONG_MAX, &lines.left) < 0) {
			fprintf(stderr, "zdev: '%s' is not a number of records\n", optarg);
			return LFP_EXIT_USAGE;
		}
	}
	if (argc - optind != 1) {
		fputs("usage: zdev trace [-n RECORDS] SCENARIO\n", stderr);
		return LFP_EXIT_USAGE;
	}
	rc = load_scenario(argv[optind], &config, &lines.fabric);
	if (rc)
		return rc;
	lines.fabric->sim.log.sink = print_record;
	lines.fabric->sim.log.ctx = &lines;
	rc = fabric_begin(lines.fabric);
	if (rc == 0 && lines.left)
		rc = fabric_run_until(lines.fabric, config.warmup + config.time);
	if (rc < 0)
		run_failed(lines.fabric, argv[optind], rc);
	fabric_destroy(lines.fabric);
	config_finish(&config);
	return rc < 0 ? LFP_EXIT_FAILURE : LFP_EXIT_OK;
}
