/* SPDX-License-Identifier: Apache-2.0 */
/* service.c - start, stop and ask for one lfpd instance */
#include "lfpd-ctl/service.h"
#include "lfpd-ctl/systemd.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/pidfile.h"
#include "lfp/places.h"
#include "lfp/spawn.h"
#include "lfpd-ctl/instance.h"

#define AFTER_KILL 10000 /* ms; the kernel needs a moment to take a process down */

/* Finds lfpd: beside this program, because both are in one package, else in PATH. */
static void find_lfpd(char buf[static LFP_PLACE_MAX])
{
	static const char lfpd[] = "lfpd";
	ssize_t len = readlink("/proc/self/exe", buf, LFP_PLACE_MAX - 1);
	char *base;

	if (len > 0) {
		buf[len] = '\0';
		base = strrchr(buf, '/');
		if (base && (size_t)(base + 1 - buf) + sizeof(lfpd) <= LFP_PLACE_MAX) {
			strcpy(base + 1, lfpd);
			if (access(buf, X_OK) == 0)
				return;
		}
	}
	strcpy(buf, lfpd);
}

int service_tell_end(const char *name, int code, bool by_signal)
{
	if (by_signal) {
		lfp_msg("VLFD817E", "%s: not started, lfpd was ended by signal %d.", name, code);
		return LSB_FAILURE;
	}
	if (code == LFP_EXIT_CONFIG) {
		lfp_msg("VLFD815E", "%s: configuration error.", name);
		return LSB_NOT_CONFIGURED;
	}
	lfp_msg("VLFD816E", "%s: not started, lfpd has ended with exit code %d.", name, code);
	return LSB_FAILURE;
}

/* Start lfpd, or let it only check its configuration. */
static int run_lfpd(const char *name, const char *conf, bool check)
{
	char program[LFP_PLACE_MAX], conf_arg[LFP_PLACE_MAX];
	char flag[] = "-f", check_flag[] = "-n";
	char *argv[] = {program, flag, conf_arg, check ? check_flag : NULL, NULL};
	int status;

	strcpy(conf_arg, conf);
	find_lfpd(program);
	status = lfp_spawn(program, argv, check);
	if (!status)
		return LSB_OK;
	if (status == -ENOENT) {
		lfp_msg("VLFD813E",
			"%s: lfpd is not installed: neither beside lfpd-ctl nor in PATH.", name);
		return LSB_NOT_INSTALLED;
	}
	if (status < 0) {
		lfp_msg("VLFD814E", "%s: cannot run %s: %s.", name, program, strerror(-status));
		return LSB_NOT_INSTALLED;
	}
	/* It has said itself why it did not start. */
	return WIFEXITED(status) ? service_tell_end(name, WEXITSTATUS(status), false)
				 : service_tell_end(name, WTERMSIG(status), true);
}

int service_check(const char *name, const char *conf)
{
	return run_lfpd(name, conf, true);
}

int service_values(const char *name, const char *conf, char *buf, size_t size)
{
	char program[LFP_PLACE_MAX], conf_arg[LFP_PLACE_MAX];
	char flag[] = "-f", check_flag[] = "-n";
	char *argv[] = {program, flag, conf_arg, check_flag, NULL};
	int rc = run_lfpd(name, conf, true);

	if (rc)
		return rc;
	strcpy(conf_arg, conf);
	find_lfpd(program);
	(void)lfp_spawn_read(program, argv, buf, size);
	return LSB_OK;
}

