/* SPDX-License-Identifier: Apache-2.0 */
/* inside.c - addresses of this host and of private networks */
#include "lfp/inside.h"

#include <stdint.h>

bool lfp_is_inside(const struct in6_addr *addr)
{
	const uint8_t *b = addr->s6_addr;

	if (IN6_IS_ADDR_V4MAPPED(addr)) {
		const uint8_t *v4 = b + 12;

		return v4[0] == 0 || v4[0] == 10 || v4[0] == 127 ||
		       (v4[0] == 100 && (v4[1] & 0xc0) == 64) || (v4[0] == 169 && v4[1] == 254) ||
		       (v4[0] == 172 && (v4[1] & 0xf0) == 16) || (v4[0] == 192 && v4[1] == 168) ||
		       v4[0] >= 224;
	}
	return IN6_IS_ADDR_LOOPBACK(addr) || IN6_IS_ADDR_UNSPECIFIED(addr) ||
	       IN6_IS_ADDR_LINKLOCAL(addr) || IN6_IS_ADDR_MULTICAST(addr) ||
	       (b[0] & 0xfe) == 0xfc || (b[0] == 0xfe && (b[1] & 0xc0) == 0xc0);
}
