/* SPDX-License-Identifier: Apache-2.0 */
/* verb-display.c - zdev display: the console's answers while a scenario runs */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devemu/report/display.h"
#include "devemu/scenario/scenario.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "zdev/verb.h"

/* Orders commands by time, and those of the same time as in the scenario. */
static int earlier(const void *a, const void *b)
{
	const struct command_config *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->line - y->line;
}

/* Runs up to the time of each command and answers the command. Returns the exit code. */
static int answer(struct fabric *fabric, const struct command_config *commands, size_t count,
		  const char *path)
{
	int rc = fabric_begin(fabric), code = LFP_EXIT_OK;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		char why[120];

		rc = fabric_run_until(fabric, commands[i].at);
		if (rc < 0)
			break;
		if (i)
			putchar('\n');
		printf("%s\n", commands[i].text);
		if (display_command(fabric, commands[i].text, (unsigned int)i + 1, stdout, why) <
		    0) {
			fflush(stdout);
			lfp_msg("VLFZ007E", "%s: '%s': %s.", path, commands[i].text, why);
			code = LFP_EXIT_USAGE;
		}
	}
	return rc < 0 ? run_failed(fabric, path, rc) : code;
}

int verb_display(int argc, char **argv)
{
	struct command_config one = {.at = -1};
	struct config config;
	struct fabric *fabric;
	int option, rc;

	optind = 1;
	while ((option = getopt(argc, argv, "t:")) != -1) {
		if (option != 't')
			return LFP_EXIT_USAGE;
		if (value_time(optarg, &one.at) < 0) {
			fprintf(stderr, "zdev: '%s' is not a time such as 0.2us, 10ms or 1s\n",
				optarg);
			return LFP_EXIT_USAGE;
		}
	}
	if (argc - optind < 1 || argc - optind > 2 || (argc - optind == 1 && one.at >= 0)) {
		fputs("usage: zdev display [-t TIME] COMMAND SCENARIO\n"
		      "       zdev display SCENARIO\n",
		      stderr);
		return LFP_EXIT_USAGE;
	}
	if (argc - optind == 2) {
		if (strlen(argv[optind]) >= sizeof(one.text)) {
			fprintf(stderr, "zdev: the command is longer than %zu characters\n",
				sizeof(one.text) - 1);
			return LFP_EXIT_USAGE;
		}
		strcpy(one.text, argv[optind]);
	}
	rc = load_scenario(argv[argc - 1], &config, &fabric);
	if (rc)
		return rc;
	if (argc - optind == 2) {
		if (one.at < 0)
			one.at = config.warmup + config.time;
		rc = answer(fabric, &one, 1, argv[argc - 1]);
	} else if (config.commands) {
		qsort(config.command, config.commands, sizeof(*config.command), earlier);
		rc = answer(fabric, config.command, config.commands, argv[argc - 1]);
	} else {
		lfp_msg("VLFZ008E",
			"Scenario %s has no display statement, and no command is given.",
			argv[argc - 1]);
		rc = LFP_EXIT_USAGE;
	}
	fabric_destroy(fabric);
	config_finish(&config);
	return rc;
}