int service_would(const char *name, const char *conf, const char *rules, char *const call[])
{
	char program[LFP_PLACE_MAX], flag[] = "-n", conf_flag[] = "-f", rules_flag[] = "--rules";
	char end[] = "--";
	char *argv[SERVICE_CALL_MAX + 8] = {program, flag, rules ? rules_flag : conf_flag,
					    (char *)(uintptr_t)(rules ? rules : conf), end};
	size_t nr = 0;
	int status;

	for (; call[nr]; nr++) {
		if (nr == SERVICE_CALL_MAX) {
			lfp_msg("VLFD869E", "The call after --would has too many words.");
			return LSB_USAGE;
		}
		argv[5 + nr] = call[nr];
	}
	find_lfpd(program);
	status = lfp_spawn(program, argv, false);
	if (status < 0) {
		lfp_msg("VLFD814E", "%s: cannot run %s: %s.", name, program, strerror(-status));
		return LSB_NOT_INSTALLED;
	}
	if (!WIFEXITED(status))
		return LSB_FAILURE;
	switch (WEXITSTATUS(status)) {
	case LFP_EXIT_OK:
		return LSB_OK;
	case LFP_EXIT_USAGE:
		return LSB_USAGE;
	case LFP_EXIT_CONFIG:
		return LSB_NOT_CONFIGURED;
	}
	return LSB_FAILURE;
}

bool service_value(const char *values, const char *key, char *out, size_t size)
{
	size_t len = strlen(key), end;

	*out = '\0';
	for (const char *at = values; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, key, len) || strncmp(at + len, " = ", 3))
			continue;
		at += len + 3;
		at += *at == '"';
		end = strcspn(at, "\"\n");
		snprintf(out, size, "%.*s", (int)end, at);
		return true;
	}
	return false;
}

int service_find_conf(char conf[static LFP_PLACE_MAX], const char *name)
{
	char available[LFP_PLACE_MAX];
	int error;
	int rc;

	rc = lfp_place_conf(conf, "enabled", name);
	if (!rc)
		rc = lfp_place_conf(available, "available", name);
	if (rc < 0) {
		lfp_msg("VLFD820E", "%s: the path of its configuration is invalid: %s.", name,
			strerror(-rc));
		return LSB_FAILURE;
	}
	if (access(conf, R_OK) == 0)
		return LSB_OK;
	error = errno;
	if (error == ENOENT && access(available, F_OK) == 0)
		lfp_msg("VLFD821E", "%s is not enabled: %s is missing, a link to %s.", name, conf,
			available);
	else
		lfp_msg("VLFD822E", "%s is not configured: %s: %s.", name, conf, strerror(error));
	return error == EACCES ? LSB_NO_PERMISSION : LSB_NOT_CONFIGURED;
}

int service_tell_unknown(const char *name, int rc)
{
	lfp_msg("VLFD823E", "%s: cannot read its pid file: %s.", name, strerror(-rc));
	return rc == -EACCES || rc == -EPERM ? LSB_NO_PERMISSION : LSB_FAILURE;
}

int service_start(const char *name)
{
	char conf[LFP_PLACE_MAX];
	pid_t pid;
	int rc;

	rc = instance_query(name, &pid);
	if (rc < 0)
		return service_tell_unknown(name, rc);
	if (rc == LFP_PIDFILE_HELD) {
		lfp_msg("VLFD801I", "%s is already running, process %ld.", name, (long)pid);
		return LSB_OK;
	}
	rc = service_find_conf(conf, name);
	if (rc)
		return rc;
	rc = instance_by_systemd() ? systemd_start(name, conf) : run_lfpd(name, conf, false);
	if (rc)
		return rc;
	/* systemctl and lfpd have both waited until the instance was ready. */
	if (instance_query(name, &pid) != LFP_PIDFILE_HELD) {
		lfp_msg("VLFD818E", "%s was started, but has already ended.", name);
		return LSB_FAILURE;
	}
	lfp_msg("VLFD800I", "%s is started, process %ld.", name, (long)pid);
	return LSB_OK;
}

long long service_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/*
 * Sends a signal and waits until the instance has released the lock of its pid file. A new instance
 * may not have written its process id yet; the signal then waits for the id. Returns 0, -ETIMEDOUT,
 * or the negative errno of kill().
 */
