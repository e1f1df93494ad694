/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-hs-frame.c - any bytes as a frame of AF_IUCV over HiperSockets */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "transport/hs-frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A name that can be read can be written, and is the same name. */
static void check_name(const uint8_t wire[static 8])
{
	uint8_t again[8];
	char name[9], same[9];

	if (hs_name_get(wire, name))
		return;
	if (hs_name_put(name, again) || hs_name_get(again, same) || strcmp(name, same))
		abort();
}

/* Whatever the decoder accepts must survive a write and re-read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hs_frame first, second;
	uint8_t *again;

	memset(&first, 0, sizeof(first));
	memset(&second, 0, sizeof(second));
	if (hs_frame_decode(data, size, &first))
		return 0;
	if (first.message != data + HS_HEAD || first.len != size - HS_HEAD)
		abort();
	check_name(first.dest.user);
	check_name(first.dest.app);
	check_name(first.src.user);
	check_name(first.src.app);
	again = malloc(size);
	if (!again)
		return 0;
	hs_frame_head(&first, again);
	memcpy(again + HS_HEAD, first.message, first.len);
	if (hs_frame_decode(again, size, &second))
		abort();
	first.message = second.message = NULL;
	if (memcmp(&first, &second, sizeof(first)))
		abort();
	free(again);
	return 0;
}
