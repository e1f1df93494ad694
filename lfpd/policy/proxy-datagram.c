/* SPDX-License-Identifier: Apache-2.0 */
/* proxy-datagram.c - what stands before each datagram that a proxy of SOCKS5 relays */
#include "lfpd/policy/proxy-datagram.h"

#include <errno.h>
#include <string.h>

#define FRAGMENT 2u /* the place of its number; 0: the datagram is whole */
#define ADDR     3u

size_t proxy_datagram_head(const struct proxy_target *target, uint8_t out[static PROXY_HEAD_MAX])
{
	memset(out, 0, ADDR);
	return ADDR + proxy_put_addr(target, out + ADDR);
}

ssize_t proxy_datagram_read(const uint8_t *buf, size_t len, struct proxy_addr *from)
{
	ssize_t size;

	if (len <= ADDR || buf[0] || buf[1])
		return -EPROTO;
	if (buf[FRAGMENT])
		return -EMSGSIZE;
	size = proxy_get_addr(buf + ADDR, len - ADDR, from);
	if (size <= 0 || !from->port)
		return -EPROTO;
	return (ssize_t)ADDR + size;
}
