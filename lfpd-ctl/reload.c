/* SPDX-License-Identifier: Apache-2.0 */
/* reload.c - let a running instance read its configuration again */
#include "lfpd-ctl/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/admin.h"
#include "lfp/log.h"
#include "lfp/pidfile.h"
#include "lfpd-ctl/instance.h"
#include "lfpd-ctl/service.h"

/* The keys in lines "@which<TAB>KEY" with commas between; "" if there are none. */
static void collect(const char *answer, const char *which, char *out, size_t size)
{
	char key[32], value[64];
	size_t len = 0;

	*out = '\0';
	while (lfp_admin_each(&answer, key, sizeof(key), value, sizeof(value))) {
		if (!strcmp(key, which) && len < size)
			len += (size_t)snprintf(out + len, size - len, "%s%s", len ? ", " : "",
						value);
	}
}

static int tell(const char *name, const char *answer)
{
	char text[640], kept[640];

	if (!lfp_admin_value(answer, "error", text, sizeof(text))) {
		lfp_msg("VLFD841E",
			"%s keeps its configuration, because the new one has an error: %s.", name,
			text);
		return LSB_NOT_CONFIGURED;
	}
	collect(answer, "changed", text, sizeof(text));
	collect(answer, "kept", kept, sizeof(kept));
	if (*text)
		lfp_msg("VLFD842I", "%s uses new values of %s.", name, text);
	else if (!*kept)
		lfp_msg("VLFD843I", "%s has reloaded its configuration: nothing has changed.",
			name);
	if (!lfp_admin_value(answer, "cut", text, sizeof(text)))
		lfp_msg("VLFD848I", "%s has ended %s sockets that the rules forbid.", name, text);
	if (*kept)
		lfp_msg("VLFD844W",
			"%s keeps its values of %s until its next start. Run lfpd-ctl restart %s.",
			name, kept, name);
	return LSB_OK;
}

static int ask(const char *name, const char *request)
{
	char path[INSTANCE_PATH_MAX];
	char *answer = NULL;
	pid_t pid;
	int rc;

	rc = instance_query(name, &pid);
	if (rc == LFP_PIDFILE_NONE || rc == LFP_PIDFILE_DEAD) {
		lfp_msg("VLFD840E", "%s is not running.", name);
		return LSB_NOT_RUNNING;
	}
	rc = instance_path(path, sizeof(path), name, "admin");
	if (!rc)
		rc = lfp_admin_ask(path, request, &answer);
	if (rc) {
		lfp_msg("VLFD845E", "Cannot ask %s at %s: %s.", name, path, strerror(-rc));
		return rc == -EACCES ? LSB_NO_PERMISSION : LSB_FAILURE;
	}
	rc = tell(name, answer);
	free(answer);
	return rc;
}

int reload_instance(const char *name)
{
	return ask(name, "reload");
}

int reload_cut_instance(const char *name)
{
	return ask(name, "reload-cut");
}
