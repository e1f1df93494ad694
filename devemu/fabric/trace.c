/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - names of the kinds of records */
#include "devemu/fabric/trace.h"

#include <stddef.h>

const char *trace_name(unsigned int kind)
{
	static const char *const names[] = {
		[TRACE_START] = "start",   [TRACE_DEFER] = "defer", [TRACE_COMMAND] = "command",
		[TRACE_DATA] = "data",     [TRACE_END] = "end",     [TRACE_ERROR] = "error",
		[TRACE_SETIOS] = "setios", [TRACE_FAIL] = "fail",   [TRACE_RESTORE] = "restore",
		[TRACE_SYNC] = "sync",
	};

	return kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] : "?";
}
