/* SPDX-License-Identifier: Apache-2.0 */
/* test-status.c - the layout of lfpd-admin --status is IBM's; every value is the one of the answer
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd-admin/status.h"

static const char answer[] = "ok\n"
			     "pid\t4711\n"
			     "foreground\tno\n"
			     "vmid\tLINLFP\n"
			     "connected\tyes\n"
			     "hostid\t10.0.0.1\n"
			     "hostname\tlinlfp\n"
			     "io_buffers\t128\n"
			     "io_buffers_used\t3\n"
			     "tasks\t1\n"
			     "sockets\t1\n"
			     "peer_vmid\tVSER05\n"
			     "peer_appname\tTESTV\n"
			     "IUCV_SRC_APPNAME\tLINR02\n"
			     "PEER_IUCV_VMID\tVSER05\n"
			     "PEER_IUCV_APPNAME\tTESTV\n"
			     "IUCV_MSGLIMIT\t1024\n"
			     "MTU_SIZE\t8192\n"
			     "MAX_SOCKETS\t1024\n"
			     "MAX_VSE_TASKS\t512\n"
			     "INITIAL_IO_BUFS\t128\n"
			     "WINDOW_SIZE\t65535\n"
			     "WINDOW_THRESHOLD\t25\n"
			     "VSE_CODEPAGE\t\n"
			     "window_bytes\t65536\n"
			     "threshold_bytes\t16384\n";

/* IBM's presentation; "..." stands for any lines. */
static const char *const expected[] = {
	"Status:",
	"-----",
	"z/VSE instance is connected.",
	"Peer VM ID ..... : VSER05",
	"Peer IUCV Appl. name : TESTV",
	"Applied host id .... : 10.0.0.1",
	"Applied host name .. : linlfp",
	"Allocated I/O buffers ..... : 128",
	"...",
	"Number of active z/VSE tasks : 1",
	"Number of active sockets : 1",
	"",
	"Trace Status:",
	"-----",
	"Running in daemon mode",
	"No trace is running",
	"",
	"Configuration:",
	"-----",
	"LOCAL_IUCV_APPNAME = LINR02",
	"PEER_IUCV_VMID = VSER05",
	"PEER_IUCV_APPNAME = TESTV",
	"MAX_VSE_TASKS = 512",
	"MTU_SIZE = 8192",
	"MAX_SOCKETS = 1024",
	"INITIAL_IO_BUFS = 128",
	"WINDOW_SIZE = 65536",
	"WINDOW_THRESHOLD = 25% (16384 bytes)",
	"...",
	"-----",
};

static char *print(const char *text)
{
	char *out = NULL;
	size_t len;
	FILE *file = open_memstream(&out, &len);

	assert_non_null(file);
	status_print(text, file);
	fclose(file);
	return out;
}

static void layout(void **state)
{
	char *out = print(answer), *rest = out, *line;
	size_t i = 0;

	(void)state;
	while ((line = strsep(&rest, "\n")) && rest) {
		assert_true(i < sizeof(expected) / sizeof(expected[0]));
		if (!strcmp(expected[i], "...")) {
			if (strcmp(line, expected[i + 1]) != 0)
				continue;
			i++;
		}
		assert_string_equal(line, expected[i]);
		i++;
	}
	assert_int_equal(i, sizeof(expected) / sizeof(expected[0]));
	free(out);
}

static void not_connected(void **state)
{
	char *out = print("ok\nconnected\tno\nforeground\tyes\nsockets\t7\n");

	(void)state;
	assert_non_null(
		strstr(out, "-----\nz/VSE instance is not connected.\nApplied host id .... : "));
	assert_null(strstr(out, "Peer"));
	assert_non_null(strstr(out, "Running in foreground mode\n"));
	assert_non_null(strstr(out, "Number of active sockets : 7\n"));
	free(out);
}

static void absent_value(void **state)
{
	char *out = print(answer);

	(void)state;
	assert_non_null(strstr(out, "VSE_CODEPAGE = (not set)\n"));
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout),
		cmocka_unit_test(not_connected),
		cmocka_unit_test(absent_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
