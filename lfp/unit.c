/* SPDX-License-Identifier: Apache-2.0 */
/* unit.c - services of systemd: their names, their state, and why they are not running */
#include "lfp/unit.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lfp/number.h"
#include "lfp/spawn.h"

/* Exit codes from here on are systemd's own: it could not run the program (systemd.exec(5)). */
#define CODES_OF_SYSTEMD 200

#define PAUSE_MS    20
#define PAUSES_MOST 150 /* a start that ends with an error takes milliseconds */

bool lfp_unit_manages(void)
{
	const char *root = getenv("LFP_ROOT");

	/* sd_booted(3) looks for the same directory. */
	return (!root || !root[strspn(root, "/")]) && access("/run/systemd/system", F_OK) == 0;
}

void lfp_unit_name(char buf[static LFP_UNIT_MAX], const char *kind, const char *name)
{
	size_t len = (size_t)snprintf(buf, LFP_UNIT_MAX, "%s@", kind);

	/* Escapes as systemd-escape(1) does. In the unit %I is the NAME again. */
	for (; *name && len < LFP_UNIT_MAX - 16; name++) {
		const char *form = strchr("$#@", *name) ? "\\x%02x" : "%c";

		len += (size_t)snprintf(buf + len, LFP_UNIT_MAX - len, form, *name);
	}
	snprintf(buf + len, LFP_UNIT_MAX - len, ".service");
}

int lfp_unit_do(const char *verb, const char *unit)
{
	char program[] = "systemctl", quiet[] = "--quiet";
	char verb_arg[32], unit_arg[LFP_UNIT_MAX];
	char *argv[] = {program, quiet, verb_arg, unit_arg, NULL};

	snprintf(verb_arg, sizeof(verb_arg), "%s", verb);
	snprintf(unit_arg, sizeof(unit_arg), "%s", unit);
	return lfp_spawn(program, argv, false);
}

/* Copies the value of a line "KEY=VALUE"; "" if there is none. */
static void get(const char *text, const char *key, char *out, size_t size)
{
	size_t len = strlen(key);

	*out = '\0';
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		if (strncmp(at, key, len) || at[len] != '=')
			continue;
		at += len + 1;
		snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
		return;
	}
}

static int get_number(const char *text, const char *key)
{
	unsigned long number;
	char value[16];

	get(text, key, value, sizeof(value));
	return lfp_number(value, 0, INT_MAX, &number) ? 0 : (int)number;
}

/* Reports whether @text begins as an error of ours does: "VLFDnnnE " or "VLFBnnnE ". */
static bool is_error(const char *text)
{
	return (!strncmp(text, "VLFD", 4) || !strncmp(text, "VLFB", 4)) &&
	       strspn(text + 4, "0123456789") == 3 && !strncmp(text + 7, "E ", 2);
}

void lfp_unit_parse(struct lfp_unit *unit, const char *text)
{
	char active[32], sub[32], load[32];
	int how;

	memset(unit, 0, sizeof(*unit));
	get(text, "ActiveState", active, sizeof(active));
	get(text, "SubState", sub, sizeof(sub));
	get(text, "Result", unit->result, sizeof(unit->result));
	unit->code = get_number(text, "ExecMainStatus");
	how = get_number(text, "ExecMainCode"); /* of waitid(2) */
	unit->by_signal = how == CLD_KILLED || how == CLD_DUMPED;
	get(text, "LoadState", load, sizeof(load));
	unit->exists = !strcmp(load, "loaded");
	get(text, "StatusText", unit->said, sizeof(unit->said));
	if (!is_error(unit->said))
		*unit->said = '\0';
	if (!strncmp(sub, "auto-restart", 12))
		unit->state = LFP_UNIT_AGAIN;
	else if (!strcmp(active, "activating"))
		unit->state = LFP_UNIT_STARTING;
	else if (!strcmp(active, "failed"))
		unit->state = LFP_UNIT_FAILED;
	else if (!strcmp(active, "inactive"))
		unit->state = LFP_UNIT_STOPPED;
	else
		unit->state = LFP_UNIT_RUNNING;
}

int lfp_unit_look(struct lfp_unit *unit, const char *name)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000};
	char program[] = "systemctl", show[] = "show", name_arg[LFP_UNIT_MAX];
	char what[] =
		"--property=LoadState,ActiveState,SubState,Result,ExecMainCode,ExecMainStatus,"
		"StatusText,NRestarts";
	char *argv[] = {program, show, what, name_arg, NULL};
	char text[4096];
	int rc;

	snprintf(name_arg, sizeof(name_arg), "%s", name);
	for (int i = 0;; i++) {
		rc = lfp_spawn_read(program, argv, text, sizeof(text));
		if (rc)
			return rc < 0 ? rc : -EIO;
		lfp_unit_parse(unit, text);
		if (unit->state != LFP_UNIT_STARTING || !get_number(text, "NRestarts") ||
		    i == PAUSES_MOST)
			return 0;
		nanosleep(&pause, NULL);
	}
}

void lfp_unit_reason(const struct lfp_unit *unit, const char *program, char *buf, size_t size)
{
	const char *result = unit->result;
	size_t len;

	if (!strcmp(result, "watchdog")) {
		snprintf(buf, size, "%s hung and systemd's watchdog ended it", program);
	} else if (!strcmp(result, "timeout")) {
		snprintf(buf, size, "%s was not ready in time", program);
	} else if (!strcmp(result, "oom-kill")) {
		snprintf(buf, size, "the system had no memory left and ended %s", program);
	} else if (*unit->said) {
		snprintf(buf, size, "%s failed: %s", program, unit->said);
		len = strlen(buf);
		if (len && buf[len - 1] == '.')
			buf[len - 1] = '\0';
	} else if (unit->by_signal) {
		snprintf(buf, size, "%s was ended by signal %d", program, unit->code);
	} else if (unit->code >= CODES_OF_SYSTEMD) {
		snprintf(buf, size, "systemd could not run %s (exit code %d)", program, unit->code);
	} else if (unit->code) {
		snprintf(buf, size, "%s ended with exit code %d", program, unit->code);
	} else {
		snprintf(buf, size, "systemd reports the result %s", result);
	}
}
