/* SPDX-License-Identifier: Apache-2.0 */
/* print.c - results as text for terminals, and as a table for docs/devices.md */
#include <math.h>
#include <string.h>

#include "figures/check.h"

enum { TEXT = 64 };

static void published(const struct check_limit *limit, char text[TEXT])
{
	char low[24] = "", high[24] = "";

	if (limit->bound == CHECK_RANGE) {
		if (isfinite(limit->low))
			snprintf(low, sizeof(low), "%.10g", limit->low);
		if (isfinite(limit->high))
			snprintf(high, sizeof(high), "%.10g", limit->high);
		snprintf(text, TEXT, "%s..%s", low, high);
	} else if (isnan(limit->value)) {
		strcpy(text, "-");
	} else {
		snprintf(text, TEXT, "%.14g", limit->value);
	}
}

/* In percent where the tolerance is, else in the unit; of ranges, how far outside. */
static void residual(const struct check_item *item, char text[TEXT])
{
	const struct check_limit *limit = &item->limit;
	const double off = item->model - limit->value;

	if (limit->bound == CHECK_RANGE)
		strcpy(text, item->holds ? "within" : "outside");
	else if (isnan(limit->value))
		strcpy(text, "-");
	else if (fabs(off) <= 1e-9 * fabs(item->model))
		strcpy(text, "0");
	else if ((limit->relative || limit->bound == CHECK_SHOWN) && limit->value != 0)
		snprintf(text, TEXT, "%+.2f %%", 100 * off / limit->value);
	else
		snprintf(text, TEXT, "%+.3g", off);
}

/* A model's value: as precise as a published one ever is. */
static void model(const struct check_item *item, char text[TEXT])
{
	snprintf(text, TEXT, fabs(item->model) < 1e6 ? "%.6g" : "%.0f", item->model);
}

static const char *reason(const struct check_result *result)
{
	return result->why[0] ? result->why : result->row->cell[CHECK_NOTE];
}

static void print_measured_text(const struct measured *measured, const struct check_result *result,
				FILE *out)
{
	const char *id = result->row->cell[CHECK_ID];

	for (const struct measured_row *row = result->measured; row;
	     row = measured_next(measured, row, id))
		fprintf(out, "%16s measured here: %s: %s (published %s): %s\n", "",
			row->cell[MEASURED_WHAT], row->cell[MEASURED_HERE],
			row->cell[MEASURED_PUBLISHED], row->cell[MEASURED_VERDICT]);
}

static void print_text(const struct check *check, const struct check_result *result, FILE *out)
{
	const struct check_row *row = result->row;

	for (unsigned int i = 0; i == 0 || i < result->items; i++) {
		const struct check_item *item = &result->item[i];
		char said[TEXT] = "-", model_text[TEXT] = "-", off[TEXT] = "-";

		if (i < result->items) {
			published(&item->limit, said);
			model(item, model_text);
			residual(item, off);
		}
		if (i == 0)
			fprintf(out, "%-11s %-4s", row->cell[CHECK_ID], row->cell[CHECK_SEED]);
		else
			fprintf(out, "%-16s", "");
		fprintf(out, " %-10s %15s %15s  %10s", i < result->items ? item->limit.name : "",
			said, model_text, off);
		if (i == 0)
			fprintf(out, "  %-13s  %s", check_how(result),
				check_verdict_name(result->verdict));
		else if (i < result->items && !item->holds)
			fputs("  outside its limits", out);
		fputc('\n', out);
	}
	fprintf(out, "%16s %s: %s %s\n", "", row->cell[CHECK_QUANTITY], row->cell[CHECK_VALUE],
		row->cell[CHECK_UNIT]);
	if (*reason(result))
		fprintf(out, "%16s %s\n", "", reason(result));
	if (check->measured)
		print_measured_text(check->measured, result, out);
}

static void print_cell(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (strchr("|<>*_", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void print_measured_markdown(const struct measured *measured,
				    const struct check_result *result, FILE *out)
{
	const struct measured_row *row = result->measured;

	fputs(" | ", out);
	while (row) {
		print_cell(row->cell[MEASURED_WHAT], out);
		fputs(": ", out);
		print_cell(row->cell[MEASURED_HERE], out);
		fputs(": ", out);
		print_cell(row->cell[MEASURED_VERDICT], out);
		row = measured_next(measured, row, result->row->cell[CHECK_ID]);
		fputs(row ? "; " : "", out);
	}
}

static void print_markdown(const struct check *check, const struct check_result *result,
			   bool measured, FILE *out)
{
	const struct check_row *row = result->row;

	fputs("| ", out);
	print_cell(row->cell[CHECK_ID], out);
	fprintf(out, " | %s | ", row->cell[CHECK_SEED]);
	print_cell(row->cell[CHECK_QUANTITY], out);
	fputs(": ", out);
	print_cell(row->cell[CHECK_VALUE], out);
	fputc(' ', out);
	print_cell(row->cell[CHECK_UNIT], out);
	fputs(" | ", out);
	for (unsigned int i = 0; i < result->items; i++) {
		char text[TEXT];

		model(&result->item[i], text);
		fputs(i ? "; " : "", out);
		print_cell(result->item[i].limit.name, out);
		fprintf(out, " %s", text);
	}
	fputs(" | ", out);
	for (unsigned int i = 0; i < result->items; i++) {
		char text[TEXT];

		residual(&result->item[i], text);
		fprintf(out, "%s%s", i ? "; " : "", text);
	}
	fprintf(out, " | %s | %s", check_how(result), check_verdict_name(result->verdict));
	if (*reason(result)) {
		fputs(": ", out);
		print_cell(reason(result), out);
	}
	if (measured)
		print_measured_markdown(check->measured, result, out);
	fputs(" |\n", out);
}

void check_print_head(enum check_format format, bool measured, FILE *out)
{
	if (format == CHECK_TEXT)
		fprintf(out, "%-11s %-4s %-10s %15s %15s  %10s  %-13s  %s\n", "id", "seed", "what",
			"published", "model", "residual", "how", "verdict");
	else
		fprintf(out,
			"| id | seed | published | model | residual | how | verdict |%s\n"
			"|---|---|---|---|---|---|---|%s\n",
			measured ? " measured here |" : "", measured ? "---|" : "");
}

void check_print(const struct check *check, const struct check_result *result,
		 enum check_format format, bool measured, FILE *out)
{
	if (format == CHECK_TEXT)
		print_text(check, result, out);
	else
		print_markdown(check, result, measured, out);
}

void check_print_counts(const struct check_counts *counts, enum check_format format, FILE *out)
{
	const unsigned int *verdict = counts->verdict;

	fprintf(out,
		"\nOf %u passed rows, %u are modelled or checked, %u are as lfp-workload has "
		"measured them, and %u only replay the published values.\n"
		"%u of the skipped rows cannot hold.\n%s",
		verdict[CHECK_PASSED], verdict[CHECK_PASSED] - counts->replays - counts->runs,
		counts->runs, counts->replays, verdict[CHECK_CANNOT],
		format == CHECK_TEXT ? "" : "\n");
	fprintf(out, "%u passed, %u failed, %u skipped\n", verdict[CHECK_PASSED],
		verdict[CHECK_FAILED], verdict[CHECK_SKIPPED] + verdict[CHECK_CANNOT]);
}
