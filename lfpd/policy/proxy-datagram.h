/* SPDX-License-Identifier: Apache-2.0 */
/* proxy-datagram.h - what stands before each datagram that a proxy of SOCKS5 relays */
#ifndef LFPD_POLICY_PROXY_DATAGRAM_H
#define LFPD_POLICY_PROXY_DATAGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lfpd/policy/proxy.h"

/* Two bytes without meaning, the number of the fragment, and an address (RFC 1928, section 7). */
#define PROXY_HEAD_MAX (3u + PROXY_ADDR_MAX)

/* Writes the head of a datagram for @target. Returns its length. */
size_t proxy_datagram_head(const struct proxy_target *target, uint8_t out[static PROXY_HEAD_MAX]);

/* Reads the head of a datagram, and sets @from to its sender. Returns the length of the head;
 * -EPROTO: it is no such datagram; -EMSGSIZE: it is a fragment, which lfpd does not take. */
ssize_t proxy_datagram_read(const uint8_t *buf, size_t len, struct proxy_addr *from);

#endif
