/* SPDX-License-Identifier: Apache-2.0 */
/* stuck-file.h - a file of a file system in user space, of which each close() waits for its server
 */
#ifndef TESTS_TRANSPORT_STUCK_FILE_H
#define TESTS_TRANSPORT_STUCK_FILE_H

/* Returns a descriptor, of which copies may be closed by threads only; or -1 where this process
 * cannot mount such a file system. */
int stuck_file_open(void);

/* The server ends, and so does each close() that waits. Closes the descriptor. */
void stuck_file_end(int fd);

#endif
