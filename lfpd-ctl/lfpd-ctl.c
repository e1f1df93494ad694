/* SPDX-License-Identifier: Apache-2.0 */
/* lfpd-ctl.c - start, stop, restart and list the instances of lfpd */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "lfp/log.h"
#include "lfp/options.h"
#include "lfp/pidfile.h"
#include "lfp/places.h"
#include "lfpd-ctl/commands.h"
#include "lfpd-ctl/instance.h"
#include "lfpd-ctl/service.h"
#include "lfpd-ctl/systemd.h"

#define PATIENCE 10000 /* ms to wait for the end of an instance after SIGTERM */

static int stop(const char *name)
{
	return service_stop(name, PATIENCE);
}

/* Reports files that are not used: without a message such an instance just does not start. */
static void say_strays(const struct instance_list *all)
{
	for (size_t i = 0; i < all->nr_strays; i++)
		lfp_msg("VLFD837W", "confs-%s/%s is not used: it must be named %s.",
			all->strays[i].which, all->strays[i].file, all->strays[i].expected);
}

/* Columns: name, enabled or available, running or stopped, process id. */
static int list(void)
{
	struct instance_list all;
	int rc;

	rc = instance_list_init(&all);
	if (rc < 0) {
		lfp_msg("VLFD826E", "Cannot list the instances: %s.", strerror(-rc));
		instance_list_finish(&all);
		return LSB_FAILURE;
	}
	for (size_t i = 0; i < all.nr; i++) {
		const struct instance *instance = &all.items[i];
		pid_t pid;
		int query = instance_query(instance->name, &pid);
		const char *state = query < 0                   ? "unknown"
				    : query == LFP_PIDFILE_HELD ? "running"
				    : instance_by_systemd()     ? systemd_state(instance->name)
								: "stopped";

		printf("%-8s %-9s %s", instance->name, instance->enabled ? "enabled" : "available",
		       state);
		if (query == LFP_PIDFILE_HELD)
			printf(" %ld", (long)pid);
		putchar('\n');
	}
	say_strays(&all);
	instance_list_finish(&all);
	return LSB_OK;
}

struct command {
	const char *word;
	int (*each)(const char *name); /* for every instance named, or every enabled one */
	int (*whole)(void);            /* or once, without names */
	int nothing; /* exit code of each where no instance is enabled; -1: it needs a NAME */
	const char *doc;
};

static const struct command commands[] = {
	{"start", service_start, NULL, LSB_NOT_CONFIGURED,
	 "start the instance, and wait until it is ready"},
	{"stop", stop, NULL, LSB_OK, "stop the instance, and wait until it has ended"},
	{"restart", restart_instance, NULL, LSB_NOT_CONFIGURED,
	 "restart the instance; its connections continue"},
	{"status", service_status, NULL, LSB_STATUS_STOPPED,
	 "show whether the instance is running"},
	{"reload", reload_instance, NULL, LSB_NOT_RUNNING, "read the configuration again"},
	{"check", check_instance, NULL, LSB_NOT_CONFIGURED,
	 "check the requirements on this system, line by line"},
	{"enable", enabled_add, NULL, -1, "enable an available instance (needs a NAME)"},
	{"disable", enabled_remove, NULL, -1, "disable an instance (needs a NAME)"},
	{"leave", restart_leave, NULL, -1, "used by the systemd unit to end lfpd (needs a NAME)"},
	{"list", NULL, list, LSB_OK, "show all configured instances"},
};

static void print_usage(FILE *out)
{
	fputs("usage: lfpd-ctl COMMAND [NAME]...\n"
	      "Without a NAME a command applies to all enabled instances.\n",
	      out);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(out, "  %-8s %s\n", commands[i].word, commands[i].doc);
	fputs("  check -v [NAME]...  also show what is not needed\n"
	      "  check --machine FILE  check only the machine that FILE declares\n"
	      "  check NAME --would CALL  say whether the rules allow it: connect tcp HOST:PORT\n"
	      "  check --rules FILE --would CALL  the same of a file of rules\n"
	      "  reload --cut [NAME]...  also end connections that the new rules forbid\n"
	      "  -V, --version  print the version\n"
	      "  -h, --help     print this\n",
	      out);
}

