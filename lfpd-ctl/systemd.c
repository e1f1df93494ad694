/* SPDX-License-Identifier: Apache-2.0 */
/* systemd.c - lfpd instances as services of systemd */
#include "lfpd-ctl/systemd.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "lfp/log.h"
#include "lfp/spawn.h"
#include "lfp/unit.h"
#include "lfpd-ctl/dropin.h"
#include "lfpd-ctl/instance.h"
#include "lfpd-ctl/service.h"

#define REASON_MAX 1280

/* Reads the beginning of systemctl's answer about a unit; "" if it can't be asked. */
static void ask_systemctl(const char *verb, const char *name, char *buf, size_t size)
{
	char unit[LFP_UNIT_MAX], program[] = "systemctl", plain[] = "--plain";
	char legend[] = "--no-legend", verb_arg[16];
	char *argv[] = {program, plain, legend, verb_arg, unit, NULL};

	snprintf(verb_arg, sizeof(verb_arg), "%s", verb);
	instance_unit(unit, name);
	(void)lfp_spawn_read(program, argv, buf, size);
}

bool systemd_is_active(const char *name)
{
	char text[64];

	ask_systemctl("is-active", name, text, sizeof(text));
	return !strncmp(text, "active", 6);
}

/* A line is: number, unit, kind of job, state. Kinds are restart and try-restart, stop and others.
 */
bool systemd_is_restarting(const char *name)
{
	char text[512], is[32];

	ask_systemctl("list-jobs", name, text, sizeof(text));
	return sscanf(text, "%*s %*s %31s", is) == 1 && strstr(is, "restart");
}

/* Reports that systemctl has failed. */
static int tell_systemctl(const char *verb, const char *name, int status)
{
	char unit[LFP_UNIT_MAX];

	instance_unit(unit, name);
	if (status < 0)
		lfp_msg("VLFD811E", "%s: cannot run systemctl: %s.", name, strerror(-status));
	else
		lfp_msg("VLFD812E", "%s: systemctl %s %s failed. See journalctl -u '%s'.", name,
			verb, unit, unit);
	/* systemctl exits with LSB's code for this failure. */
	if (status > 0 && WIFEXITED(status) && WEXITSTATUS(status) == LSB_NO_PERMISSION)
		return LSB_NO_PERMISSION;
	return LSB_FAILURE;
}

int systemd_do(const char *verb, const char *name)
{
	char unit[LFP_UNIT_MAX];
	int status;

	instance_unit(unit, name);
	status = lfp_unit_do(verb, unit);
	return status ? tell_systemctl(verb, name, status) : LSB_OK;
}

int systemd_daemon_reload(const char *name)
{
	char program[] = "systemctl", verb[] = "daemon-reload";
	char *argv[] = {program, verb, NULL};
	int status = lfp_spawn(program, argv, false);

	if (!status)
		return LSB_OK;
	if (status < 0)
		lfp_msg("VLFD811E", "%s: cannot run systemctl: %s.", name, strerror(-status));
	else
		lfp_msg("VLFD862E", "%s: systemctl daemon-reload failed.", name);
	return LSB_FAILURE;
}

/* Prints the error with which lfpd ended, as lfpd itself prints it. */
static void repeat_error(const struct lfp_unit *unit)
{
	char id[9];

	if (!*unit->said)
		return;
	snprintf(id, sizeof(id), "%.8s", unit->said);
	lfp_msg(id, "%s", unit->said + sizeof(id));
}

/* Starts the service by a verb of systemctl. */
static int run_verb(const char *verb, const char *name)
{
	char unit_name[LFP_UNIT_MAX], reason[REASON_MAX];
	struct lfp_unit unit;
	int status, rc;

	instance_unit(unit_name, name);
	/* systemd counts starts against a limit, and this one comes from a person. */
	if (!lfp_unit_look(&unit, unit_name) && unit.state == LFP_UNIT_FAILED)
		(void)lfp_unit_do("reset-failed", unit_name);
	status = lfp_unit_do(verb, unit_name);
	if (!status)
		return LSB_OK;
	if (status < 0 || lfp_unit_look(&unit, unit_name) ||
	    (unit.state != LFP_UNIT_AGAIN && unit.state != LFP_UNIT_FAILED))
		return tell_systemctl(verb, name, status);
	repeat_error(&unit);
	if (!strcmp(unit.result, "exit-code") || unit.by_signal) {
		rc = service_tell_end(name, unit.code, unit.by_signal);
	} else {
		lfp_unit_reason(&unit, "lfpd", reason, sizeof(reason));
		lfp_msg("VLFD863E", "%s: not started, because %s.", name, reason);
		rc = LSB_FAILURE;
	}
	if (unit.state == LFP_UNIT_AGAIN)
		lfp_msg("VLFD864W",
			"%s: systemd tries to start it again for some minutes; lfpd-ctl stop %s ends that.",
			name, name);
	return rc;
}

int systemd_start(const char *name, const char *conf)
{
	int rc = service_check(name, conf); /* prints all errors of the file */

	if (!rc)
		rc = dropin_fit(name, conf);
	return rc ? rc : run_verb("start", name);
}

int systemd_restart(const char *name, const char *conf)
{
	int rc = dropin_fit(name, conf);

	return rc ? rc : run_verb("restart", name);
}

bool systemd_status(const char *name)
{
	char unit_name[LFP_UNIT_MAX], reason[REASON_MAX];
	struct lfp_unit unit;

	instance_unit(unit_name, name);
	if (lfp_unit_look(&unit, unit_name))
		return false;
	lfp_unit_reason(&unit, "lfpd", reason, sizeof(reason));
	if (unit.state == LFP_UNIT_STARTING)
		printf("VLFD865I %s is starting.\n", name);
	else if (unit.state == LFP_UNIT_AGAIN)
		printf("VLFD866I %s is starting again, because %s.\n", name, reason);
	else if (unit.state == LFP_UNIT_FAILED)
		printf("VLFD867I %s is stopped, because %s.\n", name, reason);
	else
		return false;
	return true;
}

const char *systemd_state(const char *name)
{
	char unit_name[LFP_UNIT_MAX];
	struct lfp_unit unit;

	instance_unit(unit_name, name);
	if (lfp_unit_look(&unit, unit_name))
		return "stopped";
	return unit.state == LFP_UNIT_STARTING || unit.state == LFP_UNIT_AGAIN ? "starting"
	       : unit.state == LFP_UNIT_FAILED                                 ? "failed"
									       : "stopped";
}
