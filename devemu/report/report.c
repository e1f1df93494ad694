/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - the head of reports, and which of them in which form */
#include "devemu/report/report.h"

#include <inttypes.h>

static bool leap(unsigned int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

void report_clock(const struct fabric *fabric, int64_t at, char date[11], char time[9])
{
	static const unsigned int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	const struct system_config *system = &fabric->config->system;
	const uint64_t seconds = (uint64_t)((system->clock + at) / SIM_SEC);
	const unsigned int second = (unsigned int)(seconds % 86400);
	unsigned int year = system->year, month = system->month, day = system->day;

	for (uint64_t left = seconds / 86400; left > 0; left--) {
		if (day++ < days[month - 1] + (month == 2 && leap(year)))
			continue;
		day = 1;
		if (month++ < 12)
			continue;
		month = 1;
		year++;
	}
	snprintf(date, 11, "%02u/%02u/%04u", month % 100, day % 100, year % 10000);
	snprintf(time, 9, "%02u.%02u.%02u", second / 3600 % 24, second / 60 % 60, second % 60);
}

void report_ms(char text[16], double ms)
{
	const int digits = ms < 9.9995 ? 3 : ms < 99.995 ? 2 : ms < 999.95 ? 1 : 0;
	char all[16];

	snprintf(all, sizeof(all), "%.*f", digits, ms);
	snprintf(text, 16, "%s", all[0] == '0' && all[1] == '.' ? all + 1 : all);
}

/* HHH.MM.SS, with milliseconds behind a second that is not whole. */
static void interval_text(char text[24], int64_t interval)
{
	const uint64_t ms = (uint64_t)(interval / SIM_MS);
	const uint64_t seconds = ms / 1000;
	int len = snprintf(text, 24, "%03" PRIu64 ".%02" PRIu64 ".%02" PRIu64,
			   seconds / 3600 % 10000, seconds / 60 % 60, seconds % 60);

	if (ms % 1000)
		snprintf(text + len, (size_t)(24 - len), ".%03" PRIu64, ms % 1000);
}

/*
 * The fields of RMF's head in IBM's paper: START and END, IODF with the date and time of its
 * creation, ACT (how it was activated, here always by POR), and the cycle. The configuration is the
 * scenario: it is made when the simulated time starts, has no number, and counters count each
 * event, so the cycle is no sampling here.
 */
static void head(const struct fabric *fabric, const struct report_table *table, unsigned int page,
		 FILE *out)
{
	const struct system_config *system = &fabric->config->system;
	char date[11], time[9], end_date[11], end_time[9], made_date[11], made_time[9];
	char interval[24];
	int width = 0;

	report_clock(fabric, fabric->interval_start, date, time);
	report_clock(fabric, fabric->interval_start + fabric_interval(fabric), end_date, end_time);
	report_clock(fabric, 0, made_date, made_time);
	interval_text(interval, fabric_interval(fabric));
	for (const char *c = table->title; *c; c++)
		width += fprintf(out, *c == ' ' ? "   " : c[1] && c[1] != ' ' ? "%c " : "%c", *c);
	fprintf(out, "%*sPAGE %4u\n", width < 94 ? 94 - width : 1, "", page);
	fprintf(out,
		"SYSTEM ID %-4s            START %s-%s  INTERVAL %s\n"
		"RPT VERSION V2R4 RMF      END   %s-%s  CYCLE 1.000 SECONDS\n"
		"IODF = 00   CR-DATE: %s   CR-TIME: %s   ACT: POR   MODE: LPAR   CPMF: EXTENDED "
		"MODE   CSSID: %u\n",
		system->id, date, time, interval, end_date, end_time, made_date, made_time,
		system->css);
	if (fabric->config->title[0])
		fprintf(out, "SCENARIO %s\n", fabric->config->title);
}

static int print_text(const struct fabric *fabric, unsigned int kinds, FILE *out)
{
	static void (*const text[REPORTS])(const struct report_table *, FILE *) = {
		[REPORT_CHANNEL] = channel_text,
		[REPORT_DEVICE] = device_text,
		[REPORT_SYNC] = sync_text,
	};
	unsigned int page = 0;
	int rc = 0;

	for (int kind = 0; rc == 0 && kind < REPORTS; kind++) {
		struct report_table table;

		if (!(kinds >> kind & 1))
			continue;
		rc = report_table_make(&table, fabric, (enum report_kind)kind);
		if (rc == 0) {
			if (page)
				fputc('\n', out);
			head(fabric, &table, ++page, out);
			text[kind](&table, out);
		}
		report_table_finish(&table);
	}
	return rc;
}

int report_print(const struct fabric *fabric, unsigned int kinds, enum report_format format,
		 FILE *out)
{
	switch (format) {
	case REPORT_JSON:
		return report_json(fabric, kinds, out);
	case REPORT_CSV:
		return report_csv(fabric, kinds, out);
	case REPORT_TEXT:
		break;
	}
	return print_text(fabric, kinds, out);
}
