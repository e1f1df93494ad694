/* SPDX-License-Identifier: Apache-2.0 */
/* joined-info.c - TCP_INFO of a connection whose data has left out TCP */
#include "lfpd/sock/joined.h"

#include <string.h>

/* Fields of struct tcp_info, bytes from its beginning (linux/tcp.h, which the C library's own
 * header excludes). */
#define BYTES_ACKED    120u
#define BYTES_RECEIVED 128u
#define BYTES_SENT     200u

static void add(uint8_t *info, size_t len, size_t at, uint64_t bytes)
{
	uint64_t value;

	if (len < at + sizeof(value))
		return;
	memcpy(&value, info + at, sizeof(value));
	value += bytes;
	memcpy(info + at, &value, sizeof(value));
}

void joined_add_info(const struct socket *sock, uint8_t *info, size_t len)
{
	const struct joined *joined = &sock->stream.joined;

	if (sock->is_datagram)
		return;
	add(info, len, BYTES_SENT, joined->out);
	add(info, len, BYTES_ACKED, joined->out);
	add(info, len, BYTES_RECEIVED, joined->in);
}
