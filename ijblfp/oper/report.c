/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - the output of LIST and INFO */
#include "ijblfp/oper/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/admin.h"

#define VALUE 256

const char *report_number(uint64_t value, char buf[static REPORT_NUMBER])
{
	char plain[24];
	int len = snprintf(plain, sizeof(plain), "%" PRIu64, value), to = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf[to++] = ',';
		buf[to++] = plain[i];
	}
	buf[to] = '\0';
	return buf;
}

void report_list(FILE *out, const struct report_instance *instances, unsigned int nr)
{
	char number[REPORT_NUMBER];

	fprintf(out, "LFPB025I ACTIVE LFP INSTANCES: %u\n", nr);
	for (unsigned int i = 0; i < nr; i++)
		fprintf(out, "         INSTANCE %s HAS %s ACTIVE TASKS\n", instances[i].id,
			report_number(instances[i].tasks, number));
	fprintf(out, "LFPB026I END OF ACTIVE LFP INSTANCES LIST\n");
}

/* Prints a line "TITLE : VALUE". Numbers get their separators. */
struct line {
	const char *title;
	const char *key;
	bool number;
	bool detail; /* only with LOGALL */
};

static const struct line instance_lines[] = {
	{"WINDOW SIZE .....", "window", true, false},
	{"WINDOW THRESHOLD (PERCENT) .....", "threshold", true, false},
	{"WINDOW THRESHOLD (BYTES) .....", "threshold_bytes", true, true},
	{"MTU .....", "mtu", true, false},
	{"IUCV MESSAGE LIMIT .....", "msglimit", true, false},
	{"INITIAL BUFFER SPACE .....", "initial_buffer_space", true, false},
	{"MAXIMUM BUFFER SPACE .....", "max_buffer_space", true, false},
	{"BUFFER SPACE IN USE .....", "buffer_used", true, false},
	{"BUFFER SPACE PEAK .....", "buffer_peak", true, false},
	{"ACTIVE SOCKET COUNT .....", "sockets", true, false},
	{"LISTENING SOCKET COUNT .....", "listening", true, true},
	{"CONNECTED SOCKET COUNT .....", "established", true, true},
	{"DATAGRAM SOCKET COUNT .....", "datagrams", true, true},
	{"CLOSING SOCKET COUNT .....", "closing", true, true},
	{"SOCKETS OF ENDED TASKS .....", "ended_tasks_sockets", true, true},
	{"REQUESTS WAITING FOR ANSWER .....", "requests", true, true},
};

static const struct line device_lines[] = {
	{"DEVICE STATUS .....", "device", false, false},
	{"PACKETS WAITING FOR MSG COMPLETE", "outstanding", true, false},
	{"MAXIMUM PACKETS USED .....", "outstanding_max", true, false},
	{"LOCAL VM ID .....", "vmid", false, false},
	{"LOCAL IUCV APPL. NAME .....", "appname", false, false},
	{"PEER VM ID .....", "dest_vmid", false, false},
	{"PEER IUCV APPL. NAME .....", "dest_appname", false, false},
	{"TRANSPORT .....", "transport", false, false},
	{"MTU IN USE .....", "mtu_used", true, false},
	{"MESSAGE LIMIT IN USE .....", "msglimit_used", true, false},
	{"PACKETS SENT .....", "packets_out", true, false},
	{"PACKETS RECEIVED .....", "packets_in", true, false},
	{"BYTES SENT .....", "bytes_out", true, false},
	{"BYTES RECEIVED .....", "bytes_in", true, false},
	{"PACKETS WAITING TO BE SENT .....", "queued", true, true},
	{"WAITS FOR MESSAGE LIMIT .....", "limit_waits", true, true},
	{"WAITS FOR BUFFER SPACE .....", "buffer_waits", true, true},
	{"WAITS FOR TRANSPORT .....", "transport_waits", true, true},
	{"PACKETS WITH DATA SENT .....", "data_out", true, true},
	{"PACKETS WITH DATA RECEIVED .....", "data_in", true, true},
	{"CREDITS SENT .....", "credits_out", true, true},
	{"CREDITS RECEIVED .....", "credits_in", true, true},
	{"WINDOWS SENT .....", "windows_out", true, true},
	{"WINDOWS RECEIVED .....", "windows_in", true, true},
	{"TRANSPORT CALLS TO SEND .....", "calls_out", true, true},
	{"TRANSPORT CALLS TO RECEIVE .....", "calls_in", true, true},
	{"WAKE-UPS SENT .....", "wakeups_out", true, true},
	{"WAKE-UPS RECEIVED .....", "wakeups_in", true, true},
	{"POLLS THAT FOUND A PACKET .....", "polls_hit", true, true},
	{"POLLS THAT FOUND NONE .....", "polls_missed", true, true},
	{"TIMES CONNECTED .....", "connects", true, true},
	{"TIMES RESUMED .....", "resumed", true, true},
	{"FRAMES THAT RESET A SOCKET .....", "disagreements", true, true},
};

