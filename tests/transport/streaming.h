/* SPDX-License-Identifier: Apache-2.0 */
/* streaming.h - packets on a byte stream whose other end is a plain socket */
#ifndef TESTS_TRANSPORT_STREAMING_H
#define TESTS_TRANSPORT_STREAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "transport/stream-socket.h"

#define MTU 4096u

struct streaming {
	uv_loop_t loop;
	struct streamsock_conn *conn;
	struct transport_conn *base; /* of conn; its data is this struct */
	int peer;                    /* the other end, or -1 if the test has closed it */
	uint32_t said, read;         /* packets */
	unsigned int calls;          /* of on_readable(), which is the test's */
	unsigned int most;           /* packets that one call takes */
	unsigned int writable;       /* calls of on_writable() */
	int result;                  /* of what the test waits for; 1: not yet */
};

/* For cmocka: begins. With @peeks, small amounts stay in the socket. Ends. */
int streaming_set_up(void **state, bool peeks);
int streaming_tear_down(void **state);

/* Makes the next packet, whose bytes say its number. Returns @len. */
size_t streaming_packet(struct streaming *f, uint8_t *buf, size_t len);

/* Checks that this is the packet with this number. */
void streaming_expect(const struct iovec *packet, uint32_t sequence);

#endif
