/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.h - a stream of lfp-bench: blocks of one size, of which the last begins with LAST */
#ifndef BENCH_LFP_BENCH_BLOCKS_H
#define BENCH_LFP_BENCH_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/lfp-bench/order.h"

/* Buffer for sending and receiving, for streams and messages. */
extern char buf[SIZE_MAX_BYTES];

/* Write as ordered. Returns false if the peer is gone, which is no error while the server writes to
 * it. Sets *bytes to the whole blocks written. */
bool pour(int sock, const struct order *order, uint64_t *bytes);

/* Read blocks of @size bytes until the last one is there; false if it never comes. */
bool take_blocks(int sock, size_t size);

/* Read until the end of the stream, at most @size bytes a call. How many; an error ends the
 * program. */
uint64_t drain(int sock, size_t size);

#endif
