/* SPDX-License-Identifier: Apache-2.0 */
/* instances.c - all running instances, a line each */
#include <stdio.h>
#include <string.h>

#include "lfp/admin.h"
#include "lfp/exit.h"
#include "lfp/json.h"
#include "lfpd-admin/running.h"
#include "lfpd-admin/status.h"
#include "lfpd-admin/view.h"

/* 80 columns are enough for limits of four digits. */
#define LINE "%-8s  %-20s  %10s  %12s  %s\n"

static const char *value(const char *answer, const char *key, char text[static 32])
{
	if (lfp_admin_value(answer, key, text, 32))
		strcpy(text, "-");
	return text;
}

/* "12 of 512" */
static const char *share(const char *answer, const char *used, const char *most,
			 char text[static 72])
{
	char one[32], two[32];

	snprintf(text, 72, "%s of %s", value(answer, used, one), value(answer, most, two));
	return text;
}

static void print_line(const char *name, const char *answer, FILE *out)
{
	char connected[32], appname[32], vmid[32], uptime[32];
	char peer[80] = "not connected", tasks[72], sockets[72];

	if (!strcmp(value(answer, "connected", connected), "yes"))
		snprintf(peer, sizeof(peer), "%s of %s", value(answer, "peer_appname", appname),
			 value(answer, "peer_vmid", vmid));
	fprintf(out, LINE, name, peer, share(answer, "tasks", "MAX_VSE_TASKS", tasks),
		share(answer, "sockets", "MAX_SOCKETS", sockets), status_uptime(answer, uptime));
}

/* Shows an instance that does not answer with its reason. */
static void show_one(const struct view *view, const char *name, FILE *out)
{
	struct ask_error error;
	char *answer = NULL;

	if (ask(name, "status", &answer, &error))
		answer = NULL;
	if (!view->json && answer) {
		print_line(name, answer, out);
	} else if (!view->json) {
		fprintf(out, "%-8s  %s %s\n", name, error.id, error.text);
	} else {
		fputs("{\"instance\": ", out);
		lfp_json_string(name, out);
		fputs(answer ? ", " : ", \"error\": ", out);
		if (answer)
			status_json(answer, out);
		else
			lfp_json_string(error.text, out);
		putc('}', out);
	}
	if (answer)
		ask_forget(answer);
}

int view_instances(struct view *view, FILE *out, struct ask_error *error)
{
	struct running found;

	running_find(&found);
	if (!found.nr && !view->json) {
		*error = (struct ask_error){
			.id = "VLFD913E",
			.exit = LFP_EXIT_UNAVAILABLE,
			.text = "No instance of lfpd is running.",
		};
		return -1;
	}
	if (view->json)
		fputs("{\"instances\": [", out);
	else
		fprintf(out, LINE, "INSTANCE", "Z/VSE", "TASKS", "SOCKETS", "UPTIME");
	for (size_t i = 0; i < found.nr; i++) {
		fputs(view->json && i ? ", " : "", out);
		show_one(view, found.name[i], out);
	}
	if (view->json)
		fputs("]}\n", out);
	return 0;
}
