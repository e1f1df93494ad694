/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-mux.c - any bytes as the multiplexer's table and as mux.conf, whose ends nothing marks */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libvsesock/mux/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	enum mux_phase phase;
	unsigned int line;

	for (phase = MUX_EDTCPV; phase <= MUX_BSTTTCP6; phase++)
		if (mux_read_stack(text, size, phase, &line) == MUX_STACK_BAD &&
		    (!line || line > size))
			abort();
	phase = mux_look_up(text, size, "01");
	if (phase == MUX_LFP && !memmem(text, size, "01 IJBLFPLE", 11))
		abort();
	return 0;
}
