/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-server-name.c - any bytes as what a TLS client sends first */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/policy/server-name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum server_name_state whole, part;
	struct server_name server, first;
	char name[RULES_NAME_MAX];

	whole = server_name_tls(data, size, &server);
	if (whole == SERVER_NAME_FOUND &&
	    (!rules_name(name, server.name, strlen(server.name)) || strcmp(name, server.name) != 0))
		abort();
	if (whole == SERVER_NAME_NONE && !server.why)
		abort();
	/* A decision holds, whatever follows, so that parts lead to the same one. */
	part = server_name_tls(data, size / 2, &first);
	if (part != SERVER_NAME_MORE && part != whole)
		abort();
	if (part == SERVER_NAME_FOUND && strcmp(first.name, server.name) != 0)
		abort();
	return 0;
}
