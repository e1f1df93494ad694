/* SPDX-License-Identifier: Apache-2.0 */
/* sessions.c - FCX207: the sessions that have ended, with whole addresses on any screen */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "json/json.h"
#include "lfp/admin.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/number.h"
#include "lfpd-admin/log.h"
#include "lfpd-admin/report.h"
#include "lfpd-admin/wrap.h"

/*
 * A session is a few words and two addresses. An address with 39 characters stands whole on a line
 * of 40.
 */

#define WIDTH     80
#define WIDTH_MAX 10000

/* Columns of the output: what COLUMNS says, those of the terminal, or 80. */
static size_t output_width(void)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	unsigned long width;

	if (text && !lfp_number(text, 1, WIDTH_MAX, &width))
		return width;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return WIDTH;
}

static void put_address(struct wrap *wrap, const char *which, const char *address, const char *port)
{
	if (!*address)
		return;
	wrap_line(wrap);
	wrap_word(wrap, " ");
	wrap_word(wrap, which);
	wrap_word(wrap, address);
	wrap_words(wrap, "port", port, "");
}

static void put_session(const struct rows *rows, size_t row, struct wrap *wrap)
{
	const char *program = rows_named(rows, row, "program"), *slash = strrchr(program, '/');
	char seconds[32];

	snprintf(seconds, sizeof(seconds), "%.3f",
		 strtod(rows_named(rows, row, "duration_us"), NULL) / 1e6);
	wrap->used = 0;
	wrap_word(wrap, rows_named(rows, row, "time"));
	wrap_word(wrap, rows_named(rows, row, "protocol"));
	wrap_word(wrap, rows_named(rows, row, "direction"));
	wrap_words(wrap, "task", rows_named(rows, row, "task"), "");
	wrap_word(wrap, slash && slash[1] ? slash + 1 : program);
	wrap_word(wrap, rows_named(rows, row, "result"));
	wrap_words(wrap, "", seconds, "s");
	put_address(wrap, "Local ", rows_named(rows, row, "local_address"),
		    rows_named(rows, row, "local_port"));
	put_address(wrap, "Remote", rows_named(rows, row, "address"),
		    rows_named(rows, row, "port"));
	wrap_line(wrap);
	wrap_word(wrap, " ");
	wrap_words(wrap, "Sent", rows_named(rows, row, "bytes_out"), "bytes,");
	wrap_words(wrap, "received", rows_named(rows, row, "bytes_in"), "bytes");
	wrap_line(wrap);
}

static bool is_chosen(const struct rows *rows, size_t row, const struct range *range)
{
	uint64_t us;
	char text[WHEN_TEXT];

	if (strcmp(rows_named(rows, row, "event"), "end") != 0)
		return false;
	/* Without the fraction, which no range has. */
	snprintf(text, sizeof(text), "%.19s", rows_named(rows, row, "time"));
	return !when_read(text, 0, &us) && us >= range->from && us < range->to;
}

static void print_text(const struct view *view, const struct rows *rows, const struct range *range)
{
	static const struct range all = {0, 0};
	struct wrap wrap = {.out = stdout, .width = output_width()};

	report_head(REPORT_FCX207, &all, 0, view->name, stdout);
	for (size_t row = 0; row < rows->nr; row++)
		if (is_chosen(rows, row, range))
			put_session(rows, row, &wrap);
}

static int print_json(const struct view *view, const struct rows *rows, const struct range *range)
{
	json_t *object = report_object(REPORT_FCX207), *sessions = json_array();

	json_object_set_new(object, "instance", json_text(view->name));
	for (size_t row = 0; row < rows->nr; row++)
		if (is_chosen(rows, row, range))
			json_array_append_new(sessions, rows_object(rows, row));
	json_object_set_new(object, "sessions", sessions);
	return json_line(object, 0, stdout);
}

static bool has_session(const struct rows *rows, const struct range *range)
{
	for (size_t row = 0; row < rows->nr; row++)
		if (is_chosen(rows, row, range))
			return true;
	return false;
}

int command_sessions(struct view *view, const struct range *range)
{
	struct ask_error error;
	struct rows rows;
	int rc = 0, code = log_rows(view, &rows);

	if (code)
		return code;
	if (!has_session(&rows, range)) {
		rows_finish(&rows);
		lfp_msg("VLFD927E",
			"No session of instance %s that its log of connections still has ended at "
			"that time.",
			view->name);
		return LFP_EXIT_FAILURE;
	}
	if (view->json)
		rc = print_json(view, &rows, range);
	else
		print_text(view, &rows, range);
	rows_finish(&rows);
	if (rc) {
		view_fail(view, rc, &error);
		return ask_say(&error);
	}
	if (fflush(stdout)) {
		lfp_msg("VLFD905E", "Cannot write the output: %s.", strerror(errno));
		return LFP_EXIT_FAILURE;
	}
	return LFP_EXIT_OK;
}