static int end_by_signal(const char *name, int signal_nr, int patience)
{
	const struct timespec pause = {.tv_nsec = 10 * 1000000};
	long long deadline = service_now_ms() + patience;
	bool sent = false;
	pid_t pid;

	for (;;) {
		if (instance_query(name, &pid) != LFP_PIDFILE_HELD)
			return 0;
		if (!sent && pid) {
			if (kill(pid, signal_nr) < 0 && errno != ESRCH)
				return -errno;
			sent = true;
		}
		if (service_now_ms() >= deadline)
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
}

static int end_directly(const char *name, int patience)
{
	bool killed = false;
	int rc;

	rc = end_by_signal(name, SIGTERM, patience);
	if (rc == -ETIMEDOUT) {
		lfp_msg("VLFD807W", "%s has not ended within %d ms of SIGTERM and gets SIGKILL.",
			name, patience);
		killed = true;
		rc = end_by_signal(name, SIGKILL, AFTER_KILL);
	}
	if (rc == -ETIMEDOUT) {
		lfp_msg("VLFD824E", "%s is still running after SIGKILL.", name);
		return LSB_FAILURE;
	}
	if (rc < 0) {
		lfp_msg("VLFD825E", "Cannot signal %s: %s.", name, strerror(-rc));
		return rc == -EPERM ? LSB_NO_PERMISSION : LSB_FAILURE;
	}
	return killed ? LSB_FAILURE : LSB_OK;
}

/* Removes the files of a killed instance; taking the lock keeps us from removing the file of one
 * that starts. */
static void clean_up(const char *name)
{
	struct lfp_pidfile pf;
	char path[LFP_PLACE_MAX];

	if (!instance_path(path, sizeof(path), name, "pid") && !lfp_pidfile_create(&pf, path))
		lfp_pidfile_remove(&pf);
}

int service_stop(const char *name, int patience)
{
	bool was_running;
	pid_t pid;
	int rc;

	rc = instance_query(name, &pid);
	if (rc < 0)
		return service_tell_unknown(name, rc);
	was_running = rc == LFP_PIDFILE_HELD;

	/* systemd may be about to restart an instance that is not running. */
	if (instance_by_systemd()) {
		rc = systemd_do("stop", name);
		if (rc)
			return rc;
	}
	/* Also one that was started by hand where systemd manages the others. */
	rc = end_directly(name, patience);
	if (instance_query(name, &pid) == LFP_PIDFILE_DEAD)
		clean_up(name);
	if (rc)
		return rc;
	if (was_running)
		lfp_msg("VLFD802I", "%s is stopped.", name);
	else
		lfp_msg("VLFD803I", "%s is not running.", name);
	return LSB_OK;
}

int service_status(const char *name)
{
	pid_t pid;
	int rc;

	rc = instance_query(name, &pid);
	if ((rc == LFP_PIDFILE_DEAD || rc == LFP_PIDFILE_NONE) && instance_by_systemd() &&
	    systemd_status(name))
		return LSB_STATUS_STOPPED;
	switch (rc) {
	case LFP_PIDFILE_HELD:
		printf("VLFD804I %s is running, process %ld.\n", name, (long)pid);
		return LSB_STATUS_RUNNING;
	case LFP_PIDFILE_DEAD:
		printf("VLFD805I %s is not running, but has left its pid file: process %ld.\n",
		       name, (long)pid);
		return LSB_STATUS_DEAD;
	case LFP_PIDFILE_NONE:
		printf("VLFD806I %s is stopped.\n", name);
		return LSB_STATUS_STOPPED;
	default:
		service_tell_unknown(name, rc);
		return LSB_STATUS_UNKNOWN;
	}
}

int service_any_conf(char conf[static LFP_PLACE_MAX], const char *name)
{
	if (!lfp_place_conf(conf, "enabled", name) && access(conf, R_OK) == 0)
		return LSB_OK;
	if (!lfp_place_conf(conf, "available", name) && access(conf, R_OK) == 0)
		return LSB_OK;
	return service_find_conf(conf, name);
}
