/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-http.c - any bytes as a request for metrics: a status code that is known, and no more than
 * is there */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/watch/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Memory of its own, so that a byte too far is seen. */
	char *text = malloc(size ? size : 1);
	struct http_request request;
	int status;

	if (!text)
		abort();
	memcpy(text, data, size);
	status = http_parse(text, size, &request);
	if (!strcmp(http_reason(status), "Internal Server Error"))
		abort();
	if (status == 200 && (!http_complete(text, size) || request.path[0] != '/' ||
			      strlen(request.path) >= sizeof(request.path)))
		abort();
	if (!http_complete(text, size) && status != 431)
		abort();
	free(text);
	return 0;
}
