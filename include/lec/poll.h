/* SPDX-License-Identifier: Apache-2.0 */
/* poll.h - poll() on sockets of LE/C; the bits are z/OS's */
#ifndef VSESOCK_LEC_POLL_H
#define VSESOCK_LEC_POLL_H

#include "lec.h"

#define POLLRDNORM 1
#define POLLRDBAND 2
#define POLLIN     (POLLRDNORM | POLLRDBAND)
#define POLLWRNORM 4
#define POLLOUT    POLLWRNORM
#define POLLWRBAND 8
#define POLLPRI    16
#define POLLERR    32
#define POLLHUP    64
#define POLLNVAL   128

typedef unsigned long nfds_t;

struct pollfd {
	int fd;
	short events;
	short revents;
};

LEC_BEGIN

extern int poll(struct pollfd *polls, nfds_t nr, int timeout_ms) LEC_NAME(poll);

LEC_END

#endif
