/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-search.c - commands that compare: a match ends with status modifier, which skips the next
 * CCW */
#include <string.h>

#include "devemu/device/ckd-state.h"

#define MATCH (UNIT_END | UNIT_MODIFIER)

/* Bits of the command: X'20' equal, X'40' high (of the field on the track). */
static bool matches(uint8_t cmd, int compared)
{
	return (cmd & 0x20 && compared == 0) || (cmd & 0x40 && compared > 0);
}

uint8_t ckd_search_home(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t argument[4], status = positioned(ckd, false);
	size_t n;

	if (!status)
		status = multitrack(call->cmd) ? ckd_advance(ckd) : ckd_go_to_index(ckd);
	if (status)
		return status;
	n = call_pull(call, argument, sizeof(argument));
	return n && memcmp(ckd->track + 1, argument, n) == 0 ? MATCH : UNIT_END;
}

uint8_t ckd_search_id(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t argument[5], status = positioned(ckd, false);
	int compared;
	size_t n;

	ckd->id_equal = ckd->key_equal = false;
	if (!status)
		status = ckd_next_count(ckd, call->cmd, NEXT_R0 | NEXT_SEARCH);
	if (status)
		return status;
	n = call_pull(call, argument, sizeof(argument));
	compared = memcmp(ckd->record.count, argument, n);
	ckd->id_equal = n == sizeof(argument) && !compared && call->cmd & 0x20;
	return n && matches(call->cmd, compared) ? MATCH : UNIT_END;
}

uint8_t ckd_search_key(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t argument[255], status = positioned(ckd, false);
	uint32_t len;
	int compared;
	size_t n;

	ckd->id_equal = ckd->key_equal = false;
	if (!status && ckd->orientation != AT_COUNT)
		status = ckd_next_count(ckd, call->cmd, NEXT_SEARCH);
	if (status)
		return status;
	len = ckd->record.key_len;
	n = call_pull(call, argument, len);
	compared = memcmp(ckd->record.key, argument, n);
	ckd->at += len;
	ckd->orientation = AT_KEY;
	ckd->key_equal = len && n == len && !compared && call->cmd & 0x20;
	return n && matches(call->cmd, compared) ? MATCH : UNIT_END;
}
