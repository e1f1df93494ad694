/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - lfpd: the Linux side of Linux Fast Path, one process an instance */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>
#include <uv.h>

#include "ijblfp/hosted.h"
#include "lfp/daemon.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/netns.h"
#include "lfp/number.h"
#include "lfp/pidfile.h"
#include "lfp/places.h"
#include "lfpd/conf/config.h"
#include "lfpd/instance.h"
#include "lfpd/names/resolver.h"
#include "lfpd/policy/isolation.h"
#include "lfpd/policy/limits.h"
#include "lfpd/policy/rules.h"
#include "lfpd/policy/would.h"
#include "lfpd/program.h"
#include "lfpd/restart/handover.h"
#include "lfpd/restart/reload.h"
#include "lfpd/restart/suspend.h"
#include "lfpd/state/instance.h"
#include "systemd/systemd.h"
#include "transport/loop.h"
#include "transport/pipes.h"
#include "transport/reactor.h"
#include "transport/transport.h"

/*
 * Theory of operation
 *
 * Start: main() reads the command line and the configuration, and leaves the foreground. run()
 * gives up rights, takes the pid file, starts the instance, offers it what another lfpd has left,
 * and reports that it is ready. Then the loop runs. All else happens in its callbacks, in one
 * thread. ending.c handles signals, and the end.
 */

/* Returns the absolute path; NULL without memory. Links stay, because their target may change. */
static char *absolute(const char *path)
{
	char dir[PATH_MAX], *result = NULL;

	if (*path == '/')
		return strdup(path);
	if (!getcwd(dir, sizeof(dir)) || asprintf(&result, "%s/%s", dir, path) < 0)
		return NULL;
	return result;
}

/* The command line first, then the file; NULL: what lfp_vmid() finds. */
static const char *own_vmid(const struct program *prog)
{
	const char *arg = prog->args.vmid;

	return arg && *arg ? arg : *prog->config.vmid ? prog->config.vmid : NULL;
}

/* Reads the configuration and the identity, and reports errors while there is a terminal. */
static int read_config(struct program *prog)
{
	struct lfp_reader_errors errs;
	int rc = lfpd_config_read_all(&prog->config, prog->args.file, NULL, &errs);

	for (size_t i = 0; i < lfp_reader_errors_listed(&errs); i++)
		lfp_msg("VLFD020E", "Configuration error: %s.", errs.list[i].text);
	if (errs.nr > LFP_READER_ERRORS)
		lfp_msg("VLFD020E", "Configuration error: %u more are not shown.",
			errs.nr - LFP_READER_ERRORS);
	if (rc)
		return LFP_EXIT_CONFIG;
	prog->config_path = absolute(prog->args.file);
	if (getenv("LFP_ROOT") && *getenv("LFP_ROOT"))
		setenv("LFP_ROOT", *lfp_root() ? lfp_root() : "/",
		       1); /* absolute, for the next one */
	prog->program = realpath("/proc/self/exe", NULL);
	prog->name = prog->config.iucv_src_appname;
	if (lfp_vmid(prog->vmid, own_vmid(prog))) {
		lfp_msg("VLFD021E",
			"The z/VM user id of this side (--vmid or LFP_VMID) must have 1 to 8 "
			"characters of A to Z, 0 to 9 and $#@_+-:.");
		return LFP_EXIT_USAGE;
	}
	return LFP_EXIT_OK;
}

/* -n: prints the values in force, or the verdict about a call. Returns an exit code. */
static int check(const struct program *prog)
{
	const char *file = prog->args.rules ? prog->args.rules : prog->config.policy_file;
	struct would would = {.ports_of_root = prog->config.privileged_ports == LFPD_PORTS_OF_ROOT};
	struct lfp_reader_error err;
	struct rules *rules = NULL;
	struct policy policy;
	int code = LFP_EXIT_OK;

	if (*file && rules_read(&rules, file, &err)) {
		lfp_msg("VLFD020E", "Configuration error: %s.", err.text);
		return LFP_EXIT_CONFIG;
	}
	would.rules = rules;
	policy_init(&policy, &prog->config);
	would.policy = &policy;
	if (prog->args.call)
		code = would_ask(&would, prog->args.call, stdout);
	else if (!prog->args.rules)
		lfpd_config_print(&prog->config, stdout);
	rules_free(rules);
	return code;
}

static int take_pidfile(struct program *prog)
{
	char place[LFP_PLACE_MAX];
	int rc = lfp_place_lfpd(place, prog->name, "pid");

	if (!rc && prog->kept_pidfile > STDERR_FILENO &&
	    !lfp_pidfile_adopt(&prog->pidfile, place, prog->kept_pidfile))
		return LFP_EXIT_OK;
	if (!rc)
		rc = lfp_place_make_parent(place);
	if (!rc)
		rc = lfp_pidfile_create(&prog->pidfile, place);
	if (!rc) {
		rc = lfp_pidfile_write(&prog->pidfile);
		if (rc)
			lfp_pidfile_remove(&prog->pidfile);
	}
	if (rc == -EBUSY)
		lfp_msg("VLFD022E", "Instance %s is already running.", prog->name);
	else if (rc)
		lfp_msg("VLFD023E", "Cannot create the pid file of instance %s at %s: %s.",
			prog->name, place, lfp_place_strerror(rc));
	return rc ? LFP_EXIT_FAILURE : LFP_EXIT_OK;
}

