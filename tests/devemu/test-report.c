/* SPDX-License-Identifier: Apache-2.0 */
/* test-report.c - reports: from counters, in three forms, with their marks */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "devemu/report/report.h"
#include "tests/devemu/fabric-rig.h"

#define ALL ((1U << REPORTS) - 1)
#define COMMON                                                                                     \
	"zhpf yes\ntime 100ms\nwarmup 20ms\ncontrol-unit 7800 lcu=00BC\nchannel 50\npath 50 "      \
	"7800\n"                                                                                   \
	"device 7800-7807 cu=7800 volser=VOL001 aliases=3\n"

static struct fabric_rig rig;

static const char *print(unsigned int kinds, enum report_format format)
{
	assert_int_equal(report_print(rig.fabric, kinds, format, fabric_rig_catch(&rig)), 0);
	return fabric_rig_caught(&rig);
}

static void near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%.12g is not %.12g", value, expected);
}

static void numbers_are_those_of_the_counters(void **state)
{
	struct report_table table;
	const struct report_value *row;
	struct channel_counters channel;
	const struct operation_counters *zhpf;
	const struct device_counters *device;
	double seconds;

	(void)state;
	fabric_rig_run(&rig, COMMON "load a devices=7800-7807 streams=20 read=70\n"
				    "load b devices=7801 rate=3000 program=ccw\n");
	seconds = (double)fabric_interval(rig.fabric) / SIM_SEC;
	channel = fabric_channel_counters(rig.fabric, rig.fabric->channel);
	assert_int_equal(report_table_make(&table, rig.fabric, REPORT_CHANNEL), 0);
	assert_true(table.rows == 1 && table.columns == CHANNEL_COLUMNS);
	row = report_row(&table, 0);
	zhpf = &channel.operation[OPERATION_ZHPF];
	assert_true(zhpf->starts > 1000 && channel.operation[OPERATION_FICON].starts > 100);
	near(row[CHANNEL_ZHPF_RATE].number, (double)zhpf->starts / seconds);
	near(row[CHANNEL_ZHPF_ACTIVE].number, (double)zhpf->active_sum / (double)zhpf->starts);
	near(row[CHANNEL_FICON_RATE].number,
	     (double)channel.operation[OPERATION_FICON].starts / seconds);
	near(row[CHANNEL_READ_TOTAL].number, (double)channel.bytes_read / seconds / 1e6);
	near(row[CHANNEL_WRITE_TOTAL].number, (double)channel.bytes_written / seconds / 1e6);
	near(row[CHANNEL_UTIL_TOTAL].number, (double)channel.processor_busy / 1e10 / seconds);
	near(row[CHANNEL_BUS].number, (double)channel.bus_busy / 1e10 / seconds);
	assert_true(isnan(row[CHANNEL_FCP_RATE].number));
	report_table_finish(&table);

	assert_int_equal(report_table_make(&table, rig.fabric, REPORT_DEVICE), 0);
	assert_true(table.rows == 9); /* and the logical control unit */
	row = report_row(&table, 1);
	device = &rig.fabric->device[1].counters;
	assert_string_equal(row[DEVICE_NUMBER].text, "07801");
	assert_string_equal(row[DEVICE_LCU].text, "00BC");
	assert_string_equal(row[DEVICE_SYNC_MARK].text, "");
	assert_true(device->iosq > 0);
	near(row[DEVICE_RATE].number, (double)device->ends / seconds);
	near(row[DEVICE_IOSQ].number, (double)device->iosq / (double)device->ends / 1e9);
	near(row[DEVICE_RESP].number, row[DEVICE_IOSQ].number + row[DEVICE_PEND].number +
					      row[DEVICE_DISC].number + row[DEVICE_CONN].number);
	near(row[DEVICE_CONN_PERCENT].number, (double)device->conn / 1e10 / seconds);
	/* Up to three aliases are in use on average, and here some are. */
	assert_true(row[DEVICE_PAV].number > 1.5 && row[DEVICE_PAV].number <= 4);
	row = report_row(&table, 8);
	assert_string_equal(row[DEVICE_LEVEL].text, "lcu");
	double rate = 0, conn = 0;

	for (size_t r = 0; r < 8; r++) {
		rate += report_row(&table, r)[DEVICE_RATE].number;
		conn += report_row(&table, r)[DEVICE_CONN_PERCENT].number;
	}
	near(row[DEVICE_RATE].number, rate);
	near(row[DEVICE_CONN_PERCENT].number, conn / 8);
	report_table_finish(&table);

	/* No I/O was synchronous. */
	assert_int_equal(report_table_make(&table, rig.fabric, REPORT_SYNC), 0);
	assert_true(table.rows == 0);
	report_table_finish(&table);
	fabric_rig_done(&rig);
}

