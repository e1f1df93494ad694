/* SPDX-License-Identifier: Apache-2.0 */
/* status.c - the layout of lfpd-admin --status */
#include "lfpd-admin/status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/admin.h"
#include "json/json.h"
#include "lfpd-admin/text.h"

/*
 * IBM's presentation shows three blocks and leaves out, by "...", a part of the first and of the
 * third. Our own lines stand in these two places only; all others are IBM's to the letter.
 */

#define RULE         "-----\n"
#define VALUE_MAX    512
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct line {
	const char *text;
	const char *key;
	bool connected; /* shown only while z/VSE is connected */
	bool optional;  /* shown only if lfpd sends it */
};

static const struct line status_lines[] = {
	{"Peer VM ID ..... : ", "peer_vmid", true, false},
	{"Peer IUCV Appl. name : ", "peer_appname", true, false},
	{"Applied host id .... : ", "hostid", false, false},
	{"Applied host name .. : ", "hostname", false, false},
	{"Allocated I/O buffers ..... : ", "io_buffers", false, false},
	/* ours */
	{"I/O buffers in use ........ : ", "io_buffers_used", false, false},
	{"Local VM ID ............... : ", "vmid", false, false},
	{"Host interface ............ : ", "host_interface", false, true},
	{"Host network namespace .... : ", "host_netns", false, true},
	{"Process id ................ : ", "pid", false, false},
	{"Version ................... : ", "version", false, false},
	{"Uptime .................... : ", "uptime", false, false},
	{"Reload .................... : ", "reload", false, true},
	{"Peer ...................... : ", "peer", true, false},
	{"Transport ................. : ", "transport", true, false},
	{"MTU in use ................ : ", "path_mtu", true, false},
	{"Message limit in use ...... : ", "path_msglimit", true, false},
	{"Peer window size .......... : ", "peer_window", true, false},
	{"Packets queued ............ : ", "packets_queued", true, false},
	{"Packets waiting for message complete : ", "packets_waiting", true, false},
	{"Maximum packets waiting ... : ", "packets_waiting_max", true, false},
	{"Message limit reached ..... : ", "limit_waits", true, false},
	{"Packets received .......... : ", "packets_in", true, false},
	{"Packets sent .............. : ", "packets_out", true, false},
	{"Bytes received ............ : ", "bytes_in", true, false},
	{"Bytes sent ................ : ", "bytes_out", true, false},
	/* IBM's */
	{"Number of active z/VSE tasks : ", "tasks", false, false},
	{"Number of active sockets : ", "sockets", false, false},
};

static const struct line config_lines[] = {
	{"LOCAL_IUCV_APPNAME = ", "IUCV_SRC_APPNAME", false, false},
	{"PEER_IUCV_VMID = ", "PEER_IUCV_VMID", false, false},
	{"PEER_IUCV_APPNAME = ", "PEER_IUCV_APPNAME", false, false},
	{"MAX_VSE_TASKS = ", "MAX_VSE_TASKS", false, false},
	{"MTU_SIZE = ", "MTU_SIZE", false, false},
	{"MAX_SOCKETS = ", "MAX_SOCKETS", false, false},
	{"INITIAL_IO_BUFS = ", "INITIAL_IO_BUFS", false, false},
	{"WINDOW_SIZE = ", "window_bytes", false, false},
};

/* Keys of the configuration that IBM's lines show. */
static bool is_shown(const char *key)
{
	for (size_t i = 0; i < COUNT(config_lines); i++)
		if (!strcmp(config_lines[i].key, key))
			return true;
	return !strcmp(key, "WINDOW_SIZE") || !strcmp(key, "WINDOW_THRESHOLD");
}

/* Only keys of the configuration are in upper case. */
static bool is_config(const char *key)
{
	return *key >= 'A' && *key <= 'Z';
}

static const char *value_of(const char *answer, const char *key, char buf[static VALUE_MAX])
{
	if (lfp_admin_value(answer, key, buf, VALUE_MAX) < 0)
		strcpy(buf, "?");
	else if (!*buf)
		strcpy(buf, "(not set)");
	return buf;
}

static bool is_yes(const char *answer, const char *key)
{
	char buf[VALUE_MAX];

	return !strcmp(value_of(answer, key, buf), "yes");
}

const char *status_uptime(const char *answer, char text[static 32])
{
	char buf[VALUE_MAX];
	unsigned long long all = strtoull(value_of(answer, "uptime", buf), NULL, 10);
	unsigned int s = (unsigned int)(all % 86400);

	snprintf(text, 32, "%llu days, %02u:%02u:%02u", all / 86400, s / 3600, s / 60 % 60, s % 60);
	return text;
}

