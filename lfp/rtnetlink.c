/* SPDX-License-Identifier: Apache-2.0 */
/* rtnetlink.c - requests to the kernel about links, addresses and routes: rtnetlink(7) */
#include "lfp/rtnetlink.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void lfp_rtnetlink_begin(struct lfp_rtnetlink *msg, uint16_t type, uint16_t flags, size_t body)
{
	memset(msg, 0, sizeof(*msg));
	msg->head.nlmsg_len = (uint32_t)NLMSG_LENGTH(body);
	msg->head.nlmsg_type = type;
	msg->head.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags);
}

void lfp_rtnetlink_add(struct lfp_rtnetlink *msg, uint16_t type, const void *data, size_t len)
{
	struct rtattr *at =
		(struct rtattr *)(void *)((char *)msg + NLMSG_ALIGN(msg->head.nlmsg_len));

	at->rta_type = type;
	at->rta_len = (uint16_t)RTA_LENGTH(len);
	memcpy(RTA_DATA(at), data, len);
	msg->head.nlmsg_len = (uint32_t)(NLMSG_ALIGN(msg->head.nlmsg_len) + RTA_ALIGN(at->rta_len));
}

int lfp_rtnetlink_ask(const struct lfp_rtnetlink *msg)
{
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		uint8_t rest[sizeof(*msg) + 256]; /* the request once more */
	} answer;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), rc = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = send(fd, msg, msg->head.nlmsg_len, 0);
	if (n >= 0)
		n = recv(fd, &answer, sizeof(answer), 0);
	if (n < 0)
		rc = -errno;
	else if ((size_t)n < NLMSG_LENGTH(sizeof(struct nlmsgerr)) ||
		 answer.head.nlmsg_type != NLMSG_ERROR)
		rc = -EPROTO;
	else
		rc = answer.error.error;
	close(fd);
	return rc;
}