static void aliases_in_use_are_a_mean_over_time(void **state)
{
	const struct report_value *row;
	struct report_table table;

	(void)state;
	/* Two I/Os are active at each moment: one on the base, one on an alias. */
	fabric_rig_run(&rig, COMMON "load a devices=7800 streams=2\n");
	assert_int_equal(report_table_make(&table, rig.fabric, REPORT_DEVICE), 0);
	row = report_row(&table, 0);
	if (fabs(row[DEVICE_PAV].number - 2) > 0.01)
		fail_msg("PAV is %g", row[DEVICE_PAV].number);
	assert_string_equal(row[DEVICE_PAV].text, "H");
	report_table_finish(&table);
	fabric_rig_done(&rig);
}

static void what_passes_a_guideline_is_marked(void **state)
{
	static const struct {
		const char *load, *json;
		bool util, bus;
	} cases[] = {
		{"load a devices=7800 rate=10000\n", "\"over_guideline\": \"\"", false, false},
		{"load a devices=7800-7807 streams=30\n", "\"over_guideline\": \"processor\"", true,
		 false},
		{"load a devices=7800-7807 streams=28 bytes=128K read=50\n",
		 "\"over_guideline\": \"bus\"", false, true},
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		double util, bus;
		char text[512], after_util, after_bus;
		const char *line;

		snprintf(text, sizeof(text), "%s%s", COMMON, cases[i].load);
		fabric_rig_run(&rig, text);
		line = strstr(print(1U << REPORT_CHANNEL, REPORT_TEXT), "\n 50 FC ");
		assert_non_null(line);
		assert_int_equal(sscanf(line, " 50 FC 2E 32G Y %*f %lf%c %lf%c", &util, &after_util,
					&bus, &after_bus),
				 4);
		assert_true((util >= 50) == cases[i].util && (bus >= 70) == cases[i].bus);
		assert_int_equal(after_util, cases[i].util ? '*' : ' ');
		assert_int_equal(after_bus, cases[i].bus ? '*' : ' ');
		assert_true((strstr(rig.text, "GUIDELINE") != NULL) ==
			    (cases[i].util || cases[i].bus));
		if (!strstr(print(1U << REPORT_CHANNEL, REPORT_JSON), cases[i].json))
			fail_msg("%s", rig.text);
		fabric_rig_done(&rig);
	}
}

/* JSON is ASCII, and what is no UTF-8 becomes U+FFFD. */
static void a_title_may_be_in_any_language(void **state)
{
	const char *expected = "{\"scenario\": \"M\\u00FCller \\u20AC \\uFFFD\", ";

	(void)state;
	fabric_rig_run(&rig, "title M\xc3\xbcller \xe2\x82\xac \xfc\n" COMMON
			     "load a devices=7800 rate=100\n");
	print(1U << REPORT_CHANNEL, REPORT_JSON);
	if (strncmp(rig.text, expected, strlen(expected)) != 0)
		fail_msg("%.80s", rig.text);
	fabric_rig_done(&rig);
}

static void a_seed_is_exact(void **state)
{
	(void)state;
	fabric_rig_run(&rig, "seed 9223372036854775807\n" COMMON "load a devices=7800 rate=100\n");
	if (!strstr(print(1U << REPORT_CHANNEL, REPORT_JSON), "\"seed\": 9223372036854775807,"))
		fail_msg("%.200s", rig.text);
	fabric_rig_done(&rig);
	fabric_rig_run(&rig, "seed 18446744073709551615\n" COMMON "load a devices=7800 rate=100\n");
	if (!strstr(print(1U << REPORT_CHANNEL, REPORT_JSON),
		    "\"seed\": \"18446744073709551615\","))
		fail_msg("%.200s", rig.text);
	fabric_rig_done(&rig);
}

static void fcp_has_lines_of_its_own(void **state)
{
	double rate, active, defer;
	const char *text;

	(void)state;
	fabric_rig_run(&rig, COMMON "channel 60 type=FCP\ncontrol-unit 7900\npath 60 7900\n"
				    "device 7900 cu=7900\nload a devices=7900 streams=5\n");
	text = strstr(print(ALL, REPORT_TEXT), "FCP OPERATIONS");
	assert_non_null(text);
	text = strstr(text, "\n 60 FCP ");
	assert_non_null(text);
	assert_int_equal(sscanf(text, " 60 FCP %lf %lf %lf", &rate, &active, &defer), 3);
	assert_true(rate > 1000 && active > 4.9 && active < 5.1 && defer == 0);
	/* SCSI disks are no direct access devices of this report. */
	assert_null(strstr(rig.text, "07900"));
	fabric_rig_done(&rig);
}

