/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-datagram.c - any bytes as a datagram's ancillary data, and as its sender's name */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/datagram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever the decoder accepts must survive a write and re-read. */
static void check_bytes(const uint8_t *data)
{
	uint8_t again[LFP_META_SIZE];
	struct lfp_meta first, second;

	memset(&first, 0, sizeof(first));
	memset(&second, 0, sizeof(second));
	if (lfp_meta_get(data, &first))
		return;
	lfp_meta_put(&first, again);
	if (lfp_meta_get(again, &second) || memcmp(&first, &second, sizeof(first)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX}, head;
	size_t len = size < sizeof(addr.sun_path) ? size : sizeof(addr.sun_path);
	socklen_t addrlen = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	struct lfp_meta meta;

	if (size >= LFP_META_SIZE)
		check_bytes(data);
	memcpy(addr.sun_path, data, len);
	(void)lfp_source_parse(&addr, addrlen, &meta);
	if (lfp_near_path(&addr, addrlen)) {
		(void)lfp_near_is_v6(&addr);
		(void)lfp_head_name(&addr, &head);
	}
	return 0;
}
