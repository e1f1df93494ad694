/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-admin.c - any bytes as a question to lfpd and as its answer; whatever the parser accepts
 * must survive a print and re-read */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/admin-request.h"
#include "lfp/admin.h"
#include "lfpd-admin/rows.h"
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
	    first.filter.task != second.filter.task ||
	    first.filter.payload != second.filter.payload)
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
	status_json(answer, out);
	if (!rows_parse(answer, &rows)) {
		rows_print(&rows, out);
		rows_json(&rows, out);
		rows_finish(&rows);
	}
	fclose(out);
	free(text);
	free(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_request(data, size);
	if (size < 65536)
		check_answer(data, size);
	return 0;
}
