/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - names of the kinds of records */
#include "devemu/fabric/trace.h"

#include <stdio.h>

#include "devemu/channel/trace.h"

const char *trace_name(unsigned int kind)
{
	static const char *const names[] = {
		[TRACE_START] = "start",   [TRACE_DEFER] = "defer", [TRACE_COMMAND] = "command",
		[TRACE_DATA] = "data",     [TRACE_END] = "end",     [TRACE_ERROR] = "error",
		[TRACE_SETIOS] = "setios", [TRACE_FAIL] = "fail",   [TRACE_RESTORE] = "restore",
		[TRACE_SYNC] = "sync",     [TRACE_IU] = "iu",       [TRACE_STATUS] = "status",
	};

	return kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] : "?";
}

void trace_iu_text(uint64_t value, char *text, size_t len)
{
	static const char *const names[IU_KINDS] = {
		[IU_COMMAND] = "command",
		[IU_COMMAND_DATA] = "command-data",
		[IU_DATA] = "data",
		[IU_COMMAND_RESPONSE] = "command-response",
		[IU_STATUS] = "status",
		[IU_CONTROL] = "control",
		[IU_TRANSPORT_COMMAND] = "transport-command",
		[IU_TRANSFER_READY] = "transfer-ready",
		[IU_TRANSPORT_DATA] = "transport-data",
		[IU_TRANSPORT_RESPONSE] = "transport-response",
	};
	const unsigned int kind = (unsigned int)(value >> 40);

	snprintf(text, len, "%c %s %lu B", value >> 32 & 1 ? '>' : '<',
		 kind < IU_KINDS ? names[kind] : "?", (unsigned long)(value & UINT32_MAX));
}
