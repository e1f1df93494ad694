/* SPDX-License-Identifier: Apache-2.0 */
/* tun-route.c - routes with an MTU, which the ioctl() of route(8) cannot set: rtnetlink */
#include "devemu/hipersockets/tun.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

struct request {
	struct nlmsghdr head;
	struct rtmsg route;
	char attributes[128];
};

/* The attributes of a route take less than half of the room. */
static void add(struct request *request, unsigned short type, const void *data, size_t size)
{
	struct rtattr *attribute =
		(struct rtattr *)(void *)((char *)request + NLMSG_ALIGN(request->head.nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = (unsigned short)RTA_LENGTH(size);
	memcpy(RTA_DATA(attribute), data, size);
	request->head.nlmsg_len =
		NLMSG_ALIGN(request->head.nlmsg_len) + (unsigned int)RTA_ALIGN(attribute->rta_len);
}

static void fill(struct request *request, const struct tun_route *route, uint32_t interface)
{
	const uint32_t destination = htonl(route->destination), hop = htonl(route->hop);

	*request = (struct request){
		.head = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
			 .nlmsg_type = RTM_NEWROUTE,
			 .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL},
		.route = {.rtm_family = AF_INET,
			  .rtm_dst_len = (unsigned char)__builtin_popcount(route->mask),
			  .rtm_table = RT_TABLE_MAIN,
			  .rtm_protocol = RTPROT_BOOT,
			  .rtm_scope = route->hop ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK,
			  .rtm_type = RTN_UNICAST},
	};
	add(request, RTA_DST, &destination, sizeof(destination));
	add(request, RTA_OIF, &interface, sizeof(interface));
	if (route->hop)
		add(request, RTA_GATEWAY, &hop, sizeof(hop));
	if (route->metric)
		add(request, RTA_PRIORITY, &route->metric, sizeof(route->metric));
	if (route->mtu) {
		const struct {
			struct rtattr head;
			uint32_t mtu;
		} metrics = {{sizeof(metrics), RTAX_MTU}, route->mtu};

		add(request, RTA_METRICS, &metrics, sizeof(metrics));
	}
}

/* Sends the request and reads its answer. */
static int ask(struct request *request)
{
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[256]; /* the request once more */
	} answer;
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	ssize_t got;
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (send(fd, request, request->head.nlmsg_len, 0) < 0)
		rc = -errno;
	got = rc < 0 ? 0 : recv(fd, &answer, sizeof(answer), 0);
	if (got < 0)
		rc = -errno;
	close(fd);
	if (rc < 0)
		return rc;
	if ((size_t)got < sizeof(answer.head) + sizeof(answer.error) ||
	    answer.head.nlmsg_type != NLMSG_ERROR)
		return -EPROTO;
	return answer.error.error;
}

int tun_add_route(const struct tun_route *route, struct tun_error *error)
{
	const uint32_t interface = if_nametoindex(route->interface);
	const struct in_addr destination = {htonl(route->destination)};
	char text[INET_ADDRSTRLEN];
	struct request request;
	int rc = interface ? 0 : -errno;

	if (rc == 0) {
		fill(&request, route, interface);
		rc = ask(&request);
	}
	if (rc < 0)
		snprintf(error->what, sizeof(error->what), "the route to %s over %s",
			 inet_ntop(AF_INET, &destination, text, sizeof(text)), route->interface);
	return rc;
}
