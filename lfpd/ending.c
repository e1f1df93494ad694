/* SPDX-License-Identifier: Apache-2.0 */
/* ending.c - the signals of lfpd, and the ends that they bring about */
#include "lfpd/names/ruling.h"
#include "lfpd/program.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "ijblfp/hosted.h"
#include "lfp/log.h"
#include "lfp/netns.h"
#include "lfpd/instance.h"
#include "lfpd/restart/handover.h"
#include "lfpd/restart/reload.h"
#include "transport/reactor.h"

/*
 * Theory of operation
 *
 * An instance continues in the next lfpd in one of two ways:
 *
 *   SIGUSR2 (lfpd-ctl restart without systemd): this process suspends the session and executes the
 *   program again. Descriptors and the pid file survive exec(); LFPD_RESTART tells the new program.
 *
 *   SIGUSR1 (before systemd stops and starts lfpd): this process suspends the session, puts
 *   what is left into systemd's store and ends. The next process takes it out of the store.
 *
 * In both, suspend_begin() calls on_suspended() when the z/VSE side has agreed or has not answered
 * in time. on_suspended() stops the loop. From then on the signals are blocked, because their
 * default action would end the process with what it still has to hand over. The blocking survives
 * exec().
 */

void program_block_signals(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	(void)pthread_sigmask(how, &set, NULL);
}

static void stop(struct program *prog, const char *reason)
{
	program_block_signals(SIG_BLOCK);
	sd_notify(0, prog->ending == ENDING_RESTART ? "RELOADING=1" : "STOPPING=1");
	if (prog->hosted)
		hosted_stop(prog->hosted);
	instance_stop(&prog->instance, reason);
	for (size_t i = 0; i < sizeof(prog->signals) / sizeof(prog->signals[0]); i++)
		uv_close((uv_handle_t *)&prog->signals[i], NULL);
	watchdog_stop(&prog->watchdog);
	reactor_stop(&prog->loop);
}

static void on_suspended(struct instance *inst, int error, struct suspended *what)
{
	struct program *prog =
		(struct program *)((char *)inst - offsetof(struct program, instance));

	prog->left = (struct suspended){.memory = -1};
	if (!error) {
		prog->left = *what;
		what->fds = NULL; /* ours now */
	}
	stop(prog, "lfpd restarts");
}

/* Returns whether the next lfpd, which cannot enter a namespace, would be in that of @config. */
static bool stays_in_netns(const struct lfpd_config *before, const struct lfpd_config *config)
{
	int fd;
	bool ours;

	if (strcmp(before->host_netns, config->host_netns))
		return false;
	fd = *config->host_netns ? lfp_netns_open(config->host_netns) : -1;
	if (fd < 0)
		return true; /* gone, or never asked for */
	ours = lfp_netns_is_ours(fd);
	close(fd);
	return ours;
}

/* A file that the next lfpd would refuse must not end this one. */
static void restart(struct program *prog)
{
	struct lfpd_config config;
	struct lfp_reader_error err;

	bool wrong =
		prog->config_path && (lfpd_config_read(&config, prog->config_path, NULL, &err) ||
				      ruling_check(&config, &err));
	bool hosts = prog->hosted || (prog->config_path && !wrong && lfpd_config_hosted(&config));

	/* This process has given up rights that an LFP instance needs at its start. */
	if (hosts || !prog->config_path || !prog->program)
		lfp_msg("VLFD028W",
			"Instance %s cannot restart in place, because the LFP instance runs in "
			"the same process.",
			prog->name);
	else if (wrong)
		lfp_msg("VLFD029E",
			"Instance %s does not restart, because of a configuration error: %s.",
			prog->name, err.text);
	else if (!stays_in_netns(&prog->config, &config))
		lfp_msg("VLFD040W",
			"Instance %s cannot restart in place, because HOST_NETNS now names "
			"another network namespace. Stop the instance, then start it.",
			prog->name);
	else {
		lfp_msg("VLFD004I", "Instance %s restarts.", prog->name);
		prog->ending = ENDING_RESTART;
		suspend_begin(&prog->instance, on_suspended);
	}
}

