/* SPDX-License-Identifier: Apache-2.0 */
/* status.c - the layout of lfpd-admin --status */
#include "lfpd-admin/status.h"

#include <stdbool.h>
#include <string.h>

#include "lfp/admin.h"

/*
 * IBM's presentation shows three blocks and leaves out, by "...", a part of the first and of the
 * third. Our own lines stand in these two places only; all others are IBM's to the letter.
 */

#define RULE      "-----\n"
#define VALUE_MAX 512

struct line {
	const char *text;
	const char *key;
	bool connected; /* only while z/VSE is connected */
};

static const struct line status_lines[] = {
	{"Peer VM ID ..... : ", "peer_vmid", true},
	{"Peer IUCV Appl. name : ", "peer_appname", true},
	{"Applied host id .... : ", "hostid", false},
	{"Applied host name .. : ", "hostname", false},
	{"Allocated I/O buffers ..... : ", "io_buffers", false},
	/* ours */
	{"I/O buffers in use ........ : ", "io_buffers_used", false},
	{"Local VM ID ............... : ", "vmid", false},
	{"Process id ................ : ", "pid", false},
	{"Peer ...................... : ", "peer", true},
	{"Transport ................. : ", "transport", true},
	{"MTU in use ................ : ", "path_mtu", true},
	{"Message limit in use ...... : ", "path_msglimit", true},
	{"Peer window size .......... : ", "peer_window", true},
	{"Packets waiting for message complete : ", "packets_waiting", true},
	{"Maximum packets waiting ... : ", "packets_waiting_max", true},
	{"Message limit reached ..... : ", "limit_waits", true},
	{"Packets received .......... : ", "packets_in", true},
	{"Packets sent .............. : ", "packets_out", true},
	{"Bytes received ............ : ", "bytes_in", true},
	{"Bytes sent ................ : ", "bytes_out", true},
	/* IBM's */
	{"Number of active z/VSE tasks : ", "tasks", false},
	{"Number of active sockets : ", "sockets", false},
};

static const struct line config_lines[] = {
	{"LOCAL_IUCV_APPNAME = ", "IUCV_SRC_APPNAME", false},
	{"PEER_IUCV_VMID = ", "PEER_IUCV_VMID", false},
	{"PEER_IUCV_APPNAME = ", "PEER_IUCV_APPNAME", false},
	{"MAX_VSE_TASKS = ", "MAX_VSE_TASKS", false},
	{"MTU_SIZE = ", "MTU_SIZE", false},
	{"MAX_SOCKETS = ", "MAX_SOCKETS", false},
	{"INITIAL_IO_BUFS = ", "INITIAL_IO_BUFS", false},
	{"WINDOW_SIZE = ", "window_bytes", false},
};

static const struct line own_config_lines[] = {
	{"IUCV_MSGLIMIT = ", "IUCV_MSGLIMIT", false},
	{"VSE_CODEPAGE = ", "VSE_CODEPAGE", false},
	{"VSE_HOSTID = ", "VSE_HOSTID", false},
	{"RESTRICT_TO_HOSTID = ", "RESTRICT_TO_HOSTID", false},
	{"LOG_INFO_MSG = ", "LOG_INFO_MSG", false},
};

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

static void print_lines(const char *answer, const struct line *lines, size_t nr, bool connected,
			FILE *out)
{
	char buf[VALUE_MAX];

	for (size_t i = 0; i < nr; i++) {
		if (connected || !lines[i].connected)
			fprintf(out, "%s%s\n", lines[i].text, value_of(answer, lines[i].key, buf));
	}
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
	fputs("No trace is running\n", out);

	fputs("\nConfiguration:\n" RULE, out);
	print_lines(answer, config_lines, COUNT(config_lines), connected, out);
	fprintf(out, "WINDOW_THRESHOLD = %s%% (%s bytes)\n",
		value_of(answer, "WINDOW_THRESHOLD", percent),
		value_of(answer, "threshold_bytes", bytes));
	print_lines(answer, own_config_lines, COUNT(own_config_lines), connected, out);
	fputs(RULE, out);
}
