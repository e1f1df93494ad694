/* SPDX-License-Identifier: Apache-2.0 */
/* unread.c - TCP_INQ: what recvmsg() tells beside the data */
#include "libvsesock/preload/unread.h"

#include <netinet/tcp.h>
#include <string.h>

#include "libvsesock/preload/hooks.h"

void unread_tell(int fd, struct msghdr *msg)
{
	char nn[3];
	int unread;

	if (!msg->msg_control || msg->msg_controllen < CMSG_LEN(sizeof(unread)))
		return;
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != LFP_NEAR_INQ ||
		    cmsg->cmsg_len != CMSG_LEN(sizeof(unread)) || near_kind(fd, nn) != NEAR_STREAM)
			continue;
		memcpy(&unread, CMSG_DATA(cmsg), sizeof(unread));
		if (raw_poll_now(fd, POLLRDHUP) & POLLRDHUP)
			unread++;
		memcpy(CMSG_DATA(cmsg), &unread, sizeof(unread));
		cmsg->cmsg_level = IPPROTO_TCP;
		cmsg->cmsg_type = TCP_CM_INQ;
	}
}
