/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-server-name.c - any bytes as what a client of TLS or HTTP/1 sends first */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/policy/server-name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try(enum server_name_state (*read)(const uint8_t *, size_t, struct server_name *),
		const uint8_t *data, size_t size)
{
	enum server_name_state whole, part;
	struct server_name server, first;
	char name[RULES_NAME_MAX];

	whole = read(data, size, &server);
	if (whole == SERVER_NAME_FOUND &&
	    (!rules_name(name, server.name, strlen(server.name)) || strcmp(name, server.name) != 0))
		abort();
	if (whole == SERVER_NAME_NONE && !server.why)
		abort();
	/* A decision holds, whatever follows, so that parts lead to the same one. */
	for (size_t len = size / 2; len < size; len += 1 + (size - len) / 2) {
		part = read(data, len, &first);
		if (part != SERVER_NAME_MORE && part != whole)
			abort();
		if (part == SERVER_NAME_FOUND && strcmp(first.name, server.name) != 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try(server_name_tls, data, size);
	try(server_name_http, data, size);
	return 0;
}
