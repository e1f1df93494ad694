/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c - tables for programs: JSON and CSV */
#include <inttypes.h>
#include <math.h>

#include "devemu/report/report.h"
#include "lfp/json.h"

static void table_json(const struct report_table *table, FILE *out)
{
	fputs("{\"name\": ", out);
	lfp_json_string(table->name, out);
	fputs(", \"title\": ", out);
	lfp_json_string(table->title, out);
	fputs(", \"rows\": [", out);
	for (size_t r = 0; r < table->rows; r++) {
		const struct report_value *row = report_row(table, r);

		fprintf(out, "%s\n  {", r ? "," : "");
		for (size_t c = 0; c < table->columns; c++) {
			fprintf(out, "%s\"%s\": ", c ? ", " : "", table->column[c].key);
			if (table->column[c].text)
				lfp_json_string(row[c].text, out);
			else if (isnan(row[c].number))
				fputs("null", out);
			else
				fprintf(out, "%.6f", row[c].number);
		}
		fputc('}', out);
	}
	fputs("]}", out);
}

int report_json(const struct fabric *fabric, unsigned int kinds, FILE *out)
{
	char date[11], time[9];
	bool first = true;
	int rc = 0;

	report_clock(fabric, fabric->interval_start, date, time);
	fputs("{\"scenario\": ", out);
	lfp_json_string(fabric->config->title, out);
	fputs(", \"system\": ", out);
	lfp_json_string(fabric->config->system.id, out);
	fprintf(out,
		", \"date\": \"%s\", \"time\": \"%s\", \"interval_seconds\": %.6f,\n"
		" \"seed\": %" PRIu64 ", \"event_log_hash\": \"%016" PRIx64
		"\", \"from\": \"simulated events\", \"reports\": [",
		date, time, (double)fabric_interval(fabric) / SIM_SEC, fabric->config->seed,
		fabric->sim.log.hash);
	for (int kind = 0; rc == 0 && kind < REPORTS; kind++) {
		struct report_table table;

		if (!(kinds >> kind & 1))
			continue;
		rc = report_table_make(&table, fabric, (enum report_kind)kind);
		fputs(first ? "\n " : ",\n ", out);
		first = false;
		if (rc == 0)
			table_json(&table, out);
		report_table_finish(&table);
	}
	fputs("]}\n", out);
	return rc;
}

/* RFC 4180: a value with a comma or a quote must be quoted. */
static void field(const char *text, FILE *out)
{
	bool quoted = false;

	for (const char *c = text; *c; c++)
		quoted |= *c == ',' || *c == '"';
	if (!quoted) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void table_csv(const struct report_table *table, FILE *out)
{
	fputs("report", out);
	for (size_t c = 0; c < table->columns; c++)
		fprintf(out, ",%s", table->column[c].key);
	fputc('\n', out);
	for (size_t r = 0; r < table->rows; r++) {
		const struct report_value *row = report_row(table, r);

		fputs(table->name, out);
		for (size_t c = 0; c < table->columns; c++) {
			fputc(',', out);
			if (table->column[c].text)
				field(row[c].text, out);
			else if (!isnan(row[c].number))
				fprintf(out, "%.6f", row[c].number);
		}
		fputc('\n', out);
	}
}

int report_csv(const struct fabric *fabric, unsigned int kinds, FILE *out)
{
	bool first = true;
	int rc = 0;

	for (int kind = 0; rc == 0 && kind < REPORTS; kind++) {
		struct report_table table;

		if (!(kinds >> kind & 1))
			continue;
		rc = report_table_make(&table, fabric, (enum report_kind)kind);
		if (rc == 0) {
			if (!first)
				fputc('\n', out);
			first = false;
			table_csv(&table, out);
		}
		report_table_finish(&table);
	}
	return rc;
}
