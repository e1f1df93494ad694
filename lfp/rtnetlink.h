/* SPDX-License-Identifier: Apache-2.0 */
/* rtnetlink.h - requests to the kernel about links, addresses and routes: rtnetlink(7) */
#ifndef LFP_RTNETLINK_H
#define LFP_RTNETLINK_H

#include <stddef.h>
#include <stdint.h>

#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

struct lfp_rtnetlink {
	struct nlmsghdr head;
	union {
		struct ifaddrmsg addr;
		struct rtmsg route;
		struct ifinfomsg link;
	} body;
	uint8_t attributes[128];
};

/* Begins a request of that type (RTM_*) with a body of so many bytes, which is zero. @flags:
 * NLM_F_* beside NLM_F_REQUEST and NLM_F_ACK. */
void lfp_rtnetlink_begin(struct lfp_rtnetlink *msg, uint16_t type, uint16_t flags, size_t body);

/* Appends an attribute. All attributes of a request, with their heads, take at most 128 bytes. */
void lfp_rtnetlink_add(struct lfp_rtnetlink *msg, uint16_t type, const void *data, size_t len);

/* Sends the request, and waits for the kernel's answer. Returns 0 or a negative errno. */
int lfp_rtnetlink_ask(const struct lfp_rtnetlink *msg);

#endif
