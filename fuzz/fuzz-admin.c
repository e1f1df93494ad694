/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-admin.c - any bytes as a question to lfpd and as its answer; whatever the parser accepts
 * must survive a print and re-read */
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/admin-request.h"
#include "lfp/admin.h"
#include "json/json.h"
#include "lfpd-admin/layout.h"
#include "lfpd-admin/rates.h"
#include "lfpd-admin/text.h"
#include "lfpd-admin/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_request(const uint8_t *data, size_t size)
{
	struct lfp_admin_request first, second;
	char *line = malloc(size + 1), why[96] = "";
	char again[LFP_ADMIN_REQUEST_MAX + 1];
	FILE *out;

	if (!line)
		abort();
	memcpy(line, data, size);
	line[size] = '\0';
	if (lfp_admin_decode(line, size, &first, why)) {
		if (!*why || strchr(why, '\n'))
			abort();
		free(line);
		return;
	}
	free(line);
	out = fmemopen(again, sizeof(again), "w");
	if (!out)
		abort();
	lfp_admin_encode(&first, out);
	if (fclose(out))
		abort();
	if (lfp_admin_decode(again, strlen(again), &second, why) || first.verb != second.verb ||
	    memcmp(first.filter.kinds, second.filter.kinds, sizeof(first.filter.kinds)) != 0 ||
	    first.filter.socket != second.filter.socket ||
	    first.filter.task != second.filter.task || first.filter.pid != second.filter.pid ||
	    strcmp(first.filter.program, second.filter.program) != 0 ||
	    first.filter.payload != second.filter.payload)
		abort();
}

static void check_characters(const char *text, size_t len, size_t lines)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\n')
			lines--;
		else if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			abort();
	if (lines)
		abort();
}

/* All lines of a table on a screen are as long as the screen, and only characters. @row: that of
 * the titles is rows->nr. */
static void check_line(const struct layout *layout, const struct rows *rows, size_t row)
{
	struct order order = {.descending = false};
	char *line = NULL;
	size_t len;
	FILE *out = open_memstream(&line, &len);

	if (!out)
		abort();
	if (row == rows->nr)
		layout_title(layout, rows, &order, out);
	else
		layout_row(layout, rows, row, out);
	fclose(out);
	if (text_width(line) != layout->screen)
		abort();
	check_characters(line, len, 0);
	free(line);
}

static void check_print(const struct rows *rows)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	rows_print(rows, out);
	fclose(out);
	check_characters(text, len, rows->nr + 1);
	free(text);
}

static void check_rows(struct rows *rows, FILE *out)
{
	struct order order = {.filter = "a"};
	struct layout layout;
	struct rows more;

	check_print(rows);
	if (json_line(rows_json(rows), 0, out))
		abort();
	if (!rates_add(rows, rows, 1, &more))
		rows_finish(&more);
	for (size_t columns = 1; columns < 100; columns += 33) {
		layout_make(&layout, rows, NULL, columns, columns & 3);
		for (size_t r = 0; r <= rows->nr; r++)
			check_line(&layout, rows, r);
	}
	/* A '-' before a name asks for the other direction. */
	if (rows->column[0].name[0] == '-' || order_set(&order, rows->column[0].name))
		return;
	if (order_apply(&order, rows) && rows_find(rows, rows->column[0].name) < rows->columns)
		abort();
}

static void check_answer(const uint8_t *data, size_t size)
{
	char *answer = malloc(size + 1), *text = NULL;
	struct rows rows;
	size_t len;
	FILE *out;

	if (!answer)
		abort();
	memcpy(answer, data, size);
	answer[size] = '\0';
	out = open_memstream(&text, &len);
	if (!out)
		abort();
	status_print(answer, out);
	if (json_line(status_json(answer), 0, out))
		abort();
	if (!rows_parse(answer, &rows)) {
		check_rows(&rows, out);
		rows_finish(&rows);
	}
	fclose(out);
	free(text);
	free(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)setlocale(LC_CTYPE, "C.UTF-8"); /* characters of several bytes and columns */
	check_request(data, size);
	if (size < 65536)
		check_answer(data, size);
	return 0;
}
