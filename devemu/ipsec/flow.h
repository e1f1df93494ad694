/* SPDX-License-Identifier: Apache-2.0 */
/* flow.h - decides which work is eligible for zIIPs
 *
 * IBM's presentation of the function (z/OS V1R9) says: with GLOBALCONFIG ZIIP IPSECURITY
 *	- inbound ESP and AH is processed on zIIPs;
 *	- outbound ESP and AH may be, if the application that invokes send() runs on a zIIP, or if
 *	  the data is sent in response to normal TCP flow control, such as a received
 *	  acknowledgement or window update.
 *
 * A packet shows neither. Here the local port identifies a program on a zIIP. For TCP flow control
 * each flow has a credit. A received acknowledgement adds the bytes that it acknowledges, a window
 * update the bytes by which the window grows. Data that leaves within FLOW_RESPONSE_NS of the last
 * of these uses the credit, and is eligible while there is credit left. Packets without data are
 * not eligible.
 */
#ifndef DEVEMU_IPSEC_FLOW_H
#define DEVEMU_IPSEC_FLOW_H

#include "devemu/ipsec/policy.h"

#define FLOW_RESPONSE_NS UINT64_C(100000000)

enum { FLOW_PORTS_MAX = 16 };

struct flow_config {
	bool ziip; /* GLOBALCONFIG ZIIP IPSECURITY; without it nothing is eligible */
	unsigned int ports;
	struct policy_ports port[FLOW_PORTS_MAX]; /* local ports of programs that run on zIIPs */
};

struct flows;

/* Several threads may use it. NULL with errno ENOMEM. */
struct flows *flows_create(const struct flow_config *config);
void flows_destroy(struct flows *flows);

/* Takes note of a received packet after it was opened. */
void flows_received(struct flows *flows, const uint8_t *packet, size_t len, uint64_t now_ns);

/* Returns whether a packet that leaves is eligible. */
bool flows_outbound(struct flows *flows, const struct ip_packet *ip, const uint8_t *packet,
		    uint64_t now_ns);
/* Returns whether a received packet is eligible. */
bool flows_inbound(const struct flows *flows);

#endif
