/* SPDX-License-Identifier: Apache-2.0 */
/* order.h - the client's order for a connection of lfp-bench */
#ifndef BENCH_LFP_BENCH_ORDER_H
#define BENCH_LFP_BENCH_ORDER_H

#include <stdint.h>

/*
 * A connection starts with a struct order, in the byte order of the machine, or with a greeting
 * (greeting.h) and then that:
 *
 *	send   the client writes blocks for some time, or a number of bytes; the server reads, and
 *	       answers the last with one byte. A block says whether it is the last, as there are
 *	       proxies that end both directions with the first
 *	recv   the server writes in the same way, and closes
 *	rr     the server sends back every message of the given size
 *	conn   as rr with one byte, but each on a connection of its own
 *
 * The client does the rest alone, and sends no order: see control.h.
 */
enum work {
	WORK_SEND,
	WORK_RECV,
	WORK_RR,
	WORK_CONN,
	WORK_NODELAY,
	WORK_GETSOCKNAME,
	WORK_GETPEERNAME,
	WORK_SOCKET,
	NR_WORKS
};

#define SIZE_MAX_BYTES (1024u * 1024u)
#define LAST           1 /* start of the last block of a stream */

struct order {
	uint32_t work;
	uint32_t size;  /* bytes a write or a message, 1 to SIZE_MAX_BYTES */
	uint64_t ns;    /* how long the sender of a stream sends */
	uint64_t bytes; /* or how much, if this is not 0 */
};

#endif
