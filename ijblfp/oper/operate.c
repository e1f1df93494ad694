/* SPDX-License-Identifier: Apache-2.0 */
/* operate.c - STOP, LIST, INFO and NETSTAT: commands about instances that are up */
#include "ijblfp/oper/operate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ijblfp/oper/console.h"
#include "ijblfp/oper/netstat-text.h"
#include "ijblfp/oper/report.h"
#include "lfp/admin.h"
#include "lfp/elsewhere.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/pidfile.h"
#include "lfp/places.h"

#define STOP_SECONDS 10
#define TICK_MS      10
#define CLOSING_MS   1000
#define ASK_TIMES    10

static void tick(void)
{
	const struct timespec time = {.tv_nsec = TICK_MS * 1000 * 1000};

	nanosleep(&time, NULL);
}

/* Asks an instance. Returns 0, -ESRCH if it is not up, or another negative errno. The caller frees
 * the answer. */
static int ask_it(const char *path, const char *request, char **answer)
{
	int rc = -ECONNRESET;

	/* The instance may be ending, or may have dropped this request because too many ask. */
	for (int i = 0; i < ASK_TIMES && (rc == -ECONNRESET || rc == -EPIPE); i++) {
		if (i)
			tick();
		rc = lfp_admin_ask(path, request, answer);
	}
	return rc == -ENOENT || rc == -ECONNREFUSED ? -ESRCH : rc;
}

static int say_cannot_ask(const char *id, const char *path, int error)
{
	char file[sizeof("vselfp/NN/op")];

	if (error == -ESRCH) {
		snprintf(file, sizeof(file), "vselfp/%.2s/op", id);
		lfp_msg("VLFB020E", "Instance %s is not up.%s", id,
			lfp_elsewhere(file, SOCK_STREAM) ? LFP_ELSEWHERE_HINT : "");
		return LFP_EXIT_UNAVAILABLE;
	}
	lfp_msg("VLFB021E", "Cannot ask instance %s at %s: %s.", id, path,
		lfp_place_strerror(error));
	return LFP_EXIT_FAILURE;
}

/* Asks an instance and reports errors. Returns an exit code. The caller frees the answer. */
static int ask(const char *id, const char *request, char **answer)
{
	char path[LFP_PLACE_MAX];
	int rc = lfp_place_vse(path, id, "op");

	if (!rc)
		rc = ask_it(path, request, answer);
	return rc ? say_cannot_ask(id, path, rc) : LFP_EXIT_OK;
}

static uint64_t value(const char *answer, const char *key)
{
	char text[32];

	return lfp_admin_value(answer, key, text, sizeof(text)) ? 0 : strtoull(text, NULL, 10);
}

/* Tasks that lfpd does not know (it is gone) are not active, but STOP waits for them all the same.
 */
static bool say_what_is_waited_for(const char *id, const char *answer)
{
	uint64_t tasks = value(answer, "tasks_living"), sockets = value(answer, "sockets");

	if (tasks || sockets)
		lfp_msg("VLFB023W",
			"Instance %s has %llu active tasks and %llu sockets. STOP waits until they "
			"end; STOP %s IMMEDIATE does not wait, and INFO %s SHOWTASKS shows them.",
			id, (unsigned long long)tasks, (unsigned long long)sockets, id, id);
	return tasks || sockets;
}

/* All programs are gone. Usually lfpd closed their sockets long before this message. */
static void say_closing(const char *id, const char *path)
{
	uint64_t closing;
	char *answer;

	if (lfp_admin_ask(path, "info", &answer))
		return;
	closing = value(answer, "closing");
	if (closing)
		lfp_msg("VLFB026W",
			"Instance %s has %llu sockets that lfpd has not closed yet. STOP waits "
			"for lfpd.",
			id, (unsigned long long)closing);
	free(answer);
}

