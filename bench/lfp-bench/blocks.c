/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.c - a stream of lfp-bench: blocks of one size, of which the last begins with LAST */
#include "bench/lfp-bench/blocks.h"

#include <sys/socket.h>

#include "bench/lfp-bench/clock.h"
#include "bench/lfp-bench/connection.h"

char buf[SIZE_MAX_BYTES];

bool pour(int sock, const struct order *order, uint64_t *bytes)
{
	uint64_t end = now_ns() + order->ns;

	*bytes = 0;
	buf[0] = 0;
	do {
		if (order->bytes ? *bytes + order->size >= order->bytes : now_ns() >= end)
			buf[0] = LAST;
		if (!write_all(sock, buf, order->size))
			return false;
		*bytes += order->size;
	} while (buf[0] != LAST);
	return true;
}

bool take_blocks(int sock, size_t size)
{
	size_t pos = 0; /* in a block */
	bool last = false;
	ssize_t n;

	while ((n = recv(sock, buf, size, 0)) > 0) {
		size_t next = pos ? size - pos : 0;

		/* One begins in what came, at most. */
		if (next < (size_t)n)
			last = buf[next] == LAST;
		pos = (pos + (size_t)n) % size;
		if (last && !pos)
			return true;
	}
	return false;
}

uint64_t drain(int sock, size_t size)
{
	uint64_t bytes = 0;
	ssize_t n;

	while ((n = recv(sock, buf, size, 0)) > 0)
		bytes += (uint64_t)n;
	if (n < 0)
		die("recv");
	return bytes;
}
