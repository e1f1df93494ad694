/* SPDX-License-Identifier: Apache-2.0 */
/* operate.c - STOP, LIST and INFO: commands about instances that are up */
#include "ijblfp/operate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ijblfp/console.h"
#include "ijblfp/report.h"
#include "lfp/admin.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/pidfile.h"
#include "lfp/places.h"

#define STOP_SECONDS 10
#define TICK_MS      10

/* Ask an instance; an exit code. The answer is to be freed. */
static int ask(const char *id, const char *request, char **answer)
{
	char path[LFP_PLACE_MAX];
	int rc = lfp_place_vse(path, id, "op");

	if (!rc)
		rc = lfp_admin_ask(path, request, answer);
	if (rc == -ENOENT || rc == -ECONNREFUSED) {
		lfp_msg("VLFB020E", "Instance %s is not up.", id);
		return LFP_EXIT_UNAVAILABLE;
	}
	if (rc) {
		lfp_msg("VLFB021E", "Instance %s cannot be asked at %s: %s.", id, path,
			lfp_place_strerror(rc));
		return LFP_EXIT_FAILURE;
	}
	return LFP_EXIT_OK;
}

static uint64_t value(const char *answer, const char *key)
{
	char text[32];

	return lfp_admin_value(answer, key, text, sizeof(text)) ? 0 : strtoull(text, NULL, 10);
}

/* --- STOP -------------------------------------------------------------------------------- */

static void say_what_is_waited_for(const char *id, const char *answer)
{
	uint64_t tasks = value(answer, "tasks"), sockets = value(answer, "sockets");

	if (tasks || sockets)
		lfp_msg("VLFB023W",
			"Instance %s has %llu active tasks and %llu sockets: STOP waits for their "
			"end.",
			id, (unsigned long long)tasks, (unsigned long long)sockets);
}

int operate_stop(const char *id, bool immediate)
{
	const struct timespec tick = {.tv_nsec = TICK_MS * 1000 * 1000};
	char path[LFP_PLACE_MAX], *answer;
	pid_t pid;
	int code = ask(id, immediate ? "stop immediate" : "stop", &answer);

	if (code)
		return code;
	if (!immediate)
		say_what_is_waited_for(id, answer);
	free(answer);
	if (lfp_place_vse(path, id, "pid"))
		return LFP_EXIT_FAILURE;
	for (int i = 0; !immediate || i < STOP_SECONDS * 1000 / TICK_MS; i++) {
		if (lfp_pidfile_query(path, &pid) != LFP_PIDFILE_HELD)
			return LFP_EXIT_OK;
		nanosleep(&tick, NULL);
	}
	lfp_msg("VLFB022E", "Instance %s has not ended within %d seconds.", id, STOP_SECONDS);
	return LFP_EXIT_FAILURE;
}

/* --- LIST, INFO -------------------------------------------------------------------------- */

/* To standard output, and to the console log if there is one; an exit code. */
static int print(char *text)
{
	bool failed = fputs(text, stdout) < 0 || fflush(stdout);

	console_text(text);
	free(text);
	if (!failed)
		return LFP_EXIT_OK;
	lfp_msg("VLFB024E", "The output cannot be written: %s.", strerror(errno));
	return LFP_EXIT_FAILURE;
}

static int no_memory(void)
{
	lfp_msg("VLFB024E", "The output cannot be written: %s.", strerror(ENOMEM));
	return LFP_EXIT_FAILURE;
}

int operate_info(const char *id, bool tasks, bool all)
{
	char *answer, *text = NULL;
	size_t size;
	FILE *out;
	int code = ask(id, "info", &answer);

	if (code)
		return code;
	out = open_memstream(&text, &size);
	if (out)
		report_info(out, answer, tasks, all);
	free(answer);
	if (!out || fclose(out))
		return no_memory();
	return print(text);
}

static bool is_up(const char *id)
{
	char path[LFP_PLACE_MAX];
	pid_t pid;

	return !lfp_check_nn(id) && !lfp_place_vse(path, id, "pid") &&
	       lfp_pidfile_query(path, &pid) == LFP_PIDFILE_HELD;
}

int operate_list(void)
{
	struct report_instance found[100];
	char path[LFP_PLACE_MAX], id[3], *answer, *text = NULL;
	unsigned int nr = 0;
	int code = LFP_EXIT_OK, printed;
	size_t size;
	FILE *out;

	for (unsigned int i = 0; i < 100; i++) {
		snprintf(id, sizeof(id), "%02u", i);
		/* One that is starting, or ending, does not answer and is not active. */
		if (!is_up(id) || lfp_place_vse(path, id, "op"))
			continue;
		if (access(path, F_OK))
			continue;
		if (ask(id, "info", &answer)) {
			code = LFP_EXIT_FAILURE;
			continue;
		}
		strcpy(found[nr].id, id);
		found[nr++].tasks = value(answer, "tasks");
		free(answer);
	}
	out = open_memstream(&text, &size);
	if (out)
		report_list(out, found, nr);
	if (!out || fclose(out))
		return no_memory();
	printed = print(text);
	return printed ? printed : code;
}