/* From the moment of readiness on. */
static void open_log(const struct program *prog)
{
	char place[LFP_PLACE_MAX];
	int rc;

	if (prog->args.foreground)
		return;
	/* A private tree has its own log. */
	if (!*lfp_root()) {
		lfp_log_open("lfpd", LFP_LOG_SYSLOG, NULL);
		return;
	}
	rc = lfp_place_lfpd(place, prog->name, "log");
	if (!rc)
		rc = lfp_log_open("lfpd", LFP_LOG_FILE, place);
	if (rc)
		lfp_msg("VLFD024W", "Cannot write the log of instance %s at %s: %s.", prog->name,
			place, lfp_place_strerror(rc));
}

static void check_limits(const struct program *prog, unsigned long fds)
{
	if (fds < prog->config.max_sockets + (unsigned long)LIMITS_OWN_FDS)
		lfp_msg("VLFD025W",
			"MAX_SOCKETS of instance %s is %u, but the limit of %lu open files allows "
			"only about %lu sockets.",
			prog->name, prog->config.max_sockets, fds,
			fds > LIMITS_OWN_FDS ? fds - LIMITS_OWN_FDS : 0);
}

static void on_status(struct instance *inst, const char *text)
{
	(void)inst;
	sd_notifyf(0, "STATUS=%s", text);
}

/* Runs the loop until libuv has closed the handles that instance_stop() closes. */
static void finish_loop(struct program *prog)
{
	for (int i = 0; i < 10 && uv_run(&prog->loop, UV_RUN_NOWAIT); i++)
		;
	pipes_finish();
	/* A thread may still wait for a name server, and exit() would wait for the thread. */
	if (uv_loop_close(&prog->loop))
		_exit(LFP_EXIT_OK);
}

/* Prepares the LFP instance in this process: later steps drop privileges and start threads. Returns
 * an exit code.
 */
static int prepare_hosted(const struct program *prog)
{
	const struct lfpd_config *config = &prog->config;
	const char *nn = lfpd_config_hosted(config);

	return nn ? hosted_prepare(nn, prog->name, transport_chosen(&config->transport))
		  : LFP_EXIT_OK;
}

/* Starts the LFP instance if it runs in this process; an exit code. */
static int host_instance(struct program *prog)
{
	const struct lfpd_config *config = &prog->config;
	const char *vmid = *config->peer_iucv_vmid ? config->peer_iucv_vmid : prog->vmid;

	if (!lfpd_config_hosted(config))
		return LFP_EXIT_OK;
	return hosted_start(&prog->loop, vmid, &prog->hosted);
}

/* Settings that LFP does not allow, and tests use. */
static void warn_of_settings(const struct program *prog)
{
	struct transport_fault warning;

	if (transport_settings_warn(&prog->config.transport, TRANSPORT_LFPD, &warning))
		lfp_msg("VLFD047W", "Instance %s has %s = no: %s.", prog->name, warning.key,
			warning.text);
}

/* Enters HOST_NETNS. A process that goes on is there already, see ending.c. Returns an exit code.
 */
static int enter_netns(const struct program *prog)
{
	const char *netns = prog->config.host_netns;
	int rc = *netns && !prog->goes_on ? lfp_netns_enter(netns) : 0;

	if (!rc)
		return LFP_EXIT_OK;
	lfp_msg("VLFD048E", "Instance %s cannot start in HOST_NETNS = %s: %s.", prog->name, netns,
		lfp_netns_strerror(rc));
	return LFP_EXIT_UNAVAILABLE;
}

