/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c - tables for programs: JSON and CSV */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "devemu/report/report.h"
#include "json/json.h"

static json_t *row_json(const struct report_table *table, const struct report_value *row)
{
	json_t *object = json_object();

	for (size_t c = 0; c < table->columns; c++)
		json_object_set_new(object, table->column[c].key,
				    table->column[c].text ? json_text(row[c].text)
							  : json_decimal(row[c].number));
	return object;
}

static json_t *table_json(const struct report_table *table)
{
	json_t *object = json_object(), *rows = json_array();

	json_object_set_new(object, "name", json_text(table->name));
	json_object_set_new(object, "title", json_text(table->title));
	for (size_t r = 0; r < table->rows; r++)
		json_array_append_new(rows, row_json(table, report_row(table, r)));
	json_object_set_new(object, "rows", rows);
	return object;
}

/* A run can be repeated by it, so it is exact: as text where the library has no number for it. */
static json_t *seed_json(uint64_t seed)
{
	char text[24];

	if (seed <= INT64_MAX)
		return json_count(seed);
	snprintf(text, sizeof(text), "%" PRIu64, seed);
	return json_text(text);
}

static json_t *head_json(const struct fabric *fabric)
{
	json_t *object = json_object();
	char date[11], time[9], hash[17];

	report_clock(fabric, fabric->interval_start, date, time);
	snprintf(hash, sizeof(hash), "%016" PRIx64, fabric->sim.log.hash);
	json_object_set_new(object, "scenario", json_text(fabric->config->title));
	json_object_set_new(object, "system", json_text(fabric->config->system.id));
	json_object_set_new(object, "date", json_text(date));
	json_object_set_new(object, "time", json_text(time));
	json_object_set_new(object, "interval_seconds",
			    json_decimal((double)fabric_interval(fabric) / SIM_SEC));
	json_object_set_new(object, "seed", seed_json(fabric->config->seed));
	json_object_set_new(object, "event_log_hash", json_text(hash));
	json_object_set_new(object, "from", json_text("simulated events"));
	return object;
}

int report_json(const struct fabric *fabric, unsigned int kinds, FILE *out)
{
	json_t *object = head_json(fabric), *reports = json_array();
	int rc = 0;

	for (int kind = 0; rc == 0 && kind < REPORTS; kind++) {
		struct report_table table;

		if (!(kinds >> kind & 1))
			continue;
		rc = report_table_make(&table, fabric, (enum report_kind)kind);
		if (rc == 0)
			json_array_append_new(reports, table_json(&table));
		report_table_finish(&table);
	}
	json_object_set_new(object, "reports", reports);
	if (json_line(object, 0, out) && !ferror(out) && rc == 0)
		rc = -ENOMEM;
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
