/* SPDX-License-Identifier: Apache-2.0 */
/* passed.h - to be rid of descriptors that somebody has sent along with a message */
#ifndef TRANSPORT_PASSED_H
#define TRANSPORT_PASSED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* A descriptor of the sender's process (Linux 6.5), which older headers do not have. */
#ifndef SCM_PIDFD
#define SCM_PIDFD 0x04
#endif

/*
 * The last close() of a file can wait, for as long as its owner likes: a TCP socket with SO_LINGER,
 * a file of a file system that a program serves, and what is queued in a UNIX socket. Nothing else
 * would be served meanwhile. The kernel closes what finds no room in a message that is received: so
 * there is room for all that can come (SCM_MAX_FD of the kernel).
 */
#define PASSED_MAX  253u
#define PASSED_ROOM CMSG_SPACE(PASSED_MAX * sizeof(int))
#define PASSED_MORE 512u /* where the socket's options may have more said of the sender */

union passed {
	struct cmsghdr header;
	char room[PASSED_ROOM];
};

/* SO_PASSRIGHTS (Linux 6.16), which older headers do not have. */
#define PASSED_PASSRIGHTS 83

/* Close @fd, of which nothing is known, and wait for nothing: a thread does it, maybe later. */
void passed_close(int fd);

/* End a socket that others can send to and no other process has: at once if nothing is unread, else
 * a thread closes it. Its peer sees the end at once in both cases. A socket that another process has
 * as well is for passed_close(): that process can take what the look has found. */
void passed_end(int fd);

/* The same for a UNIX socket for which passed_refuse() was called, with @own bytes unread that this
 * process has sent itself. */
void passed_end_refusing(int fd, uint64_t own);

/* Have a UNIX socket take no descriptors: true from Linux 6.16 on. Before, read it with
 * passed_receive(). The kernel closes what comes with an urgent byte that is passed over, so these
 * come in line. */
bool passed_refuse(int fd);

/* The same with all that came with @msg, of whose control messages recvmsg() has said the length.
 */
void passed_drop(struct msghdr *msg);

/* recv() that does not wait, from a socket that can be sent descriptors; they are dropped. */
ssize_t passed_receive(int fd, void *buf, size_t len);

#endif
