/* SPDX-License-Identifier: Apache-2.0 */
/* passed.c - descriptors that a peer has sent along with a message, and that nobody wants */
#include "transport/passed.h"

#include <string.h>
#include <unistd.h>

void passed_close(int fd)
{
	struct linger off = {0};

	/* Fails for what is no socket. */
	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &off, sizeof(off));
	close(fd);
}

void passed_drop(struct msghdr *msg)
{
	struct cmsghdr *header;

	for (header = CMSG_FIRSTHDR(msg); header; header = CMSG_NXTHDR(msg, header)) {
		size_t nr = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < nr; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(fd));
			passed_close(fd);
		}
	}
}
