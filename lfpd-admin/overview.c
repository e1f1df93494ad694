/* SPDX-License-Identifier: Apache-2.0 */
/* overview.c - the whole instance on one screen */
#include <errno.h>
#include <string.h>

#include "lfp/admin.h"
#include "lfpd-admin/status.h"
#include "lfpd-admin/view.h"

static const char *amount(double rate, char text[static ROWS_VALUE])
{
	return rate < 0 ? "-" : rows_amount(rate, "B/s", text);
}

static const char *frequency(double rate, char text[static ROWS_VALUE])
{
	snprintf(text, ROWS_VALUE, rate < 0 ? "-" : "%.0f/s", rate);
	return text;
}

static void put_connection(const struct view *view, const char *status, FILE *out)
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
	char one[ROWS_VALUE], two[ROWS_VALUE];

	fprintf(out, "%-12s %20s %12s %20s %12s\n", title, sample_value(view, to_host),
		text(sample_rate(view, to_host), one), sample_value(view, to_vse),
		text(sample_rate(view, to_vse), two));
}

static char *make_head(struct view *view, const char *status)
{
	struct page_text text;

	if (page_text_begin(&text))
		return NULL;
	put_connection(view, status, text.out);
	fprintf(text.out,
		"Tasks %s of %s, sockets %s of %s, I/O buffers %s of %s in use, trace %s\n",
		sample_value(view, "tasks"), sample_value(view, "tasks_max"),
		sample_value(view, "sockets"), sample_value(view, "sockets_max"),
		sample_value(view, "io_buffers_used"), sample_value(view, "io_buffers"),
		strcmp(sample_value(view, "trace_running"), "1") ? "off" : "on");
	fprintf(text.out, "%-12s %20s %12s %20s %12s\n", "", "TO HOST", "", "TO Z/VSE", "");
	put_line(view, "Streams", "stream_bytes_to_host", "stream_bytes_to_vse", amount, text.out);
	put_line(view, "Datagrams", "datagrams_to_host", "datagrams_to_vse", frequency, text.out);
	put_line(view, "Packets", "packets_in", "packets_out", frequency, text.out);
	put_line(view, "Path", "path_bytes_in", "path_bytes_out", amount, text.out);
	return page_text_end(&text);
}

/* Takes the first samples of both kinds, and waits once. */
static int begin(struct view *view, struct ask_error *error)
{
	const double settle = view->settle;
	struct rows rows;
	int rc;

	view->settle = 0;
	rc = sample_take(view, error);
	if (!rc)
		rc = view_socket_rows(view, &rows, error);
	view->settle = settle;
	if (rc)
		return rc;
	rows_finish(&rows);
	view_settle(view);
	return 0;
}

static int overview_page(struct view *view, struct page *page, struct ask_error *error)
{
	char *status;

	if (!view->now.there && view->settle > 0 && begin(view, error))
		return -1;
	if (sample_take(view, error) || ask(view->name, "status", &status, error))
		return -1;
	page->head = make_head(view, status);
	ask_forget(status);
	if (!page->head)
		return view_fail(view, -ENOMEM, error);
	page->important = socket_columns;
	return view_socket_rows(view, &page->rows, error);
}

const struct view_kind view_overview = {.title = "overview", .table = true, .page = overview_page};