static int run(struct program *prog)
{
	unsigned long fds = limits_raise();
	int code = 0, rc;

	code = enter_netns(prog);
	if (!code && !prog->goes_on)
		code = isolate_config(&prog->config, prog->config_path);
	if (!code)
		code = take_pidfile(prog);
	if (code)
		return code;
	code = prepare_hosted(prog);
	if (code) {
		lfp_pidfile_remove(&prog->pidfile);
		return code;
	}
	uv_loop_init(&prog->loop);
	rc = threads_start(&prog->loop, true);
	if (rc) {
		lfp_msg("VLFD046E", "Instance %s cannot start its threads: %s.", prog->name,
			strerror(-rc));
		lfp_pidfile_remove(&prog->pidfile);
		return LFP_EXIT_UNAVAILABLE;
	}
	/* If this fails, lfpd only copes worse with a lack of memory later. */
	(void)watchers_reserve(&prog->loop);
	resolver_prepare(&prog->loop);
	check_limits(prog, fds);
	rc = instance_start(&prog->instance, &prog->loop, &prog->config, prog->vmid,
			    prog->args.foreground);
	if (rc) {
		lfp_pidfile_remove(&prog->pidfile);
		return LFP_EXIT_UNAVAILABLE;
	}
	if (prog->left.memory >= 0) {
		handover_claim(&prog->left);
		(void)sd_notify_barrier(0, PROGRAM_BARRIER_US);
		(void)resume_offer(&prog->instance, &prog->left);
		free(prog->left.fds);
	}
	code = host_instance(prog);
	if (code) {
		lfp_pidfile_remove(&prog->pidfile);
		return code;
	}
	prog->instance.on_status = on_status;
	prog->instance.config_path = prog->config_path;
	prog->instance.verbose = prog->args.verbose;
	reload_log(&prog->instance);
	program_watch_signals(prog);
	watchdog_start(&prog->watchdog, &prog->loop);
	(void)isolate_run(&prog->config);
	open_log(prog);
	lfp_msg("VLFD001I", "Instance %s of %s is ready (lfpd " VSELFPD_VERSION ").", prog->name,
		prog->instance.vmid);
	warn_of_settings(prog);
	if (!prog->args.foreground)
		check_limits(prog, fds); /* the terminal has it already, the log has not */
	lfp_daemon_tell(&prog->daemon, LFP_EXIT_OK);
	sd_notify(0, "READY=1");
	instance_tell_status(&prog->instance);

	reactor_run(&prog->loop);

	if (prog->ending == ENDING_RESTART)
		program_execute(prog);
	lfp_pidfile_remove(&prog->pidfile);
	if (prog->ending == ENDING_RESTART)
		return LFP_EXIT_FAILURE;
	if (prog->ending == ENDING_LEAVE && prog->left.memory >= 0)
		program_leave_in_store(prog);
	lfp_msg("VLFD003I", "Instance %s has ended.", prog->name);
	finish_loop(prog);
	return LFP_EXIT_OK;
}

/* Lets systemd have the reason for the end, as the status of the service: lfpd-ctl shows it. */
static int end(const struct program *prog, int code)
{
	if (code && prog->args.foreground && !prog->args.check)
		notify_error();
	return code;
}

int main(int argc, char **argv)
{
	static struct program prog = {.daemon.tell = -1};
	int code = arguments_parse(&prog.args, argc, argv), rc;
	unsigned long number;
	const char *kept;

	if (code >= 0)
		return code;
	lfp_log_open("lfpd", LFP_LOG_STDERR, NULL);
	lfp_log_set_debug(prog.args.verbose);
	if (!prog.args.check)
		program_block_signals(SIG_BLOCK);
	kept = getenv("LFPD_RESTART");
	prog.goes_on = kept != NULL;
	prog.kept_pidfile = kept && !lfp_number(kept, 0, INT_MAX, &number) ? (int)number : -1;
	unsetenv("LFPD_RESTART");
	/* Before other descriptors are made. */
	prog.left.memory = -1;
	if (!prog.goes_on && isolate_early())
		return end(&prog, LFP_EXIT_FAILURE);
	rc = prog.args.check ? 0 : handover_take(&prog.left);
	if (rc < 0)
		lfp_msg("VLFD031W", "The state saved by the previous lfpd cannot be used: %s.",
			strerror(-rc));
	if (rc <= 0)
		prog.left.memory = -1;
	code = prog.args.rules ? LFP_EXIT_OK : read_config(&prog);
	if (code)
		return end(&prog, code);
	if (prog.args.check)
		return check(&prog);
	/* Until the instance is there. */
	lfp_log_set_info(prog.config.log_info_msg || prog.args.verbose);
	signal(SIGPIPE, SIG_IGN);
	/* Look-ups that wait for a name server shall not hold up the others. */
	setenv("UV_THREADPOOL_SIZE", "16", 0);
	/* libuv 1.45 to 1.48 ends the process where the filter of system calls refuses io_uring. */
	setenv("UV_USE_IO_URING", "0", 1);
	/* A process that goes on is a daemon already. */
	if (!prog.args.foreground && !prog.goes_on) {
		unsetenv("NOTIFY_SOCKET");
		rc = lfp_daemon_fork(&prog.daemon, &code);
		if (rc < 0) {
			lfp_msg("VLFD026E", "lfpd cannot leave the foreground: %s.", strerror(-rc));
			return LFP_EXIT_FAILURE;
		}
		if (rc)
			return code < 0 ? LFP_EXIT_FAILURE : code;
	}
	journal_open("lfpd", "VSELFPD", prog.name);
	code = run(&prog);
	lfp_daemon_tell(&prog.daemon, code);
	return end(&prog, code);
}
