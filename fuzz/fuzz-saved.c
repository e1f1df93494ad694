/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-saved.c - any bytes as saved state; accepted state must be written back as the same bytes */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/saved/saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct saved_reader reader;
	struct saved_record record;
	struct lfp_frame frame;
	const char *why;
	char *again = NULL;
	size_t len = 0;
	FILE *out;
	int rc;

	if (saved_open(&reader, data, size, &why))
		return 0;
	out = open_memstream(&again, &len);
	if (!out || saved_put_head(out))
		abort();
	do {
		rc = saved_next(&reader, &record, &why);
		if (rc >= 0 && saved_put(out, &record))
			abort();
		if (rc == 1 && record.kind == SAVED_RECORD_frame)
			saved_get_frame(&record.frame, &frame);
	} while (rc == 1);
	fclose(out);
	if (rc == 0 && (len != size || memcmp(again, data, size) != 0))
		abort();
	free(again);
	return 0;
}
