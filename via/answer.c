/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - what the appliance does for a command, and answers */
#include "via/answer.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/exit.h"
#include "lfp/number.h"
#include "via/ask.h"
#include "via/config.h"
#include "via/inside.h"
#include "via/instance.h"
#include "via/journal.h"

#define LOG_DEFAULT 50 /* lines */

bool via_shutdown_wanted;

/* An answer of lfpd-admin that is on its way to a client. */
struct forward {
	struct via_ask ask;
	struct via_client *client;
};

static void on_line(void *data, const char *text, size_t len)
{
	struct forward *forward = data;

	via_client_line(forward->client, text, len);
}

static void on_end(void *data, int code)
{
	struct forward *forward = data;
	struct via_client *client = forward->client;

	free(forward);
	via_client_end(client, code);
}

static void on_room(void *data, bool room)
{
	via_ask_pause(&((struct forward *)data)->ask, !room);
}

static void on_gone(void *data)
{
	struct forward *forward = data;

	via_ask_drop(&forward->ask);
	free(forward);
}

static void refuse(struct via_client *client, const char *name, const char *reason)
{
	via_client_printf(client, "VLFD540E %s: %s.", name, reason);
	via_client_end(client, LFP_EXIT_UNAVAILABLE);
}

static void ask_admin(struct via_client *client, const char *name, const char *const words[])
{
	const struct via_instance *inst = via_instance_find(name);
	struct forward *forward = NULL;
	int rc = -ENOMEM;

	if (!inst || inst->state != VIA_RUNNING) {
		refuse(client, name, inst ? "it does not serve" : "there is no such instance");
		return;
	}
	forward = calloc(1, sizeof(*forward));
	if (forward) {
		const struct via_client_owner owner = {
			.on_room = on_room, .on_gone = on_gone, .data = forward};

		forward->client = client;
		forward->ask.on_line = on_line;
		forward->ask.on_end = on_end;
		forward->ask.data = forward;
		rc = via_ask_start(&forward->ask, inst, words);
		if (!rc)
			via_client_own(client, &owner);
	}
	if (!rc)
		return;
	free(forward);
	refuse(client, name, strerror(-rc));
}

/* The only instance, if there is one; "" else. */
static const char *only_instance(void)
{
	const char *name = "";

	for (size_t i = 0; i < VIA_INSTANCES_MAX; i++) {
		if (!via_instances[i].state)
			continue;
		if (*name)
			return "";
		name = via_instances[i].name;
	}
	return name;
}

static void list_instances(struct via_client *client)
{
	via_client_printf(client, "%-8s %-21s %-8s %-10s %s", "INSTANCE", "STATE", "PROCESS",
			  "GENERATION", "REASON");
	for (size_t i = 0; i < VIA_INSTANCES_MAX; i++) {
		const struct via_instance *inst = &via_instances[i];

		if (inst->state)
			via_client_printf(client, "%-8s %-21s %-8d %-10llu %s", inst->name,
					  via_state_text(inst->state), (int)inst->pid,
					  (unsigned long long)inst->generation, inst->reason);
	}
	via_client_end(client, LFP_EXIT_OK);
}

static void answer_status(struct via_client *client, const struct via_request *request)
{
	const char *const words[] = {"status", NULL};
	const char *name = request->nr ? request->words[0] : only_instance();

	if (*name)
		ask_admin(client, name, words);
	else
		list_instances(client);
}

/* LIST [NAME [TABLE]]; lfpd-admin's words are in lower case. */
static void answer_list(struct via_client *client, const struct via_request *request)
{
	static const char *const tables[] = {"tasks", "sockets", "users", "limits", "statistics"};

	if (!request->nr) {
		list_instances(client);
		return;
	}
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const char *const words[] = {tables[i], NULL};
		const char *wanted = request->nr > 1 ? request->words[1] : "SOCKETS";

		if (strcasecmp(wanted, tables[i]) != 0)
			continue;
		ask_admin(client, request->words[0], words);
		return;
	}
	via_client_printf(client,
			  "VLFD541E There is no table %s: TASKS, SOCKETS, USERS, LIMITS or "
			  "STATISTICS.",
			  request->words[1]);
	via_client_end(client, LFP_EXIT_USAGE);
}

