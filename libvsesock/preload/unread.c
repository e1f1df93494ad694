/* SPDX-License-Identifier: Apache-2.0 */
/* unread.c - TCP_INQ: the count of unread bytes from recvmsg() */

#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>

#include "libvsesock/core/memory.h"
#include "libvsesock/preload/hooks.h"

/* This kernel has no SO_INQ (Linux 6.17), and some near end needs it. */
static bool is_asked;

static bool has_mark(int fd)
{
	int priority = 0;
	socklen_t len = sizeof(priority);

	return raw_getsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, &len) == 0 &&
	       priority == LFP_NEAR_INQ_PRIORITY;
}

void unread_note(int fd, int on)
{
	if (on && !__atomic_load_n(&is_asked, __ATOMIC_RELAXED) && has_mark(fd))
		__atomic_store_n(&is_asked, true, __ATOMIC_RELAXED);
}

size_t unread_room(const struct msghdr *msg)
{
	if (__builtin_expect(!__atomic_load_n(&is_asked, __ATOMIC_RELAXED), 1))
		return 0;
	/* The kernel refuses bad pointers. */
	return memory_check_read(msg, sizeof(*msg)) ? 0 : msg->msg_controllen;
}

static int end_of_file(int fd)
{
	return (raw_poll_now(fd, POLLRDHUP) & POLLRDHUP) != 0;
}

/* As the kernel's put_cmsg() (net/core/scm.c): appends, and cuts off with MSG_CTRUNC. */
static void append(struct msghdr *msg, size_t room, int unread)
{
	size_t at = CMSG_ALIGN(msg->msg_controllen), left = room > at ? room - at : 0;
	struct cmsghdr head = {
		.cmsg_len = CMSG_LEN(sizeof(unread)),
		.cmsg_level = IPPROTO_TCP,
		.cmsg_type = TCP_CM_INQ,
	};
	char *to = (char *)msg->msg_control + at;

	if (!msg->msg_control || left < sizeof(head)) {
		msg->msg_flags |= MSG_CTRUNC;
		return;
	}
	if (left < head.cmsg_len) {
		msg->msg_flags |= MSG_CTRUNC;
		head.cmsg_len = left;
	}
	memcpy(to, &head, sizeof(head));
	memcpy(to + CMSG_LEN(0), &unread, head.cmsg_len - CMSG_LEN(0));
	msg->msg_controllen =
		at + (left < CMSG_SPACE(sizeof(unread)) ? left : CMSG_SPACE(sizeof(unread)));
}

/* For kernels without SO_INQ: asks for the number of unread bytes. */
static void tell_by_asking(int fd, struct msghdr *msg, size_t room)
{
	int unread = 0;
	char nn[3];

	if (has_mark(fd) && near_kind(fd, nn) == NEAR_STREAM &&
	    raw_ioctl(fd, FIONREAD, (long)&unread) == 0)
		append(msg, room, unread + end_of_file(fd));
}

void unread_tell(int fd, struct msghdr *msg, size_t room)
{
	char nn[3];
	int unread;

	if (__builtin_expect(__atomic_load_n(&is_asked, __ATOMIC_RELAXED), 0)) {
		tell_by_asking(fd, msg, room);
		return;
	}
	if (!msg->msg_control || msg->msg_controllen < CMSG_LEN(sizeof(unread)))
		return;
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != LFP_NEAR_INQ ||
		    cmsg->cmsg_len != CMSG_LEN(sizeof(unread)) || near_kind(fd, nn) != NEAR_STREAM)
			continue;
		memcpy(&unread, CMSG_DATA(cmsg), sizeof(unread));
		unread += end_of_file(fd);
		memcpy(CMSG_DATA(cmsg), &unread, sizeof(unread));
		cmsg->cmsg_level = IPPROTO_TCP;
		cmsg->cmsg_type = TCP_CM_INQ;
	}
}
