/* SPDX-License-Identifier: Apache-2.0 */
/* tun-route.c - routes with an MTU, which the ioctl() of route(8) cannot set: rtnetlink */
#include "devemu/hipersockets/tun.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "lfp/rtnetlink.h"

static void fill(struct lfp_rtnetlink *request, const struct tun_route *route, uint32_t interface)
{
	const uint32_t destination = htonl(route->destination), hop = htonl(route->hop);

	lfp_rtnetlink_begin(request, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL,
			    sizeof(request->body.route));
	request->body.route = (struct rtmsg){
		.rtm_family = AF_INET,
		.rtm_dst_len = (unsigned char)__builtin_popcount(route->mask),
		.rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_BOOT,
		.rtm_scope = route->hop ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK,
		.rtm_type = RTN_UNICAST,
	};
	lfp_rtnetlink_add(request, RTA_DST, &destination, sizeof(destination));
	lfp_rtnetlink_add(request, RTA_OIF, &interface, sizeof(interface));
	if (route->hop)
		lfp_rtnetlink_add(request, RTA_GATEWAY, &hop, sizeof(hop));
	if (route->metric)
		lfp_rtnetlink_add(request, RTA_PRIORITY, &route->metric, sizeof(route->metric));
	if (route->mtu) {
		const struct {
			struct rtattr head;
			uint32_t mtu;
		} metrics = {{sizeof(metrics), RTAX_MTU}, route->mtu};

		lfp_rtnetlink_add(request, RTA_METRICS, &metrics, sizeof(metrics));
	}
}

int tun_add_route(const struct tun_route *route, struct tun_error *error)
{
	const uint32_t interface = if_nametoindex(route->interface);
	const struct in_addr destination = {htonl(route->destination)};
	char text[INET_ADDRSTRLEN];
	struct lfp_rtnetlink request;
	int rc = interface ? 0 : -errno;

	if (rc == 0) {
		fill(&request, route, interface);
		rc = lfp_rtnetlink_ask(&request);
	}
	if (rc < 0)
		snprintf(error->what, sizeof(error->what), "the route to %s over %s",
			 inet_ntop(AF_INET, &destination, text, sizeof(text)), route->interface);
	return rc;
}