static void answer_trace(struct via_client *client, const struct via_request *request)
{
	static const char *const verbs[] = {"start", "stop", "status", "show"};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		const char *const words[] = {"trace", verbs[i], NULL};

		if (strcasecmp(request->words[1], verbs[i]) != 0)
			continue;
		ask_admin(client, request->words[0], words);
		return;
	}
	via_client_printf(client, "VLFD542E There is no TRACE %s: START, STOP, STATUS or SHOW.",
			  request->words[1]);
	via_client_end(client, LFP_EXIT_USAGE);
}

/* LOG [LINES] is the journal, LOG NAME the connections of an instance. */
static void answer_log(struct via_client *client, const struct via_request *request)
{
	unsigned long lines = LOG_DEFAULT;

	if (request->nr && lfp_number(request->words[0], 1, VIA_JOURNAL_LINES, &lines)) {
		const char *const words[] = {"log", NULL};

		ask_admin(client, request->words[0], words);
		return;
	}
	if (lines > via_journal_count())
		lines = via_journal_count();
	for (size_t back = lines; back--;)
		via_client_printf(client, "%s", via_journal_get(back));
	via_client_end(client, LFP_EXIT_OK);
}

static void answer_start(struct via_client *client, const struct via_request *request)
{
	struct via_instance *inst = via_instance_find(request->words[0]);
	int rc = inst ? via_instance_start(inst) : -ENOENT;

	if (rc == -ENOENT)
		refuse(client, request->words[0], "there is no such instance");
	else if (rc == -EINVAL)
		refuse(client, inst->name,
		       *inst->reason ? inst->reason : "it has no configuration");
	else if (rc == -EBUSY)
		refuse(client, inst->name, via_state_text(inst->state));
	else if (rc)
		refuse(client, inst->name, strerror(-rc));
	else {
		via_client_printf(client, "%s is starting.", inst->name);
		via_client_end(client, LFP_EXIT_OK);
	}
}

static void answer_stop(struct via_client *client, const struct via_request *request)
{
	struct via_instance *inst = via_instance_find(request->words[0]);

	if (!inst) {
		refuse(client, request->words[0], "there is no such instance");
		return;
	}
	via_instance_stop(inst, false);
	via_client_printf(client, "%s: %s.", inst->name, via_state_text(inst->state));
	via_client_end(client, LFP_EXIT_OK);
}

static void answer_reload(struct via_client *client)
{
	char *text = NULL, *save = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	bool good = via_config_load(out);

	if (out)
		fclose(out);
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		via_client_printf(client, "%s", line);
	free(text);
	via_client_printf(client, "Generation %llu of the configuration is read%s.",
			  (unsigned long long)via_config.generation,
			  good ? "" : "; what was wrong is not in force");
	via_client_end(client, good ? LFP_EXIT_OK : LFP_EXIT_CONFIG);
}

static void answer_query(struct via_client *client, const struct via_request *request)
{
	const char *what = request->nr ? request->words[0] : "";

	if (!strcmp(what, "FILES"))
		inside_files(client);
	else if (!strcmp(what, "PROCESSES"))
		inside_processes(client);
	else if (!*what)
		inside_summary(client);
	else {
		via_client_printf(client, "VLFD543E There is no QUERY %s: FILES or PROCESSES.",
				  what);
		via_client_end(client, LFP_EXIT_USAGE);
		return;
	}
	via_client_end(client, LFP_EXIT_OK);
}

void via_answer_request(struct via_client *client, const struct via_request *request)
{
	switch (request->verb) {
	case VIA_QUERY:
		answer_query(client, request);
		break;
	case VIA_STATUS:
		answer_status(client, request);
		break;
	case VIA_LIST:
		answer_list(client, request);
		break;
	case VIA_START:
		answer_start(client, request);
		break;
	case VIA_STOP:
		answer_stop(client, request);
		break;
	case VIA_RELOAD:
		answer_reload(client);
		break;
	case VIA_TRACE:
		answer_trace(client, request);
		break;
	case VIA_LOG:
		answer_log(client, request);
		break;
	case VIA_SHUTDOWN:
		via_shutdown_wanted = true;
		via_client_printf(client, "The appliance ends.");
		via_client_end(client, LFP_EXIT_OK);
		break;
	case VIA_VERBS:
		break;
	}
}
