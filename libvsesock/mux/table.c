/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - reads the multiplexer's table: the interface phase of each system id */
#include "libvsesock/mux/files.h"

#include <string.h>

static int is_phase(const char *text, size_t len, const char *phase)
{
	return strlen(phase) == len && !memcmp(text, phase, len);
}

enum mux_phase mux_look_up(const char *text, size_t len, const char *sysid)
{
	const char *end = text + len;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t line = (size_t)((newline ? newline : end) - text);

		if (line > 3 && !memcmp(text, sysid, 2) && text[2] == ' ') {
			const char *phase = text + 3;
			size_t rest = line - 3;

			if (is_phase(phase, rest, "IJBLFPLE"))
				return MUX_LFP;
			if (is_phase(phase, rest, "$EDTCPV"))
				return MUX_EDTCPV;
			return is_phase(phase, rest, "BSTTTCP6") ? MUX_BSTTTCP6 : MUX_NO_PHASE;
		}
		text += line + 1;
	}
	return MUX_NO_ENTRY;
}
