/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h - rules for the protection of packets, and the keys */
#ifndef DEVEMU_IPSEC_POLICY_H
#define DEVEMU_IPSEC_POLICY_H

#include "devemu/ipsec/sa.h"

enum {
	POLICY_RULES_MAX = 128,
	POLICY_ACTIONS_MAX = 32,
	POLICY_GENERATIONS_MAX = 8,
	POLICY_MTU = 1500, /* of the path, unless the action says otherwise */
	POLICY_SPI_MIN = 256,
};

/* All addresses if @addr.version is 0. */
struct policy_prefix {
	struct ip_addr addr;
	unsigned int bits;
};

struct policy_ports {
	uint16_t from, to;
};

enum policy_verdict { POLICY_DENY, POLICY_PERMIT, POLICY_IPSEC };

/* Addresses are as seen from this host: the source is local. For a received packet, it is the
 * packet's destination. */
struct policy_rule {
	char name[SA_NAME_MAX];
	struct policy_prefix src, dst;
	bool any_protocol;
	uint8_t protocol;
	struct policy_ports src_port, dst_port;
	bool inbound, outbound;
	enum policy_verdict verdict;
	unsigned int action; /* with POLICY_IPSEC: place of its action */
	int line;
};

/* An IpManVpnAction: one SA each way, and those that replace them, in their order. With AH around
 * ESP, @in and @out are ESP's, and each generation has an SA of AH in transport mode, too. */
struct policy_action {
	char name[SA_NAME_MAX];
	bool active;
	bool around; /* AH around ESP */
	unsigned int mtu;
	unsigned int generations;
	struct sa_config in[POLICY_GENERATIONS_MAX], out[POLICY_GENERATIONS_MAX];
	struct sa_config ah_in[POLICY_GENERATIONS_MAX], ah_out[POLICY_GENERATIONS_MAX];
	int line;
};

struct policy {
	struct policy_rule rule[POLICY_RULES_MAX];
	struct policy_action action[POLICY_ACTIONS_MAX];
	unsigned int rules, actions;
};

/* Returns the first rule that applies to a packet, or NULL: the packet is denied. Only rules
 * without ports apply to a later fragment, because it has no ports. */
const struct policy_rule *policy_match(const struct policy *policy, const struct ip_packet *ip,
				       bool inbound);

/* Wipes the keys and frees @policy. */
void policy_destroy(struct policy *policy);

#endif
