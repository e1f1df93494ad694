/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - lfpd-admin: ask a running lfpd */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/admin.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/options.h"
#include "lfpd-admin/all.h"
#include "lfpd-admin/choose.h"
#include "lfpd-admin/learn.h"
#include "lfpd-admin/log.h"
#include "lfpd-admin/report.h"
#include "lfpd-admin/running.h"
#include "lfpd-admin/trace.h"
#include "lfpd-admin/view.h"

#define ALL          "all instances"
#define NOT_SO       3 /* exit code of --quiet: z/VSE is not connected, or no trace is running */
#define WATCH_S      2.0
#define STATISTICS_S 1.0
#define INTERVAL_MAX 3600.0

static const struct command {
	const char *name;
	const struct view_kind *view;
	const char *question;  /* request that --quiet sends, or NULL */
	const char *key, *yes; /* exit code 0 if the answer has this value */
	const char *help;
} commands[] = {
	{"status", &view_status, "status", "connected", "yes",
	 "the status and the configuration (also -s)"},
	{"tasks", &view_tasks, NULL, NULL, NULL, "the z/VSE tasks"},
	{"sockets", &view_sockets, NULL, NULL, NULL, "the sockets, with their tasks and windows"},
	{"users", &view_users, NULL, NULL, NULL, "the users with their tasks and sockets"},
	{"limits", &view_limits, NULL, NULL, NULL, "what tasks use of rules with limits"},
	{"statistics", &view_statistics, NULL, NULL, NULL, "all counters, with their rates"},
	{"instances", &view_instances, NULL, NULL, NULL, "all running instances with their rates"},
	{"log", NULL, NULL, NULL, NULL, "the newest records of the log of connections"},
	{"report", NULL, NULL, NULL, NULL,
	 "FCX222, FCX112 [FILE...] or FCX207: traffic, CPU, sessions"},
	{"policy", NULL, NULL, NULL, NULL, "learn: rules that the calls in that log would need"},
	{"trace", NULL, NULL, NULL, NULL, "start [CONDITION...], stop, status, show, export"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct command trace_status = {"trace status", &view_trace, "trace-status",
					    "trace",        "running",   ""};
static const struct command overview = {"", &view_overview, NULL, NULL, NULL, ""};

struct arguments {
	bool status, json, watch, quiet, follow, ip;
	double interval; /* negative: not given */
	const char *out, *sort, *filter;
	const char *from, *to; /* of reports */
	char chosen[9];        /* NAME of the only running instance, if -i is not given */
	struct running found;
	bool all; /* of @found are shown */
	struct view view;
};

static void usage(FILE *out)
{
	fputs("usage: lfpd-admin <--iucv_appname|-i appname> <--status|-s>\n"
	      "       lfpd-admin [-i NAME] [OPTIONS] [COMMAND]\n"
	      "       lfpd-admin [-i NAME] [-o FILE] trace show|export [FILE]\n",
	      out);
	for (size_t i = 0; i < COUNT(commands); i++)
		fprintf(out, "  %-24s %s\n", commands[i].name, commands[i].help);
	fputs("  -i, --iucv_appname NAME  the instance; default: the only one that is running;\n"
	      "                           tables show several\n"
	      "  -s, --status             show its status and its configuration\n"
	      "      --json               as JSON\n"
	      "  -w, --watch              refresh the display until q or a signal\n"
	      "      --interval SECONDS   between two samples: 2 with --watch, 1 for rates\n"
	      "      --sort COLUMN        sort a table by this column; with - before it the other way\n"
	      "      --filter TEXT        only rows, or records of the log, that have TEXT\n"
	      "  -q, --quiet              print nothing; exit code 3 if the instance is not\n"
	      "                           connected, or no trace runs\n"
	      "  -f, --follow             with log: print the records to come, until a signal\n"
	      "      --ip                 with trace export: the connections as packets of IP\n"
	      "      --from TIME          with report: only intervals, or sessions, from this time\n"
	      "      --to TIME            and before this one, UTC: YYYY-MM-DD[THH:MM[:SS]],\n"
	      "                           or HH:MM[:SS] of today\n"
	      "  -o, --output FILE        file that trace show and trace export write\n"
	      "  -V, --version            print the version\n"
	      "  -h, --help               print this\n"
	      "CONDITION: task=2E, pid=NUMBER, program=NAME, socket=NUMBER, kind=MESSAGE,...,\n"
	      "           payload=BYTES\n",
	      out);
}

#define wrong(...) lfp_options_wrong("lfpd-admin", __VA_ARGS__)

/* "0.5"; negative if it is no number of seconds. */
static double parse_seconds(const char *text)
{
	char *end;
	double seconds;

	if (!*text || strspn(text, "0123456789.") != strlen(text))
		return -1;
	errno = 0;
	seconds = strtod(text, &end);
	return errno || *end || seconds > INTERVAL_MAX ? -1 : seconds;
}

/* Returns -1 to go on, or an exit code. */
static int parse_arguments(struct arguments *args, int argc, char **argv)
{
	const char *interval = NULL;
	const struct lfp_option table[] = {
		{"iucv_appname", 'i', NULL, &args->view.name, NULL},
		{"status", 's', &args->status, NULL, NULL},
		{"json", 0, &args->json, NULL, NULL},
		{"watch", 'w', &args->watch, NULL, NULL},
		{"interval", 0, NULL, &interval, NULL},
		{"sort", 0, NULL, &args->sort, NULL},
		{"filter", 0, NULL, &args->filter, NULL},
		{"quiet", 'q', &args->quiet, NULL, NULL},
		{"follow", 'f', &args->follow, NULL, NULL},
		{"ip", 0, &args->ip, NULL, NULL},
		{"from", 0, NULL, &args->from, NULL},
		{"to", 0, NULL, &args->to, NULL},
		{"output", 'o', NULL, &args->out, NULL},
	};
	const struct lfp_options options = {
		.program = "lfpd-admin", .usage = usage, .table = table, .nr = COUNT(table)};
	int code = lfp_options_read(&options, argc, argv);

	if (code >= 0 || !interval)
		return code;
	args->interval = parse_seconds(interval);
	return args->interval < 0 ? wrong("%s is not a number of seconds from 0 to 3600", interval)
				  : -1;
}

static int show_once(struct arguments *args, const struct view_kind *kind)
{
	struct view *view = &args->view;
	struct ask_error error;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int rc;

	if (!out)
		return LFP_EXIT_FAILURE;
	rc = args->all ? all_print(kind, view, &args->found, out, &error)
		       : view_print(kind, view, out, &error);
	if (fclose(out) && !rc) {
		free(text);
		return LFP_EXIT_FAILURE;
	}
	if (rc) {
		free(text);
		return ask_say(&error);
	}
	fwrite(text, 1, len, stdout);
	free(text);
	if (fflush(stdout)) {
		lfp_msg("VLFD905E", "Cannot write the output: %s.", strerror(errno));
		return LFP_EXIT_FAILURE;
	}
	return LFP_EXIT_OK;
}

static int be_quiet(const struct view *view, const struct command *command)
{
	struct ask_error error;
	char *answer, value[16];
	bool is_so;

	if (ask(view->name, command->question, &answer, &error))
		return error.exit;
	is_so = !lfp_admin_value(answer, command->key, value, sizeof(value)) &&
		!strcmp(value, command->yes);
	ask_forget(answer);
	return is_so ? LFP_EXIT_OK : NOT_SO;
}

/* Takes --sort and --filter, for a table or @log. Returns an exit code. */
static int take_order(struct arguments *args, const struct view_kind *kind, bool log)
{
	const char *given = args->sort ? "--sort" : "--filter";

	if (!args->sort && !args->filter)
		return LFP_EXIT_OK;
	if (log ? args->sort != NULL : !kind || !kind->table)
		return wrong("%s works only with tables%s", given, args->sort ? "" : " and log");
	if (args->sort && order_set(&args->view.order, args->sort))
		return wrong("%s is not a column", args->sort);
	if (args->filter && order_set_filter(&args->view.order, args->filter))
		return wrong("the text of --filter is longer than 63 bytes");
	return LFP_EXIT_OK;
}

static int run_view(struct arguments *args, const struct command *command)
{
	struct view *view = &args->view;
	int rc;

	if (args->quiet && !command->question)
		return wrong("--quiet works only with status and trace status");
	if (args->quiet)
		return be_quiet(view, command);
	view->json = args->json;
	if (args->watch && args->interval == 0)
		return wrong("--watch needs an interval above 0");
	if (args->watch) {
		view->settle = view->interval = args->interval > 0 ? args->interval : WATCH_S;
		view->rates = true;
		rc = watch(view, command->view);
	} else {
		view->settle = view->interval = args->interval >= 0 ? args->interval : STATISTICS_S;
		view->rates =
			command->view == &view_instances ? view->interval > 0 : args->interval > 0;
		rc = show_once(args, command->view);
	}
	view_finish(view);
	return rc;
}

static int take_found(struct arguments *args)
{
	int code = choose_instance(&args->found, args->chosen);

	if (!code)
		args->view.name = args->chosen;
	return code;
}

/* Without -i the only running instance is meant. Returns an exit code. */
static int need_instance(struct arguments *args)
{
	if (args->view.name)
		return LFP_EXIT_OK;
	running_find(&args->found);
	return take_found(args);
}

/* The same, or all running instances if one table can show them. */
static int need_instances(struct arguments *args, const struct command *command)
{
	if (args->view.name || args->watch || !all_takes(command->view))
		return need_instance(args);
	running_find(&args->found);
	if (args->found.nr < 2)
		return take_found(args);
	args->all = true;
	args->view.name = ALL;
	return LFP_EXIT_OK;
}

/* Runs "trace". A file can be shown without an instance. */
static int run_trace(struct arguments *args, char **words)
{
	const char *verb = *words ? *words++ : "status";
	bool export = !strcmp(verb, "export");
	int code;

	if (args->ip && !export)
		return wrong("--ip works only with trace export");
	if (!strcmp(verb, "start")) {
		code = need_instance(args);
		return code ? code : command_start(&args->view, words);
	}
	if (export || !strcmp(verb, "show")) {
		if (words[0] && words[1])
			return wrong("unexpected argument %s", words[1]);
		code = words[0] ? LFP_EXIT_OK : need_instance(args);
		if (code)
			return code;
		return command_show(&args->view, words[0], args->out,
				    !export    ? TRACE_TEXT
				    : args->ip ? TRACE_IP
					       : TRACE_PCAPNG);
	}
	if (*words)
		return wrong("unexpected argument %s", *words);
	if (strcmp(verb, "stop") != 0 && strcmp(verb, "status") != 0)
		return wrong("unknown command trace %s", verb);
	code = need_instance(args);
	if (code)
		return code;
	return !strcmp(verb, "stop") ? command_stop(&args->view) : run_view(args, &trace_status);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COUNT(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* Without a command: the overview of the instance, or of all. */
static const struct command *default_command(struct arguments *args)
{
	struct running found;

	if (args->view.name)
		return args->watch && !args->json ? &overview : NULL;
	running_find(&found);
	if (!args->watch || args->json || found.nr != 1)
		return find_command("instances");
	memcpy(args->chosen, found.name[0], sizeof(args->chosen));
	args->view.name = args->chosen;
	return &overview;
}

static int run_log(struct arguments *args, char **words)
{
	int code;

	/* "log NAME" is as good as "-i NAME log". */
	if (*words && !args->view.name)
		args->view.name = *words++;
	if (*words)
		return wrong("unexpected argument %s", *words);
	if (args->quiet || args->watch)
		return wrong("%s does not work with log", args->quiet ? "--quiet" : "--watch");
	code = need_instance(args);
	if (code)
		return code;
	args->view.json = args->json;
	return command_log(&args->view, args->follow);
}

/* Returns an exit code. */
static int read_range(const struct arguments *args, struct range *range)
{
	time_t now = time(NULL);

	*range = (struct range){0, WHEN_EVER};
	if (args->from && when_read(args->from, now, &range->from))
		return wrong("%s is not a time such as 2026-11-29T12:30:00 or 12:30", args->from);
	if (args->to && when_read(args->to, now, &range->to))
		return wrong("%s is not a time such as 2026-11-29T12:30:00 or 12:30", args->to);
	if (range->from >= range->to)
		return wrong("--from %s is not before --to %s", args->from ? args->from : "",
			     args->to);
	return LFP_EXIT_OK;
}

static int run_report(struct arguments *args, char **words)
{
	enum report report = *words ? report_find(*words) : REPORTS;
	struct range range;
	int code;

	if (!*words)
		return wrong("report takes FCX222, FCX112 or FCX207");
	if (report == REPORTS)
		return wrong("unknown report %s: there are FCX222, FCX112 and FCX207", *words);
	words++;
	if (args->quiet || args->watch)
		return wrong("%s does not work with report", args->quiet ? "--quiet" : "--watch");
	code = read_range(args, &range);
	if (code)
		return code;
	if (words[0] && (report == REPORT_FCX207 || (report == REPORT_FCX222 && words[1])))
		return wrong("unexpected argument %s", words[report == REPORT_FCX222]);
	args->view.json = args->json;
	running_find(&args->found);
	/* A report of CPU time has a row for each instance. */
	if (!words[0] && !args->view.name && (report != REPORT_FCX112 || !args->found.nr))
		code = take_found(args);
	if (code)
		return code;
	return report == REPORT_FCX207
		       ? command_sessions(&args->view, &range)
		       : command_report(&args->view, report, &range, &args->found, words);
}

static int run_policy(struct arguments *args, char **words)
{
	int code;

	if (!*words || strcmp(*words, "learn") != 0)
		return wrong("policy takes learn");
	words++;
	/* "policy learn NAME" is as good as "-i NAME policy learn". */
	if (*words && !args->view.name)
		args->view.name = *words++;
	if (*words)
		return wrong("unexpected argument %s", *words);
	if (args->quiet || args->watch || args->json)
		return wrong("%s does not work with policy learn", args->quiet   ? "--quiet"
								   : args->watch ? "--watch"
										 : "--json");
	code = need_instance(args);
	return code ? code : command_learn(&args->view);
}

int main(int argc, char **argv)
{
	static struct arguments args = {.interval = -1};
	const struct command *command = NULL;
	int code = parse_arguments(&args, argc, argv);
	char **words = argv + optind;

	(void)setlocale(LC_CTYPE, ""); /* which characters a terminal shows */

	if (code >= 0)
		return code;
	if (*words) {
		command = find_command(*words);
		if (!command)
			return wrong("unknown command %s", *words);
		words++;
		if (args.status && strcmp(command->name, "status") != 0)
			return wrong("--status and %s exclude each other", command->name);
	} else if (args.status) {
		command = &commands[0];
	}
	if (args.ip && (!command || strcmp(command->name, "trace") != 0))
		return wrong("--ip works only with trace export");
	if (args.follow && (!command || strcmp(command->name, "log") != 0))
		return wrong("--follow works only with log");
	if ((args.from || args.to) && (!command || strcmp(command->name, "report") != 0))
		return wrong("%s works only with report", args.from ? "--from" : "--to");
	code = command ? take_order(&args, command->view, !strcmp(command->name, "log"))
		       : LFP_EXIT_OK;
	if (code)
		return code;
	if (command && !strcmp(command->name, "log"))
		return run_log(&args, words);
	if (command && !strcmp(command->name, "report"))
		return run_report(&args, words);
	if (command && !strcmp(command->name, "policy"))
		return run_policy(&args, words);
	if (command && !command->view)
		return run_trace(&args, words);
	if (*words)
		return wrong("unexpected argument %s", *words);
	if (!command) {
		command = default_command(&args);
		if (!command)
			return wrong("a command or --status is missing");
		code = take_order(&args, command->view, false);
		if (code)
			return code;
	}
	if (command->view == &view_instances && args.view.name)
		return wrong("-i and instances exclude each other");
	if (command->view == &view_instances)
		args.view.name = ALL;
	code = need_instances(&args, command);
	if (code)
		return code;
	return run_view(&args, command);
}
