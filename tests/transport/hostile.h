/* SPDX-License-Identifier: Apache-2.0 */
/* hostile.h - both sides of a transport in shared memory, and a process that writes to that
 * memory */
#ifndef TESTS_TRANSPORT_HOSTILE_H
#define TESTS_TRANSPORT_HOSTILE_H

#include <stdint.h>

#include "tests/transport/settings.h"
#include "transport/transport.h"

/*
 * Both sides are here, on one loop, and send as much as they can. Another process has the memory
 * too and writes. A side may end the path with an error, get other data than was sent, or wait for
 * what does not come. It must not crash, be held up, or keep anything when the path is closed. Each
 * round is a new path, and another way of writing.
 *
 * LFP_HOSTILE_SECONDS: how long; else 5 s with the address sanitizer, 2 s without.
 */

struct hostile {
	const struct transport *transport;
	const char *maps; /* what the name of its memory has in /proc/self/maps */
	/* The memory that is written to: both sides have the same. */
	uint8_t *(*memory)(struct transport_conn *conn, size_t *size);
	/* Writes something, in the hostile process. */
	void (*scribble)(uint8_t *memory, size_t size);
	struct transport_where where; /* path is set by hostile_run() */
};

uint32_t hostile_random(void);

/* Writes a number to @at: an extreme value, or the present value plus a little. */
void hostile_word(uint8_t *at, size_t size, uint32_t step);

void hostile_run(struct hostile *hostile);

#endif
