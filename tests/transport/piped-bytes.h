/* SPDX-License-Identifier: Apache-2.0 */
/* piped-bytes.h - bytes of a pattern that pass through sockets and pipes */
#ifndef TESTS_TRANSPORT_PIPED_BYTES_H
#define TESTS_TRANSPORT_PIPED_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "transport/pipes.h"

/* Two sockets of a stream that do not wait; and their end. */
void pair_make(int fds[2]);
void pair_close(const int fds[2]);

/* Returns the byte of the pattern at a position. */
uint8_t pattern_at(uint64_t position);

/* Writes @len bytes of the pattern to @fd. */
void pattern_feed(int fd, uint64_t position, size_t len);

/* Reads @len bytes from @fd, which must be those of the pattern. */
void pattern_expect(int fd, uint64_t position, size_t len);

/* Fills @pipe by the bytes of the pattern, as far as they go in. */
void pipe_fill_up(struct held_pipe *pipe, const int from[2]);

/* What a body of in_child() returns for another failure: more than any number of pipes. */
#define BROKEN ((int)PIPES_MAX + 1)

/* Runs @body in a process of its own, where it may change limits. Returns its exit code. */
int in_child(int (*body)(void));

#endif