static const struct command reload_cut = {"reload", reload_cut_instance, NULL, LSB_NOT_RUNNING,
					  NULL};

static const struct command check_all = {"check", check_instance_all, NULL, LSB_NOT_CONFIGURED,
					 NULL};

static const struct command *find_command(const char *word)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(commands[i].word, word))
			return &commands[i];
	}
	return NULL;
}

/* An instance that fails does not stop the work on the others. The first failure is the result.
 */
static int run_enabled(const struct command *command)
{
	struct instance_list all;
	int result = LSB_OK;
	size_t nr = 0;
	int rc;

	rc = instance_list_init(&all);
	if (rc < 0) {
		lfp_msg("VLFD827E", "Cannot find the enabled instances: %s.", strerror(-rc));
		instance_list_finish(&all);
		return LSB_FAILURE;
	}
	for (size_t i = 0; i < all.nr; i++) {
		if (!all.items[i].enabled)
			continue;
		nr++;
		rc = command->each(all.items[i].name);
		if (!result)
			result = rc;
	}
	if (command->each == service_start)
		say_strays(&all);
	instance_list_finish(&all);
	if (nr)
		return result;
	lfp_msg("VLFD808W", "No instance is enabled.");
	return command->nothing;
}

static int run_named(const struct command *command, char *const names[], int nr)
{
	int result = LSB_OK;

	for (int i = 0; i < nr; i++) {
		if (lfp_check_name(names[i]) < 0) {
			lfp_msg("VLFD828E",
				"%s is not a valid instance name: 1 to 8 of A-Z 0-9 $ # @ _.",
				names[i]);
			return LSB_USAGE;
		}
	}
	for (int i = 0; i < nr; i++) {
		int rc = command->each(names[i]);

		if (!result)
			result = rc;
	}
	return result;
}

int main(int argc, char *argv[])
{
	const struct command *command = NULL;

	lfp_log_open("lfpd-ctl", LFP_LOG_STDERR, NULL);
	/* A parent that ignores SIGCHLD passes that on, and lfpd's exit code would be lost. */
	signal(SIGCHLD, SIG_DFL);
	/* Lines of ours and of lfpd in the order in which they were written. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		print_usage(stdout);
		return LSB_OK;
	}
	if (argc == 2 && (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version"))) {
		puts("lfpd-ctl " VSELFPD_VERSION);
		return LSB_OK;
	}
	if (argc == 4 && !strcmp(argv[1], "check") && !strcmp(argv[2], "--machine"))
		return check_declared(argv[3]);
	if (argc >= 4 && !strcmp(argv[1], "check") &&
	    (!strcmp(argv[2], "--rules") || !strcmp(argv[3], "--would")))
		return would_command(argv + 2);
	if (argc >= 2)
		command = find_command(argv[1]);
	if (argc >= 3 && !strcmp(argv[1], "reload") && !strcmp(argv[2], "--cut")) {
		command = &reload_cut;
		argv++;
		argc--;
	}
	if (argc >= 3 && !strcmp(argv[1], "check") &&
	    (!strcmp(argv[2], "-v") || !strcmp(argv[2], "--verbose"))) {
		command = &check_all;
		argv++;
		argc--;
	}
	if (!command || (command->whole && argc > 2) || (command->nothing < 0 && argc < 3)) {
		if (argc < 2)
			lfp_options_wrong("lfpd-ctl", "no command given");
		else if (!command)
			lfp_options_wrong("lfpd-ctl", "unknown command %s", argv[1]);
		else if (argc < 3)
			lfp_options_wrong("lfpd-ctl", "%s needs a NAME", argv[1]);
		else
			lfp_options_wrong("lfpd-ctl", "%s takes no NAME", argv[1]);
		return LSB_USAGE;
	}
	if (command->whole)
		return command->whole();
	return argc > 2 ? run_named(command, argv + 2, argc - 2) : run_enabled(command);
}
