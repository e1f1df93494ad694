/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.h - to be rid of a descriptor that a program has passed */
#ifndef IJBLFP_FOREIGN_H
#define IJBLFP_FOREIGN_H

/*
 * Close a descriptor of which nothing is known. The last close() of a file can wait: a TCP socket
 * with SO_LINGER, a file of a file system that a program serves, and what is queued in a UNIX
 * socket. So a thread of its own does it, and the loop goes on. Near ends are known, and are closed
 * as any other descriptor.
 */
void foreign_close(int fd);

#endif
