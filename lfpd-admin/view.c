/* SPDX-License-Identifier: Apache-2.0 */
/* view.c - what lfpd-admin shows of an instance: lists, statistics, and all on one screen */
#include "lfpd-admin/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/admin.h"
#include "lfp/exit.h"
#include "lfp/json.h"
#include "lfpd-admin/status.h"

#define VALUE_MAX 512

int view_fail(const struct view *view, int rc, struct ask_error *error)
{
	error->id = "VLFD906E";
	error->exit = LFP_EXIT_UNAVAILABLE;
	snprintf(error->text, sizeof(error->text), "Cannot show the answer of instance %s: %s.",
		 view->name, rc == -EPROTO ? "it has another version" : strerror(-rc));
	return -1;
}

static void open_json(const struct view *view, FILE *out)
{
	fputs("{\"instance\": ", out);
	lfp_json_string(view->name, out);
	fputs(", ", out);
}

/* Shows the answer to a question about the status, by @print or as JSON. */
static int show_status(const struct view *view, const char *question,
		       void (*print)(const char *answer, FILE *out), FILE *out,
		       struct ask_error *error)
{
	char *answer;

	if (ask(view->name, question, &answer, error))
		return -1;
	if (view->json) {
		open_json(view, out);
		status_json(answer, out);
		fputs("}\n", out);
	} else {
		print(answer, out);
	}
	ask_forget(answer);
	return 0;
}

int view_status(struct view *view, FILE *out, struct ask_error *error)
{
	return show_status(view, "status", status_print, out, error);
}

int view_trace(struct view *view, FILE *out, struct ask_error *error)
{
	return show_status(view, "trace-status", status_trace, out, error);
}

static int get_rows(struct view *view, const char *request, struct rows *rows,
		    struct ask_error *error)
{
	char *answer;
	int rc;

	if (ask(view->name, request, &answer, error))
		return -1;
	rc = rows_parse(answer, rows);
	ask_forget(answer);
	return rc ? view_fail(view, rc, error) : 0;
}

/* What 80 columns show of sockets. */
static void put_in_order(const struct view *view, struct rows *rows)
{
	static const char *const important[] = {"kind",    "state",   "local",  "peer",
						"program", "to_host", "to_vse", NULL};

	if (view->screen)
		rows_put_first(rows, important);
}

static int view_list(struct view *view, const char *what, FILE *out, struct ask_error *error)
{
	struct rows rows;

	if (get_rows(view, what, &rows, error))
		return -1;
	if (view->json) {
		open_json(view, out);
		lfp_json_string(what, out);
		fputs(": ", out);
		rows_json(&rows, out);
		fputs("}\n", out);
	} else {
		if (!strcmp(what, "sockets"))
			put_in_order(view, &rows);
		rows_print(&rows, out);
	}
	rows_finish(&rows);
	return 0;
}

int view_tasks(struct view *view, FILE *out, struct ask_error *error)
{
	return view_list(view, "tasks", out, error);
}

int view_sockets(struct view *view, FILE *out, struct ask_error *error)
{
	return view_list(view, "sockets", out, error);
}

int view_users(struct view *view, FILE *out, struct ask_error *error)
{
	return view_list(view, "users", out, error);
}

int view_limits(struct view *view, FILE *out, struct ask_error *error)
{
	return view_list(view, "limits", out, error);
}

static void put_rate(double rate, FILE *out)
{
	fprintf(out, rate < 100 ? "%.1f" : "%.0f", rate);
}

static void statistics_json(const struct view *view, FILE *out)
{
	const struct rows *rows = &view->now.rows;

	open_json(view, out);
	fputs("\"statistics\": {", out);
	for (size_t i = 0; i < rows->nr; i++) {
		const char *name = rows_cell(rows, i, 0);
		double rate = sample_rate(view, name);

		fputs(i ? ", " : "", out);
		lfp_json_string(name, out);
		fprintf(out, ": {\"value\": %s, \"kind\": ", rows_cell(rows, i, 2));
		lfp_json_string(rows_cell(rows, i, 1), out);
		if (rate >= 0) {
			fputs(", \"rate\": ", out);
			put_rate(rate, out);
		}
		putc('}', out);
	}
	fputs("}}\n", out);
}

