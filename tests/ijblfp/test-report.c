/* SPDX-License-Identifier: Apache-2.0 */
/* test-report.c - LIST and INFO: the lines of IBM's presentation, to the letter */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ijblfp/oper/report.h"

static const char answer[] =
	"ok\nid\t01\ndevice\tACTIVE\nwindow\t65535\noutstanding\t0\noutstanding_"
	"max\t37\nqueued\t5\ntransport\tshm\ncredits_in\t12345\nwakeups_out\t7\n"
	"tasks\t3\ntask\t2E Z1 1 4711 curl\ntask\t2F Z2 65 4712 a program\ntask\tbad\n";

static char *info(bool tasks, bool all)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report_info(out, answer, tasks, all);
	fclose(out);
	return text;
}

/* Each of @lines is a line of @text, in this order. */
static void assert_lines(const char *text, const char *const *lines)
{
	for (; *lines; lines++) {
		size_t len = strlen(*lines);

		while (strncmp(text, *lines, len) || text[len] != '\n') {
			text = strchr(text, '\n');
			if (!text || !*++text)
				fail_msg("missing: %s", *lines);
		}
		text += len + 1;
	}
}

static void list(void **state)
{
	struct report_instance instances[] = {{"01", 3}, {"02", 1234}};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	report_list(out, instances, 1);
	report_list(out, instances, 0);
	report_list(out, instances + 1, 1);
	fclose(out);
	assert_string_equal(text, "LFPB025I ACTIVE LFP INSTANCES: 1\n"
				  "         INSTANCE 01 HAS 3 ACTIVE TASKS\n"
				  "LFPB026I END OF ACTIVE LFP INSTANCES LIST\n"
				  "LFPB025I ACTIVE LFP INSTANCES: 0\n"
				  "LFPB026I END OF ACTIVE LFP INSTANCES LIST\n"
				  "LFPB025I ACTIVE LFP INSTANCES: 1\n"
				  "         INSTANCE 02 HAS 1,234 ACTIVE TASKS\n"
				  "LFPB026I END OF ACTIVE LFP INSTANCES LIST\n");
	free(text);
}

static void info_with_tasks(void **state)
{
	static const char *const lines[] = {
		"LFPB023I INFO ABOUT LFP INSTANCE '01':",
		"*** INSTANCE ***",
		"STATUS ..... : UP",
		"WINDOW SIZE ..... : 65,535",
		"*** DEVICE ***",
		"DEVICE STATUS ..... : ACTIVE",
		"PACKETS WAITING FOR MSG COMPLETE : 0",
		"MAXIMUM PACKETS USED ..... : 37",
		"*** TASKS ***",
		"ACTIVE TASK COUNT ..... : 3",
		"-- TASK #1 --",
		"TASK ID (PARTITION ID)..... : 2E (Z1)",
		"SOCKET COUNT ..... : 1",
		"L2 SOCKET LIST COUNT ..... : 1",
		"-- TASK #2 --",
		"TASK ID (PARTITION ID)..... : 2F (Z2)",
		"SOCKET COUNT ..... : 65",
		"L2 SOCKET LIST COUNT ..... : 2",
		"PROGRAM ..... : a program",
		"LFPB024I END OF INFO ABOUT LFP INSTANCE '01'.",
		NULL,
	};
	char *text = info(true, false);

	(void)state;
	assert_lines(text, lines);
	assert_null(strstr(text, "PACKETS WAITING TO BE SENT"));
	assert_non_null(strstr(text, "TRANSPORT ..... : shm\n"));
	assert_null(strstr(text, "CREDITS"));
	free(text);
}

static void info_words(void **state)
{
	char *text = info(false, true);

	(void)state;
	assert_null(strstr(text, "TASK #"));
	assert_non_null(strstr(text, "ACTIVE TASK COUNT ..... : 3\nLFPB024I"));
	assert_non_null(strstr(text, "PACKETS WAITING TO BE SENT ..... : 5\n"));
	assert_non_null(strstr(text, "CREDITS RECEIVED ..... : 12,345\n"));
	assert_non_null(strstr(text, "WAKE-UPS SENT ..... : 7\n"));
	free(text);
}

static void numbers(void **state)
{
	char buf[REPORT_NUMBER];

	(void)state;
	assert_string_equal(report_number(0, buf), "0");
	assert_string_equal(report_number(999, buf), "999");
	assert_string_equal(report_number(1000, buf), "1,000");
	assert_string_equal(report_number(1234567, buf), "1,234,567");
	assert_string_equal(report_number(UINT64_MAX, buf), "18,446,744,073,709,551,615");
}

static void status_is_shown(void **state)
{
	static const char stopping[] = "ok\nstatus\tSTOPPING\nid\t02\nbuffer_used\t8192\n"
				       "buffer_peak\t4194304\nbuffer_waits\t7\n";
	static const char *const lines[] = {
		"LFPB023I INFO ABOUT LFP INSTANCE '02':",
		"*** INSTANCE ***",
		"STATUS ..... : STOPPING",
		"BUFFER SPACE IN USE ..... : 8,192",
		"BUFFER SPACE PEAK ..... : 4,194,304",
		"*** DEVICE ***",
		"WAITS FOR BUFFER SPACE ..... : 7",
		"*** TASKS ***",
		"ACTIVE TASK COUNT ..... : 0",
		"LFPB024I END OF INFO ABOUT LFP INSTANCE '02'.",
		NULL,
	};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	report_info(out, stopping, false, true);
	fclose(out);
	assert_lines(text, lines);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list),
		cmocka_unit_test(info_with_tasks),
		cmocka_unit_test(info_words),
		cmocka_unit_test(numbers),
		cmocka_unit_test(status_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
