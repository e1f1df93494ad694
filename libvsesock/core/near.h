/* SPDX-License-Identifier: Apache-2.0 */
/* near.h - is a descriptor LFP's? */
#ifndef VSESOCK_NEAR_H
#define VSESOCK_NEAR_H

#include <stdbool.h>

/*
 * Ask the kernel for the name of the socket: the answer is right after dup, fork, exec and
 * descriptor passing, and there is no table that could be wrong. One system call; for what is no
 * socket it fails at once.
 */

/* Is @fd a near end? If so @nn is its instance, NUL-terminated. */
bool near_end(int fd, char nn[static 3]);

/* Is this near end connected (or listening)? */
bool near_end_paired(int fd);

#endif
