/* SPDX-License-Identifier: Apache-2.0 */
/* eventlog.c - an empty event log */
#include "devemu/clock/eventlog.h"

#include <string.h>

void eventlog_init(struct eventlog *log)
{
	memset(log, 0, sizeof(*log));
	log->hash = UINT64_C(0x243F6A8885A308D3); /* digits of pi */
}
