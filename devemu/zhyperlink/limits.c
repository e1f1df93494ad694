/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - the limits of a request, and names of its outcomes */
#include "devemu/zhyperlink/limits.h"

const char *zhyperlink_outcome_name(enum zhyperlink_outcome outcome)
{
	static const char *const names[ZHYPERLINK_OUTCOMES] = {
		[ZHYPERLINK_DONE] = "done",
		[ZHYPERLINK_LINK_BUSY] = "link busy",
		[ZHYPERLINK_CACHE_MISS] = "cache miss",
		[ZHYPERLINK_NO_LINK] = "no zHyperLink",
		[ZHYPERLINK_NOT_ECKD] = "not ECKD",
		[ZHYPERLINK_NO_PATH] = "no FICON path",
		[ZHYPERLINK_LENGTH] = "length",
		[ZHYPERLINK_ALIGNMENT] = "alignment",
		[ZHYPERLINK_STORAGE] = "storage",
		[ZHYPERLINK_RECORD_REJECT] = "record",
	};

	return names[outcome];
}

enum zhyperlink_outcome zhyperlink_check_record(uint32_t bytes, uint64_t address)
{
	if (!bytes || bytes > ZHYPERLINK_RECORD || bytes % ZHYPERLINK_ALIGN)
		return ZHYPERLINK_LENGTH;
	return address % ZHYPERLINK_ALIGN ? ZHYPERLINK_ALIGNMENT : ZHYPERLINK_DONE;
}