static void deferred_ones_are_counted(void **state)
{
	struct report_table table;
	const struct report_value *row;

	(void)state;
	fabric_rig_run(&rig, "time 100ms\nwarmup 20ms\ncontrol-unit 1\nchannel 50\npath 50 1\n"
			     "device 1 cu=1\nload a devices=1 streams=80\n");
	assert_int_equal(report_table_make(&table, rig.fabric, REPORT_CHANNEL), 0);
	row = report_row(&table, 0);
	assert_true(row[CHANNEL_FICON_DEFER].number > 1000);
	assert_true(row[CHANNEL_FICON_ACTIVE].number > 60 &&
		    row[CHANNEL_FICON_ACTIVE].number <= 64);
	report_table_finish(&table);
	fabric_rig_done(&rig);
}

static void csv_has_a_field_for_each_column(void **state)
{
	const char *text;
	size_t commas = 0, lines = 0;

	(void)state;
	fabric_rig_run(&rig, COMMON "load a devices=7800 streams=1\n");
	text = print(1U << REPORT_CHANNEL, REPORT_CSV);
	for (const char *c = text; *c; c++) {
		commas += *c == ',';
		if (*c != '\n')
			continue;
		assert_int_equal(commas, CHANNEL_COLUMNS);
		commas = 0;
		lines++;
	}
	assert_int_equal(lines, 2);
	assert_non_null(strstr(text, "\nchannel,50,FC,2E,32.000000,Y,"));
	fabric_rig_done(&rig);
}

static void text_from_outside_is_quoted(void **state)
{
	(void)state;
	fabric_rig_run(&rig, "title a \"b\" \\ \x01 c\ntime 1ms\nchannel 50\ncontrol-unit 1\n"
			     "path 50 1\ndevice 1 cu=1 volser=A,\"B\nload a devices=1 streams=1\n");
	assert_non_null(strstr(print(ALL, REPORT_JSON), "\"a \\\"b\\\" \\\\ \\u0001 c\""));
	assert_non_null(strstr(print(1U << REPORT_DEVICE, REPORT_CSV), ",\"A,\"\"B\","));
	fabric_rig_done(&rig);
}

static void the_simulated_day_ends_at_midnight(void **state)
{
	static const struct {
		const char *date, *clock, *wanted_date, *wanted_time;
		int64_t at;
	} cases[] = {
		{"05/31/2022", "09.17.58", "05/31/2022", "09.17.58", 0},
		{"12/31/2023", "23.59.59", "01/01/2024", "00.00.00", SIM_SEC},
		{"02/28/2024", "12.00.00", "02/29/2024", "12.00.00", 86400 * SIM_SEC},
		{"02/28/2023", "12.00.00", "03/01/2023", "12.00.00", 86400 * SIM_SEC},
		{"01/01/2022", "00.00.00", "04/11/2022", "00.00.00", 100 * 86400 * SIM_SEC},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[128], date[11], time[9];
		struct fabric_error error;

		snprintf(text, sizeof(text), "system S date=%s clock=%s\n", cases[i].date,
			 cases[i].clock);
		assert_int_equal(fabric_rig_build(&rig, text, &error), 0);
		report_clock(rig.fabric, cases[i].at, date, time);
		assert_string_equal(date, cases[i].wanted_date);
		assert_string_equal(time, cases[i].wanted_time);
		fabric_rig_done(&rig);
	}
}

static void milliseconds_are_as_rmf_has_them(void **state)
{
	static const struct {
		double ms;
		const char *text;
	} cases[] = {
		{0, ".000"},       {0.0874, ".087"},  {0.9996, "1.000"}, {9.999, "9.999"},
		{9.9996, "10.00"}, {99.996, "100.0"}, {1234.4, "1234"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[16];

		report_ms(text, cases[i].ms);
		assert_string_equal(text, cases[i].text);
	}
}

static void kinds_have_names(void **state)
{
	(void)state;
	assert_int_equal(report_kind_of("channel"), REPORT_CHANNEL);
	assert_int_equal(report_kind_of("device"), REPORT_DEVICE);
	assert_int_equal(report_kind_of("sync"), REPORT_SYNC);
	assert_int_equal(report_kind_of("all"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_those_of_the_counters),
		cmocka_unit_test(aliases_in_use_are_a_mean_over_time),
		cmocka_unit_test(what_passes_a_guideline_is_marked),
		cmocka_unit_test(a_title_may_be_in_any_language),
		cmocka_unit_test(a_seed_is_exact),
		cmocka_unit_test(fcp_has_lines_of_its_own),
		cmocka_unit_test(deferred_ones_are_counted),
		cmocka_unit_test(csv_has_a_field_for_each_column),
		cmocka_unit_test(text_from_outside_is_quoted),
		cmocka_unit_test(the_simulated_day_ends_at_midnight),
		cmocka_unit_test(milliseconds_are_as_rmf_has_them),
		cmocka_unit_test(kinds_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
