/* SPDX-License-Identifier: Apache-2.0 */
/* rights.c - descriptors sent along with a message of a UNIX socket (SCM_RIGHTS) */
#include "lfp/rights.h"

#include <errno.h>
#include <string.h>

void lfp_rights_put(struct msghdr *msg, void *room, const int *fds, unsigned int nr)
{
	size_t len = nr * sizeof(int);
	struct cmsghdr *header = room;

	msg->msg_control = nr ? room : NULL;
	msg->msg_controllen = nr ? CMSG_SPACE(len) : 0;
	if (!nr)
		return;
	memset(room, 0, CMSG_SPACE(len));
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(header), fds, len);
}

int lfp_rights_send(int sock, struct iovec *parts, size_t nr_parts, const int *fds, unsigned int nr)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(LFP_RIGHTS_MAX * sizeof(int))];
	} control;
	struct msghdr msg = {.msg_iov = parts, .msg_iovlen = nr_parts};

	if (nr > LFP_RIGHTS_MAX)
		return -EINVAL;
	lfp_rights_put(&msg, &control, fds, nr);
	return sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

unsigned int lfp_rights_take(struct msghdr *msg, int *fds, unsigned int max)
{
	struct lfp_rights_place place = {.msg = msg};
	unsigned int nr = 0;
	int fd;

	while (lfp_rights_next(&place, &fd)) {
		if (place.header->cmsg_type != SCM_RIGHTS)
			continue;
		if (nr < max)
			fds[nr] = fd;
		nr++;
	}
	return nr;
}

static bool has_descriptors(const struct cmsghdr *header)
{
	return header->cmsg_level == SOL_SOCKET &&
	       (header->cmsg_type == SCM_RIGHTS || header->cmsg_type == SCM_PIDFD);
}

bool lfp_rights_next(struct lfp_rights_place *place, int *fd)
{
	struct cmsghdr *header = place->header ? place->header : CMSG_FIRSTHDR(place->msg);

	while (header) {
		while (has_descriptors(header) &&
		       CMSG_LEN(place->next + sizeof(int)) <= header->cmsg_len) {
			memcpy(fd, CMSG_DATA(header) + place->next, sizeof(int));
			place->next += sizeof(int);
			place->header = header;
			/* SCM_PIDFD carries a negative errno if the kernel could not make a pidfd
			 * (include/net/scm.h, scm_pidfd_recv()). */
			if (*fd >= 0)
				return true;
		}
		header = CMSG_NXTHDR(place->msg, header);
		place->next = 0;
	}
	return false;
}