static void print_lines(const char *answer, const struct line *lines, size_t nr, bool connected,
			FILE *out)
{
	char buf[VALUE_MAX], uptime[32];

	for (size_t i = 0; i < nr; i++) {
		const char *value = value_of(answer, lines[i].key, buf);

		if ((lines[i].connected && !connected) ||
		    (lines[i].optional && lfp_admin_value(answer, lines[i].key, buf, VALUE_MAX)))
			continue;
		if (!strcmp(lines[i].key, "uptime"))
			value = status_uptime(answer, uptime);
		fprintf(out, "%s%s\n", lines[i].text, value);
	}
}

void status_trace(const char *answer, FILE *out)
{
	char state[VALUE_MAX], buf[VALUE_MAX];

	value_of(answer, "trace", state);
	if (!strcmp(state, "off") || !strcmp(state, "?")) {
		fputs("No trace is running\n", out);
		if (!lfp_admin_value(answer, "trace_error", buf, sizeof(buf)))
			fprintf(out, "The last trace has ended: %s\n", buf);
		return;
	}
	fprintf(out, "A trace is %s: %s\n", state, value_of(answer, "trace_file", buf));
	if (!lfp_admin_value(answer, "trace_filter", buf, sizeof(buf)) && *buf)
		fprintf(out, "Only frames with ........... : %s\n", buf);
	fprintf(out, "Frames traced .............. : %s\n", value_of(answer, "trace_records", buf));
	fprintf(out, "Frames lost ................ : %s\n", value_of(answer, "trace_lost", buf));
}

static void print_other_config(const char *answer, FILE *out)
{
	char key[64], value[VALUE_MAX];

	while (lfp_admin_each(&answer, key, sizeof(key), value, sizeof(value)))
		if (is_config(key) && !is_shown(key))
			fprintf(out, "%s = %s\n", key, *value ? value : "(not set)");
}

void status_print(const char *answer, FILE *out)
{
	bool connected = is_yes(answer, "connected");
	char percent[VALUE_MAX], bytes[VALUE_MAX];

	fputs("Status:\n" RULE, out);
	fprintf(out, "z/VSE instance is %s.\n", connected ? "connected" : "not connected");
	print_lines(answer, status_lines, COUNT(status_lines), connected, out);

	fputs("\nTrace Status:\n" RULE, out);
	fprintf(out, "Running in %s mode\n",
		is_yes(answer, "foreground") ? "foreground" : "daemon");
	status_trace(answer, out);

	fputs("\nConfiguration:\n" RULE, out);
	print_lines(answer, config_lines, COUNT(config_lines), connected, out);
	fprintf(out, "WINDOW_THRESHOLD = %s%% (%s bytes)\n",
		value_of(answer, "WINDOW_THRESHOLD", percent),
		value_of(answer, "threshold_bytes", bytes));
	print_other_config(answer, out);
	fputs(RULE, out);
}

static bool is_among(const char *key, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(key, *names))
			return true;
	return false;
}

static json_t *value_json(const char *key, const char *value)
{
	static const char *const numbers[] = {"pid",
					      "uptime",
					      "io_buffers",
					      "io_buffers_used",
					      "tasks",
					      "sockets",
					      "path_mtu",
					      "path_msglimit",
					      "peer_window",
					      "packets_waiting",
					      "packets_waiting_max",
					      "packets_queued",
					      "limit_waits",
					      "packets_in",
					      "packets_out",
					      "bytes_in",
					      "bytes_out",
					      "window_bytes",
					      "threshold_bytes",
					      "trace_records",
					      "trace_lost",
					      NULL};
	static const char *const flags[] = {"connected", "foreground", NULL};

	if (is_among(key, numbers) && json_is_numeral(value))
		return json_numeral(value);
	if (is_among(key, flags))
		return json_boolean(!strcmp(value, "yes"));
	return json_text(value);
}

json_t *status_json(const char *answer)
{
	json_t *object = json_object(), *config = json_object();
	char key[64], value[2048];

	while (lfp_admin_each(&answer, key, sizeof(key), value, sizeof(value))) {
		if (is_config(key))
			json_object_set_new(config, key, json_text(value));
		else if (strcmp(key, "ok") != 0)
			json_object_set_new(object, key, value_json(key, value));
	}
	if (json_object_size(config))
		json_object_set(object, "configuration", config);
	json_decref(config);
	return object;
}

const char *status_zvse(const char *answer, char text[static STATUS_ZVSE])
{
	char connected[8], appname[32], vmid[32];

	*text = '\0';
	if (lfp_admin_value(answer, "connected", connected, sizeof(connected)) ||
	    strcmp(connected, "yes") != 0)
		return text;
	if (lfp_admin_value(answer, "peer_appname", appname, sizeof(appname)))
		*appname = '\0';
	if (lfp_admin_value(answer, "peer_vmid", vmid, sizeof(vmid)))
		*vmid = '\0';
	snprintf(text, STATUS_ZVSE, "%s of %s", appname, vmid);
	text_clean(text); /* a tab would end a cell of a table */
	return text;
}