/* Before a stop that a start follows: systemd says so to lfpd-ctl, and lfpd-ctl to us. */
static void leave(struct program *prog)
{
	lfp_msg("VLFD005I", "Instance %s ends, and systemd starts it again.", prog->name);
	prog->ending = ENDING_LEAVE;
	if (prog->hosted || !getenv("NOTIFY_SOCKET"))
		stop(prog, "lfpd restarts");
	else
		suspend_begin(&prog->instance, on_suspended);
}

void program_leave_in_store(struct program *prog)
{
	int rc = handover_by_store(&prog->left);

	if (rc)
		lfp_msg("VLFD032E",
			"systemd cannot keep the session of instance %s: %s. Its sockets are "
			"reset.",
			prog->name, strerror(-rc));
	/* Until it has them: it does not know whose they are once this process is gone. */
	else
		(void)sd_notify_barrier(0, PROGRAM_BARRIER_US);
}

void program_execute(struct program *prog)
{
	const char *argv[] = {"lfpd", "-f", prog->config_path, "--vmid", prog->vmid, NULL,
			      NULL,   NULL};
	size_t nr = 5;
	int rc = 0, pidfile = lfp_pidfile_keep(&prog->pidfile);
	char value[16];

	if (prog->args.foreground)
		argv[nr++] = "-d";
	if (prog->args.verbose)
		argv[nr++] = "-v";
	if (prog->left.memory >= 0)
		rc = handover_by_exec(&prog->left);
	if (!rc) {
		/* The pid file stays locked, so that nobody starts a second lfpd meanwhile. */
		snprintf(value, sizeof(value), "%d", pidfile);
		setenv("LFPD_RESTART", value, 1);
		execv(prog->program, (char *const *)(uintptr_t)argv);
		rc = -errno;
	}
	lfp_msg("VLFD030E", "Instance %s has ended, because %s cannot be executed: %s.", prog->name,
		prog->program, strerror(-rc));
}

/* SIGTERM, SIGINT: do not wait until the session is suspended. */
static void end(struct program *prog, int number)
{
	prog->ending = ENDING_STOP;
	prog->instance.suspend_done = NULL;
	lfp_msg("VLFD002I", "Instance %s ends: %s.", prog->name, strsignal(number));
	stop(prog, "lfpd was stopped");
}

static void begin_reload(struct program *prog);

/* More signals that came meanwhile are one more request. */
static void on_reloaded(void *data, int rc, char *text, size_t len)
{
	struct program *prog = data;
	bool again = prog->reloads > 1 && !prog->instance.stopping;

	(void)rc;
	(void)len;
	free(text);
	prog->reloads = again;
	if (again)
		begin_reload(prog);
	else
		sd_notify(0, "READY=1");
}

static void begin_reload(struct program *prog)
{
	if (reload(&prog->instance, on_reloaded, prog))
		on_reloaded(prog, -ENOMEM, NULL, 0);
}

/* SIGHUP: read the configuration again. */
static void read_again(struct program *prog)
{
	if (prog->reloads++)
		return;
	sd_notify(0, "RELOADING=1");
	begin_reload(prog);
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct program *prog = handle->data;

	if (prog->instance.stopping)
		return;
	if (number == SIGTERM || number == SIGINT) {
		end(prog, number);
		return;
	}
	/* The session is being suspended already; only the next step changes. */
	if (number == SIGUSR1 && prog->ending == ENDING_RESTART)
		prog->ending = ENDING_LEAVE;
	else if (prog->ending != ENDING_NONE)
		return;
	else if (number == SIGUSR1)
		leave(prog);
	else if (number == SIGUSR2)
		restart(prog);
	else
		read_again(prog);
}

void program_watch_signals(struct program *prog)
{
	static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uv_signal_init(&prog->loop, &prog->signals[i]);
		prog->signals[i].data = prog;
		uv_signal_start(&prog->signals[i], on_signal, numbers[i]);
	}
	program_block_signals(SIG_UNBLOCK);
}