int operate_stop(const char *id, bool immediate)
{
	char pid_path[LFP_PLACE_MAX], path[LFP_PLACE_MAX], *answer;
	pid_t asked, pid;
	uint64_t i;
	bool said = immediate;
	int code;

	if (lfp_place_vse(pid_path, id, "pid") || lfp_place_vse(path, id, "op"))
		return LFP_EXIT_FAILURE;
	code = ask(id, immediate ? "stop immediate" : "stop", &answer);
	if (code)
		return code;
	if (!immediate)
		said = say_what_is_waited_for(id, answer);
	/* Another instance may hold the file by the time this one has ended. */
	asked = (pid_t)value(answer, "pid");
	free(answer);
	for (i = 0; !immediate || i < STOP_SECONDS * 1000 / TICK_MS; i++) {
		if (lfp_pidfile_query(pid_path, &pid) != LFP_PIDFILE_HELD || pid != asked)
			return LFP_EXIT_OK;
		if (i == CLOSING_MS / TICK_MS && !said)
			say_closing(id, path);
		tick();
	}
	lfp_msg("VLFB022E", "Instance %s has not ended within %d seconds.", id, STOP_SECONDS);
	return LFP_EXIT_FAILURE;
}

/* Writes to standard output, and to the console log if there is one. Returns an exit code. */
static int print(char *text)
{
	bool failed = fputs(text, stdout) < 0 || fflush(stdout);

	console_text(text);
	free(text);
	if (!failed)
		return LFP_EXIT_OK;
	lfp_msg("VLFB024E", "Cannot write the output: %s.", strerror(errno));
	return LFP_EXIT_FAILURE;
}

static int no_memory(void)
{
	lfp_msg("VLFB024E", "Cannot write the output: %s.", strerror(ENOMEM));
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

int operate_netstat_device(const char *id, const char *link)
{
	char *answer, *text = NULL, *all = NULL, own[16];
	time_t now = time(NULL);
	struct tm tm = {0};
	size_t size;
	FILE *out;
	int code = ask(id, "device", &answer);

	if (code)
		return code;
	if (lfp_admin_value(answer, "link_name", own, sizeof(own)) ||
	    (link && strcasecmp(link, own))) {
		lfp_msg("VLFB054E", "Instance %s has no link %s: its link is LFP%s.", id, link, id);
		free(answer);
		return LFP_EXIT_FAILURE;
	}
	localtime_r(&now, &tm);
	if (asprintf(&all, "title\tVSELFPD NETSTAT %s\ntime\t%02d:%02d:%02d\n%s", VSELFPD_VERSION,
		     tm.tm_hour, tm.tm_min, tm.tm_sec, answer) < 0)
		all = NULL;
	free(answer);
	out = all ? open_memstream(&text, &size) : NULL;
	if (out)
		netstat_print_device(out, all);
	free(all);
	if (!out || fclose(out))
		return no_memory();
	return print(text);
}

int operate_netstat_sockets(const char *id, const char *job)
{
	char *answer, *text = NULL;
	size_t size;
	FILE *out;
	int code = ask(id, "sockets", &answer);

	if (code)
		return code;
	out = open_memstream(&text, &size);
	if (out)
		(void)netstat_print_sockets(out, answer, job);
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

/* Not active: START has not reported that the instance is up. */
static bool is_starting(const char *answer)
{
	char text[16];

	return !lfp_admin_value(answer, "status", text, sizeof(text)) && !strcmp(text, "STARTING");
}

int operate_list(void)
{
	struct report_instance found[100];
	char path[LFP_PLACE_MAX], id[3], *answer, *text = NULL;
	unsigned int nr = 0;
	int code = LFP_EXIT_OK, printed, rc;
	size_t size;
	FILE *out;

	for (unsigned int i = 0; i < 100; i++) {
		snprintf(id, sizeof(id), "%02u", i);
		if (!is_up(id) || lfp_place_vse(path, id, "op"))
			continue;
		rc = ask_it(path, "info", &answer);
		/* The instance is ending, or has begun to start. */
		if (rc == -ESRCH)
			continue;
		if (rc) {
			code = say_cannot_ask(id, path, rc);
			continue;
		}
		if (!is_starting(answer)) {
			strcpy(found[nr].id, id);
			found[nr++].tasks = value(answer, "tasks");
		}
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
