/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-proxy-datagram.c - any bytes as a datagram from the relay of a proxy */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/policy/proxy-datagram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is read as an address is written as the same bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proxy_target target = {.name = NULL};
	uint8_t out[PROXY_HEAD_MAX];
	char name[256] = "";
	struct proxy_addr from;
	ssize_t n = proxy_datagram_read(data, size, &from);

	if (n < 0) {
		if (n != -EPROTO && n != -EMSGSIZE)
			abort();
		return 0;
	}
	if ((size_t)n > size || (size_t)n > PROXY_HEAD_MAX || !from.port)
		abort();
	target.port = from.port;
	target.addr = from.addr;
	if (from.is_name) {
		memcpy(name, from.name, from.name_len);
		target.name = name;
		if (strlen(name) != from.name_len)
			return 0;
	} else if (data[3] == 4 && IN6_IS_ADDR_V4MAPPED(&from.addr)) {
		return 0;
	}
	if (proxy_datagram_head(&target, out) != (size_t)n || memcmp(out, data, (size_t)n) != 0)
		abort();
	return 0;
}
