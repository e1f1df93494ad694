/* SPDX-License-Identifier: Apache-2.0 */
/* restart.c - restarts an instance, which keeps its connections */
#include "lfpd-ctl/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "lfp/admin.h"
#include "lfp/log.h"
#include "lfp/pidfile.h"
#include "lfp/daemon.h"
#include "lfpd-ctl/instance.h"
#include "lfpd-ctl/service.h"
#include "lfpd-ctl/systemd.h"
#include "transport/settings.h"
#include "transport/transport.h"

/*
 * Theory of operation
 *
 * Without systemd: SIGUSR2 makes lfpd execute itself anew. The process id stays. lfpd writes a new
 * pid file, and is ready when it answers a status request.
 *
 * With systemd: lfpd ends and systemd starts it again. Meanwhile systemd's descriptor store holds
 * its sockets. systemd does not tell a service whether a start follows the stop, but the list of
 * systemd's jobs shows it. So the unit's ExecStop= is "lfpd-ctl leave NAME", which reads the jobs.
 * If a start follows, it sends SIGUSR1, and lfpd leaves its sockets in the store. Otherwise it
 * sends nothing. SIGTERM follows, and lfpd resets its connections at once.
 */

#define STOP_PATIENCE 30000 /* ms to wait for the end of an instance that keeps nothing */

/* Sleeps 10 ms. Returns true if LFP_RESTART_MS have passed since @since. */
static bool later(long long since)
{
	const struct timespec pause = {.tv_nsec = 10 * 1000000};

	nanosleep(&pause, NULL);
	return service_now_ms() - since >= LFP_RESTART_MS;
}

/* Returns the identity of the pid file: inode and time. Inode 0: no pid file. */
static struct stat look_at_pidfile(const char *name)
{
	char path[INSTANCE_PATH_MAX];
	struct stat st = {.st_ino = 0};

	if (instance_path(path, sizeof(path), name, "pid") || stat(path, &st))
		st.st_ino = 0;
	return st;
}

static bool is_other(const struct stat *a, const struct stat *b)
{
	return a->st_ino != b->st_ino || a->st_mtim.tv_sec != b->st_mtim.tv_sec ||
	       a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

/* Returns the answer of the instance to a status request, or NULL. */
static char *ask(const char *name, int *error)
{
	char path[INSTANCE_PATH_MAX];
	char *answer = NULL;

	*error = instance_path(path, sizeof(path), name, "admin");
	if (!*error)
		*error = lfp_admin_ask(path, "status", &answer);
	return *error ? NULL : answer;
}

static bool answers(const char *name)
{
	int error;

	free(ask(name, &error));
	return !error || error == -EACCES;
}

/* Returns true if the LFP instance runs in lfpd's own process. Such an lfpd has to be stopped and
 * started again, and programs lose their sockets. */
static bool is_hosting(const char *name)
{
	int error;
	char *answer = ask(name, &error);
	char value[32];
	const struct transport *transport = NULL;

	if (answer && !lfp_admin_value(answer, "TRANSPORT", value, sizeof(value)))
		transport = transport_named(value);
	free(answer);
	return transport && transport->hosted;
}

/* Returns true if the configuration has another HOST_NETNS than the running lfpd, which can no
 * longer enter it, or another namespace has that name now. */
static bool changes_netns(const char *name, const char *conf)
{
	char *values = malloc(SERVICE_VALUES_MAX), *answer;
	char before[LFP_FIELD_PLACE_MAX] = "", now[LFP_FIELD_PLACE_MAX] = "";
	char state[LFP_FIELD_PLACE_MAX + 64] = "";
	int error;

	if (values && !service_values(name, conf, values, SERVICE_VALUES_MAX))
		(void)service_value(values, "HOST_NETNS", now, sizeof(now));
	free(values);
	answer = ask(name, &error);
	if (!answer)
		return false;
	if (lfp_admin_value(answer, "HOST_NETNS", before, sizeof(before)))
		*before = '\0';
	(void)lfp_admin_value(answer, "host_netns", state, sizeof(state));
	free(answer);
	return strcmp(before, now) || strstr(state, "(replaced");
}

static int wait_for_another(const char *name, pid_t pid, const struct stat *before)
{
	pid_t now = 0;

	for (long long since = service_now_ms(); !later(since);) {
		struct stat st = look_at_pidfile(name);

		if (st.st_ino && is_other(&st, before) && answers(name) &&
		    instance_query(name, &now) == LFP_PIDFILE_HELD) {
			lfp_msg("VLFD809I", "%s is restarted, process %ld.", name, (long)now);
			return LSB_OK;
		}
		/* An older lfpd does not handle the signal and ends. */
		if (kill(pid, 0) && errno == ESRCH)
			return service_start(name);
	}
	lfp_msg("VLFD846E", "%s is not ready again within %u ms: see its log.", name,
		LFP_RESTART_MS);
	return LSB_FAILURE;
}

static int restart_in_place(const char *name, pid_t pid)
{
	struct stat before = look_at_pidfile(name);
	int rc;

	if (kill(pid, SIGUSR2)) {
		rc = -errno;
		lfp_msg("VLFD847E", "Cannot ask %s to restart: %s.", name, strerror(-rc));
		return rc == -EPERM ? LSB_NO_PERMISSION : LSB_FAILURE;
	}
	return wait_for_another(name, pid, &before);
}

int restart_instance(const char *name)
{
	char conf[LFP_PLACE_MAX];
	pid_t pid;
	int rc = service_find_conf(conf, name), query;

	/* Do not stop an instance that cannot start again. */
	if (rc)
		return rc;
	query = instance_query(name, &pid);
	if (query < 0)
		return service_tell_unknown(name, query);
	if (query != LFP_PIDFILE_HELD || !pid)
		return service_start(name);
	rc = check_before_restart(name, conf);
	if (rc)
		return rc;
	if (!instance_by_systemd() && !is_hosting(name) && !changes_netns(name, conf))
		return restart_in_place(name, pid);
	/* systemd takes over an instance that was started by hand. */
	if (instance_by_systemd() && systemd_is_active(name)) {
		rc = systemd_restart(name, conf);
		if (!rc && instance_query(name, &pid) == LFP_PIDFILE_HELD)
			lfp_msg("VLFD809I", "%s is restarted, process %ld.", name, (long)pid);
		return rc;
	}
	rc = service_stop(name, STOP_PATIENCE);
	return rc && instance_query(name, &pid) == LFP_PIDFILE_HELD ? rc : service_start(name);
}

int restart_leave(const char *name)
{
	pid_t pid;

	/* A private tree has no services. LFP_ROOT=/ in the unit is the system's own tree. */
	if (*lfp_root() || instance_query(name, &pid) != LFP_PIDFILE_HELD || !pid ||
	    !systemd_is_restarting(name))
		return LSB_OK;
	if (kill(pid, SIGUSR1) && errno != ESRCH) {
		lfp_msg("VLFD847E", "Cannot ask %s to restart: %s.", name, strerror(errno));
		return LSB_FAILURE;
	}
	/* systemd sends SIGTERM when this process ends, and after SIGTERM lfpd leaves nothing. */
	for (long long since = service_now_ms(); !later(since);)
		if (kill(pid, 0) && errno == ESRCH)
			break;
	return LSB_OK;
}
