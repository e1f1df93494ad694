/* SPDX-License-Identifier: Apache-2.0 */
/* piped-path.h - two paths of `local`, over which the bytes of a socket go by reference */
#ifndef TESTS_TRANSPORT_PIPED_PATH_H
#define TESTS_TRANSPORT_PIPED_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "transport/path.h"

#define PIPED_MTU   8192u
#define PIPED_LARGE 65536u
#define PIPED_HEAD  (LFP_PACKET_HEADER + LFP_DATA_OVERHEAD)

/* `from` sends what comes out of a socket; `to` puts what comes into another one. */
struct piped {
	uv_loop_t loop;
	struct transport_listener *listener;
	struct transport_conn *conns[2];
	struct path *from, *to;
	int source[2], sink[2];
	uint64_t fed, sent, arrived, checked; /* bytes */
	unsigned int frames, pipes, windows;
	bool ignores; /* `to` does not take pipes */
	bool wrong;   /* a frame was not at its position */
	bool down;
	int error;
	uint64_t tapped[2]; /* bytes of packets: in, out */
	uint64_t seen[2];   /* bytes of data that a tap has compared */
	struct path_tap tap;
};

/* For cmocka: two paths that are not open yet; and their end. */
int piped_set_up(void **state);
int piped_tear_down(void **state);

void piped_open(struct piped *f, uint32_t msglimit);

/* Puts @len bytes of the pattern where `from` reads. */
void piped_feed(struct piped *f, size_t len);

/* Feeds a pipe's bytes. */
void piped_feed_all(struct piped *f);

/* Returns the bytes that have gone into a pipe, or a negative errno. */
ssize_t piped_splice(struct piped *f, size_t want);

/* Moves as much as a pipe carries. That is less if the kernel had no large pages for the data. */
size_t piped_splice_all(struct piped *f);

/* Returns the number of bytes that were copied, 0 if the path takes none. */
size_t piped_copy(struct piped *f, size_t want);

/* Compares the bytes that have arrived with the pattern. */
void piped_compare(struct piped *f);

void piped_run(struct piped *f);

#endif