int view_statistics(struct view *view, FILE *out, struct ask_error *error)
{
	const struct rows *rows = &view->now.rows;

	if (sample_take(view, error))
		return -1;
	if (view->json) {
		statistics_json(view, out);
		return 0;
	}
	fprintf(out, "%-24s %20s %16s\n", "NAME", "VALUE", "A SECOND");
	for (size_t i = 0; i < rows->nr; i++) {
		const char *name = rows_cell(rows, i, 0);
		double rate = sample_rate(view, name);

		fprintf(out, "%-24s %20s", name, rows_cell(rows, i, 2));
		if (rate >= 0)
			fprintf(out, rate < 100 ? " %16.1f" : " %16.0f", rate);
		putc('\n', out);
	}
	return 0;
}

/* Bytes a second, in 9 columns. */
static const char *amount(double rate, char text[static 32])
{
	static const char *const units[] = {"B", "KB", "MB", "GB"};
	size_t unit = 0;

	if (rate < 0) {
		strcpy(text, "-");
		return text;
	}
	for (; rate >= 1000 && unit < 3; unit++)
		rate /= 1000;
	snprintf(text, 32, "%.*f %s/s", rate < 100 && unit ? 1 : 0, rate, units[unit]);
	return text;
}

static const char *frequency(double rate, char text[static 32])
{
	snprintf(text, 32, rate < 0 ? "-" : "%.0f/s", rate);
	return text;
}

static void put_head(const struct view *view, const char *status, FILE *out)
{
	char connected[8] = "", appname[16] = "", vmid[16] = "", uptime[32];

	(void)lfp_admin_value(status, "connected", connected, sizeof(connected));
	(void)lfp_admin_value(status, "peer_appname", appname, sizeof(appname));
	(void)lfp_admin_value(status, "peer_vmid", vmid, sizeof(vmid));
	fprintf(out, "lfpd %s, up %s: ", view->name, status_uptime(status, uptime));
	if (strcmp(connected, "yes") != 0)
		fputs("z/VSE instance is not connected.\n", out);
	else
		fprintf(out, "%s of %s is connected.\n", appname, vmid);
}

static void put_line(const struct view *view, const char *title, const char *to_host,
		     const char *to_vse, const char *(*text)(double, char *), FILE *out)
{
	char one[32], two[32];

	fprintf(out, "%-12s %20s %12s %20s %12s\n", title, sample_value(view, to_host),
		text(sample_rate(view, to_host), one), sample_value(view, to_vse),
		text(sample_rate(view, to_vse), two));
}

int view_overview(struct view *view, FILE *out, struct ask_error *error)
{
	struct rows sockets;
	char *status;

	if (sample_take(view, error) || ask(view->name, "status", &status, error))
		return -1;
	if (get_rows(view, "sockets", &sockets, error)) {
		ask_forget(status);
		return -1;
	}
	put_head(view, status, out);
	ask_forget(status);
	fprintf(out, "Tasks %s of %s, sockets %s of %s, I/O buffers %s of %s in use, trace %s\n",
		sample_value(view, "tasks"), sample_value(view, "tasks_max"),
		sample_value(view, "sockets"), sample_value(view, "sockets_max"),
		sample_value(view, "io_buffers_used"), sample_value(view, "io_buffers"),
		strcmp(sample_value(view, "trace_running"), "1") ? "off" : "on");
	fprintf(out, "%-12s %20s %12s %20s %12s\n", "", "TO HOST", "", "TO Z/VSE", "");
	put_line(view, "Streams", "stream_bytes_to_host", "stream_bytes_to_vse", amount, out);
	put_line(view, "Datagrams", "datagrams_to_host", "datagrams_to_vse", frequency, out);
	put_line(view, "Packets", "packets_in", "packets_out", frequency, out);
	put_line(view, "Path", "path_bytes_in", "path_bytes_out", amount, out);
	putc('\n', out);
	put_in_order(view, &sockets);
	rows_print(&sockets, out);
	rows_finish(&sockets);
	return 0;
}
