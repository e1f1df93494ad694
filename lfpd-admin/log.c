/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - lfpd-admin's log command: the records of the log of connections */
#include "lfpd-admin/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lfp/admin.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "json/json.h"
#include "lfpd-admin/rows.h"
#include "lfpd-admin/text.h"

#define FOLLOW_MS 250

/* "www.example.org:443", "[2001:db8::1]:443"; the local address if there is no peer */
static void put_peer(const struct rows *rows, size_t row, FILE *out)
{
	const char *name = rows_named(rows, row, "name"), *port = rows_named(rows, row, "port");
	char text[320];

	if (!*name)
		name = rows_named(rows, row, "address");
	if (!*name) {
		name = rows_named(rows, row, "local_address");
		port = rows_named(rows, row, "local_port");
	}
	snprintf(text, sizeof(text), strchr(name, ':') && *port ? "[%s]%s%s" : "%s%s%s",
		 *name ? name : "-", *port ? ":" : "", port);
	fprintf(out, " %-32s", text);
}

static void put_fields(const struct rows *rows, size_t row, FILE *out)
{
	const char *program = rows_named(rows, row, "program"), *slash = strrchr(program, '/');
	const char *rule = rows_named(rows, row, "rule"), *by = rows_named(rows, row, "refused_by");
	const char *result = rows_named(rows, row, "result");

	fprintf(out, "%-27s %-8s %-4s %7s %-15.15s %-3s", rows_named(rows, row, "time"),
		rows_named(rows, row, "event"), rows_named(rows, row, "task"),
		rows_named(rows, row, "pid"), slash && slash[1] ? slash + 1 : program,
		rows_named(rows, row, "protocol"));
	put_peer(rows, row, out);
	fprintf(out, " %s", *result ? result : rows_named(rows, row, "count"));
	if (*by && strcmp(by, "rule") != 0)
		fprintf(out, ", by %s", by);
	if (*rows_named(rows, row, "by_default"))
		fputs(", by the default", out);
	else if (*rule)
		fprintf(out, ", %sline %s of POLICY_FILE", strcmp(by, "rule") ? "" : "by ", rule);
	else if (!strcmp(by, "rule"))
		fputs(", by rule", out);
	if (*rows_named(rows, row, "passed_over"))
		fprintf(out, ", line %s does not allow the private address %s",
			rows_named(rows, row, "passed_over"), rows_named(rows, row, "address"));
	if (*rows_named(rows, row, "bytes_out"))
		fprintf(out, ", %s out, %s in", rows_named(rows, row, "bytes_out"),
			rows_named(rows, row, "bytes_in"));
	if (*rows_named(rows, row, "duration_us"))
		fprintf(out, ", %.3f s", strtod(rows_named(rows, row, "duration_us"), NULL) / 1e6);
}

static void put_title(FILE *out)
{
	fprintf(out, "%-27s %-8s %-4s %7s %-15s %-3s %-32s %s\n", "TIME", "EVENT", "TASK", "PID",
		"PROGRAM", "", "PEER", "RESULT");
}

/* One object a line, without the unknown values: as in the file. */
static void put_json(const struct rows *rows, size_t row, FILE *out)
{
	json_t *object = rows_object(rows, row), *value;
	const char *key;
	void *next;

	json_object_foreach_safe(object, next, key, value) if (json_is_null(value))
		json_object_del(object, key);
	(void)json_line(object, JSON_COMPACT, out);
}

/* Prints a record if its line has the filter, in upper or lower case. */
static int put_record(const struct view *view, const struct rows *rows, size_t row)
{
	struct page_text text;
	char *line;

	if (page_text_begin(&text))
		return -ENOMEM;
	put_fields(rows, row, text.out);
	line = page_text_end(&text);
	if (!line)
		return -ENOMEM;
	if (strcasestr(line, view->order.filter) && view->json) {
		put_json(rows, row, stdout);
	} else if (strcasestr(line, view->order.filter)) {
		text_put(line, stdout);
		putc('\n', stdout);
	}
	free(line);
	return 0;
}

static int say_off(const struct view *view)
{
	lfp_msg("VLFD915E",
		"Instance %s keeps no log: CONNECTION_LOG is not set. Refused calls are in "
		"VLFD170W of journalctl -u lfpd@%s.",
		view->name, view->name);
	return LFP_EXIT_UNAVAILABLE;
}

int log_rows(const struct view *view, struct rows *rows)
{
	struct ask_error error;
	char *answer, text[32] = "";
	int rc;

	if (ask(view->name, "log since=0", &answer, &error))
		return ask_say(&error);
	(void)lfp_admin_value(answer, "log", text, sizeof(text));
	rc = rows_parse(answer, rows);
	ask_forget(answer);
	if (rc) {
		view_fail(view, rc, &error);
		return ask_say(&error);
	}
	if (strcmp(text, "off") != 0)
		return LFP_EXIT_OK;
	rows_finish(rows);
	return say_off(view);
}

/* Prints the records after *@since, and moves it. @title: below a title, if there is a log. Returns
 * 0, or the exit code. */
static int print_new(struct view *view, unsigned long *since, bool title)
{
	char request[64], text[32] = "";
	struct ask_error error;
	unsigned long before = *since;
	struct rows rows;
	char *answer;
	int rc;

	snprintf(request, sizeof(request), "log since=%lu", *since);
	if (ask(view->name, request, &answer, &error))
		return ask_say(&error);
	(void)lfp_admin_value(answer, "newest", text, sizeof(text));
	*since = strtoul(text, NULL, 10);
	(void)lfp_admin_value(answer, "log", text, sizeof(text));
	rc = rows_parse(answer, &rows);
	ask_forget(answer);
	if (rc) {
		view_fail(view, rc, &error);
		return ask_say(&error);
	}
	/* After a restart of lfpd the numbers are lower. */
	if (before && *since >= before && *since - before > rows.nr)
		lfp_msg("VLFD916W", "Instance %s no longer has %lu records that belong here.",
			view->name, *since - before - rows.nr);
	if (title && strcmp(text, "off"))
		put_title(stdout);
	for (size_t row = 0; row < rows.nr && !rc; row++)
		rc = put_record(view, &rows, row);
	rows_finish(&rows);
	if (rc) {
		view_fail(view, rc, &error);
		return ask_say(&error);
	}
	if (!strcmp(text, "off"))
		return say_off(view);
	if (fflush(stdout)) {
		lfp_msg("VLFD905E", "Cannot write the output: %s.", strerror(errno));
		return LFP_EXIT_FAILURE;
	}
	return 0;
}

int command_log(struct view *view, bool follow)
{
	const struct timespec pause = {.tv_nsec = FOLLOW_MS * 1000000L};
	unsigned long since = 0;
	int rc;

	rc = print_new(view, &since, !view->json);
	while (!rc && follow) {
		(void)nanosleep(&pause, NULL);
		rc = print_new(view, &since, false);
	}
	return rc;
}
