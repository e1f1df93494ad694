/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c - which rule applies to a packet */
#include "devemu/ipsec/policy.h"

#include <stdlib.h>
#include <string.h>

static bool in_prefix(const struct policy_prefix *prefix, const struct ip_addr *addr)
{
	const unsigned int bytes = prefix->bits / 8, rest = prefix->bits % 8;

	if (!prefix->addr.version)
		return true;
	if (prefix->addr.version != addr->version || memcmp(prefix->addr.bytes, addr->bytes, bytes))
		return false;
	return !rest || !((prefix->addr.bytes[bytes] ^ addr->bytes[bytes]) >> (8 - rest));
}

static bool all_ports(const struct policy_ports *ports)
{
	return ports->from == 0 && ports->to == UINT16_MAX;
}

static bool in_ports(const struct policy_ports *ports, bool known, uint16_t port)
{
	return all_ports(ports) || (known && port >= ports->from && port <= ports->to);
}

static bool matches(const struct policy_rule *rule, const struct ip_packet *ip, bool inbound)
{
	const struct ip_addr *local = inbound ? &ip->dst : &ip->src;
	const struct ip_addr *remote = inbound ? &ip->src : &ip->dst;

	return (inbound ? rule->inbound : rule->outbound) && in_prefix(&rule->src, local) &&
	       in_prefix(&rule->dst, remote) &&
	       (rule->any_protocol || rule->protocol == ip->protocol) &&
	       in_ports(&rule->src_port, ip->has_ports, inbound ? ip->dst_port : ip->src_port) &&
	       in_ports(&rule->dst_port, ip->has_ports, inbound ? ip->src_port : ip->dst_port);
}

const struct policy_rule *policy_match(const struct policy *policy, const struct ip_packet *ip,
				       bool inbound)
{
	for (unsigned int i = 0; i < policy->rules; i++)
		if (matches(&policy->rule[i], ip, inbound))
			return &policy->rule[i];
	return NULL;
}

void policy_destroy(struct policy *policy)
{
	if (!policy)
		return;
	explicit_bzero(policy, sizeof(*policy));
	free(policy);
}
