/* SPDX-License-Identifier: Apache-2.0 */
/* lingering.h - descriptors whose close() waits for others */
#ifndef TESTS_TRANSPORT_LINGERING_H
#define TESTS_TRANSPORT_LINGERING_H

/* A TCP connection whose peer does not read. Close @keep after it. */
int lingering_make(int keep[2]);

/* Returns a file of a file system in user space: each close() waits for its server, so copies may
 * be closed by threads only. -1 where this process cannot mount such a file system. */
int stuck_file_open(void);

/* The server ends, and so does each close() that waits. Closes the descriptor. */
void stuck_file_end(int fd);

#endif
