/* SPDX-License-Identifier: Apache-2.0 */
/* drop.c - names of the reasons */
#include "devemu/ipsec/drop.h"

const char *drop_name(enum ipsec_drop reason)
{
	static const char *const names[DROP_REASONS] = {
		[DROP_SHORT] = "short",
		[DROP_HEADER] = "header",
		[DROP_UNKNOWN_SPI] = "unknown-spi",
		[DROP_SEQUENCE_ZERO] = "sequence-zero",
		[DROP_REPLAYED] = "replayed",
		[DROP_OLD] = "old",
		[DROP_INTEGRITY] = "integrity",
		[DROP_PADDING] = "padding",
		[DROP_NEXT_HEADER] = "next-header",
		[DROP_DUMMY] = "dummy",
		[DROP_ECN] = "ecn",
		[DROP_POLICY] = "policy",
		[DROP_DENIED] = "denied",
		[DROP_NO_SA] = "no-sa",
		[DROP_EXPIRED] = "expired",
		[DROP_TOO_BIG] = "too-big",
		[DROP_OVERLAP] = "overlap",
		[DROP_FRAGMENT_LIMIT] = "fragment-limit",
		[DROP_FRAGMENT_TIME] = "fragment-time",
		[DROP_NO_ROOM] = "no-room",
		[DROP_UNSENT] = "unsent",
		[DROP_CIPHER] = "cipher",
	};
	const unsigned int number = (unsigned int)reason;

	return number < DROP_REASONS && names[number] ? names[number] : "?";
}