static uint64_t to_number(const char *text)
{
	return strtoull(text, NULL, 10);
}

static void print_lines(FILE *out, const char *answer, const struct line *lines, size_t nr,
			bool all)
{
	char value[VALUE], number[REPORT_NUMBER];

	for (size_t i = 0; i < nr; i++) {
		if ((lines[i].detail && !all) ||
		    lfp_admin_value(answer, lines[i].key, value, sizeof(value)))
			continue;
		fprintf(out, "%s : %s\n", lines[i].title,
			lines[i].number ? report_number(to_number(value), number) : value);
	}
}

/* Number of lists of sockets in a table of two levels: a list of the second level holds 64. */
static uint64_t nr_lists(uint64_t sockets)
{
	return (sockets + 63) / 64;
}

/* op.c: "2E Z1 1 4711 curl" */
static void print_task(FILE *out, unsigned int nr, char *text)
{
	char number[REPORT_NUMBER], *rest = text;
	const char *id = strsep(&rest, " "), *partition = strsep(&rest, " ");
	const char *sockets = strsep(&rest, " "), *pid = strsep(&rest, " ");
	uint64_t count;

	if (!rest)
		return;
	count = to_number(sockets);
	fprintf(out, "-- TASK #%u --\n", nr);
	fprintf(out, "TASK ID (PARTITION ID)..... : %s (%s)\n", id, partition);
	fprintf(out, "SOCKET COUNT ..... : %s\n", report_number(count, number));
	fprintf(out, "L2 SOCKET LIST COUNT ..... : %s\n", report_number(nr_lists(count), number));
	fprintf(out, "PROCESS ID ..... : %s\n", pid);
	fprintf(out, "PROGRAM ..... : %s\n", rest);
}

static void print_tasks(FILE *out, const char *answer)
{
	char key[32], value[VALUE];
	unsigned int nr = 0;

	while (lfp_admin_each(&answer, key, sizeof(key), value, sizeof(value)))
		if (!strcmp(key, "task"))
			print_task(out, ++nr, value);
}

void report_info(FILE *out, const char *answer, bool tasks, bool all)
{
	char id[VALUE] = "??", value[VALUE] = "0", status[VALUE] = "UP", number[REPORT_NUMBER];

	(void)lfp_admin_value(answer, "id", id, sizeof(id));
	(void)lfp_admin_value(answer, "tasks", value, sizeof(value));
	(void)lfp_admin_value(answer, "status", status, sizeof(status));
	fprintf(out, "LFPB023I INFO ABOUT LFP INSTANCE '%s':\n", id);
	fprintf(out, "*** INSTANCE ***\n");
	fprintf(out, "STATUS ..... : %s\n", status);
	print_lines(out, answer, instance_lines, sizeof(instance_lines) / sizeof(instance_lines[0]),
		    all);
	fprintf(out, "*** DEVICE ***\n");
	print_lines(out, answer, device_lines, sizeof(device_lines) / sizeof(device_lines[0]), all);
	fprintf(out, "*** TASKS ***\n");
	fprintf(out, "ACTIVE TASK COUNT ..... : %s\n", report_number(to_number(value), number));
	if (tasks)
		print_tasks(out, answer);
	fprintf(out, "LFPB024I END OF INFO ABOUT LFP INSTANCE '%s'.\n", id);
}
