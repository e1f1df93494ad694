/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - lfp-via: the controller of the appliance, and its configuration disk */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp-via/command.h"
#include "lfp-via/disk-file.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/options.h"

struct arguments {
	const char *to, *hsuid;
};

static int run_check(char **words)
{
	return disk_check(words[0]);
}

static int run_config(char **words)
{
	return disk_write(words[0], words[1]);
}

static int run_show(char **words)
{
	return disk_show(words[0]);
}

/* Of the configuration disk; the others are the appliance's, see via/request.h. */
static const struct {
	const char *word;
	int nr; /* words behind it */
	int (*run)(char **words);
} commands[] = {
	{"check", 1, run_check},
	{"config", 2, run_config},
	{"show", 1, run_show},
};

static void usage(FILE *out)
{
	fputs("usage: lfp-via [-t WHERE] [--hsuid HSUID] COMMAND [WORD...]\n"
	      "       lfp-via check DIRECTORY | config DIRECTORY DISK | show DISK\n"
	      "  -t, --to WHERE     the appliance: vsock:CID, vmm:PATH, unix:PATH or iucv:USERID\n"
	      "      --hsuid HSUID  with iucv: HiperSockets, and the hsuid of this side\n"
	      "  -V, --version      print the version\n"
	      "  -h, --help         print this\n"
	      "COMMAND of the appliance:\n"
	      "  QUERY [FILES | PROCESSES]       what it is, and what is in it\n"
	      "  STATUS [NAME]                   lfpd-admin's status of an instance\n"
	      "  LIST [NAME [TABLE]]             the instances, or a table of lfpd-admin's\n"
	      "  START NAME, STOP NAME           start or stop an instance\n"
	      "  RELOAD                          read the configuration disk again\n"
	      "  TRACE NAME START|STOP|STATUS|SHOW  a trace of the path\n"
	      "  LOG [LINES | NAME]              the messages, or the connections of an instance\n"
	      "  SHUTDOWN                        end the appliance\n",
	      out);
}

static int ask(const struct arguments *args, int argc, char **argv)
{
	char text[VIA_REQUEST_MAX + 2] = "", why[VIA_WHY];
	const char *where = args->to ? args->to : getenv("LFP_VIA");
	struct via_request request;
	struct reach reach;
	size_t len = 0;
	int code;

	for (int i = 0; i < argc && len < sizeof(text); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? " " : "",
					argv[i]);
	if (via_request_decode(text, strlen(text), &request, why))
		return lfp_options_wrong("lfp-via", "%s", why);
	if (!where || !*where)
		return lfp_options_wrong("lfp-via", "name the appliance with -t WHERE or LFP_VIA");
	if (reach_open(&reach, where, args->hsuid ? args->hsuid : ""))
		return LFP_EXIT_UNAVAILABLE;
	code = command_run(&reach, &request);
	close(reach.fd);
	return code;
}

int main(int argc, char **argv)
{
	struct arguments args = {.to = NULL};
	const struct lfp_option table[] = {
		{"to", 't', NULL, &args.to, NULL},
		{"hsuid", 0, NULL, &args.hsuid, NULL},
	};
	const struct lfp_options options = {
		.program = "lfp-via",
		.usage = usage,
		.table = table,
		.nr = sizeof(table) / sizeof(table[0]),
		.operands_end = true,
	};
	int code = lfp_options_read(&options, argc, argv);

	if (code >= 0)
		return code;
	lfp_log_open("lfp-via", LFP_LOG_STDERR, NULL);
	argc -= optind;
	argv += optind;
	if (!argc)
		return lfp_options_wrong("lfp-via", "which command?");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[0], commands[i].word) != 0)
			continue;
		if (argc - 1 != commands[i].nr)
			return lfp_options_wrong("lfp-via", "%s needs %d words", argv[0],
						 commands[i].nr);
		return commands[i].run(argv + 1);
	}
	return ask(&args, argc, argv);
}
