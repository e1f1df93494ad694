/* SPDX-License-Identifier: Apache-2.0 */
/* rights.h - descriptors sent along with a message of a UNIX socket (SCM_RIGHTS) */
#ifndef LFP_RIGHTS_H
#define LFP_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#define LFP_RIGHTS_MAX 253u /* descriptors in a message at most: SCM_MAX_FD of Linux */

/* A descriptor of the sender's process (Linux 6.5), which older headers do not have. */
#ifndef SCM_PIDFD
#define SCM_PIDFD 0x04
#endif

/* Room for the control message of one descriptor, aligned as the kernel wants it. */
union lfp_rights {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

/* Makes @msg carry @nr descriptors, or none if @nr is 0. @room is aligned as struct cmsghdr, has
 * CMSG_SPACE(@nr * sizeof(int)) bytes and is kept until @msg is sent. */
void lfp_rights_put(struct msghdr *msg, void *room, const int *fds, unsigned int nr);

/*
 * Sends @parts as one message with copies of @nr descriptors, and does not wait. @nr may be 0. The
 * descriptors stay the caller's. Returns 0 or a negative errno: -EINVAL for more than
 * LFP_RIGHTS_MAX, -ETOOMANYREFS while the user has too many on their way.
 */
int lfp_rights_send(int sock, struct iovec *parts, size_t nr_parts, const int *fds,
		    unsigned int nr);

/*
 * Copies the first @max descriptors of a received message to @fds and returns the number of
 * descriptors of the message, which may be larger than @max. All of them are the caller's now. If
 * @msg has no room for a descriptor, or the process no free number, the kernel drops the descriptor
 * and sets MSG_CTRUNC in msg_flags (net/core/scm.c, scm_detach_fds()); the others are delivered.
 */
unsigned int lfp_rights_take(struct msghdr *msg, int *fds, unsigned int max);

/* A place among the descriptors of a received message; { .msg = MSG } is the start. */
struct lfp_rights_place {
	struct msghdr *msg;
	struct cmsghdr *header; /* its cmsg_type is SCM_RIGHTS or SCM_PIDFD */
	size_t next;            /* byte in the header's data */
};

/* Sets @fd to the next descriptor of SCM_RIGHTS or SCM_PIDFD. Returns false after the last. */
bool lfp_rights_next(struct lfp_rights_place *place, int *fd);

#endif
