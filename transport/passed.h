/* SPDX-License-Identifier: Apache-2.0 */
/* passed.h - descriptors that a peer has sent along with a message, and that nobody wants */
#ifndef TRANSPORT_PASSED_H
#define TRANSPORT_PASSED_H

#include <sys/socket.h>

/*
 * The kernel closes what finds no room in a message that is received, and what is closed may be a
 * socket that lingers, for as long as its owner likes: minutes in which nothing else is served. So
 * there is room for all that can come (SCM_MAX_FD of the kernel), and it is closed without waiting.
 */
#define PASSED_MAX  253u
#define PASSED_ROOM CMSG_SPACE(PASSED_MAX * sizeof(int))

union passed {
	struct cmsghdr header;
	char room[PASSED_ROOM];
};

/* Close @fd, and wait for nothing. */
void passed_close(int fd);

/* Close all that came with @msg, of whose control messages recvmsg() has said the length. */
void passed_drop(struct msghdr *msg);

#endif
