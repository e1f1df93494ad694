/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-statements.c - any bytes as START's statements; whatever the parser accepts must survive a
 * print and re-read */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ijblfp/base/statements.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_bytes(struct ijblfp_statements *st, void *data, size_t size,
		      struct lfp_reader_error *err)
{
	FILE *in = fmemopen(data, size, "r");
	int rc;

	if (!in)
		abort();
	rc = ijblfp_statements_read(st, in, "fuzz", err);
	fclose(in);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ijblfp_statements first, second;
	struct lfp_reader_error err;
	char *printed = NULL;
	size_t len;
	FILE *out;

	if (!size)
		return 0;
	if (read_bytes(&first, (void *)(uintptr_t)data, size, &err) < 0) {
		if (!err.text[0] || strchr(err.text, '\n'))
			abort();
		return 0;
	}
	out = open_memstream(&printed, &len);
	if (!out)
		abort();
	ijblfp_statements_print(&first, out);
	fclose(out);
	if (read_bytes(&second, printed, len, &err) < 0 || memcmp(&first, &second, sizeof(first)))
		abort();
	free(printed);
	return 0;
}
