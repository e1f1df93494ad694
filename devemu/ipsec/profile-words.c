/* SPDX-License-Identifier: Apache-2.0 */
/* profile-words.c - the words of a file with rules and keys */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "devemu/ipsec/profile-inner.h"
#include "lfp/number.h"

static int needs(struct profile *profile, unsigned int values)
{
	if (profile->words == values + 1)
		return 0;
	return profile_fail(profile, values == 1 ? "needs one value" : "needs %u values", values);
}

static int name_of(struct profile *profile, const char *word, char to[SA_NAME_MAX])
{
	if (strlen(word) >= SA_NAME_MAX)
		return profile_fail(profile, "a name has at most %d characters", SA_NAME_MAX - 1);
	strcpy(to, word);
	return 0;
}

static int yes_no(struct profile *profile, bool *value)
{
	if (needs(profile, 1) < 0)
		return -EINVAL;
	if (!strcasecmp(profile->word[1], "Yes"))
		*value = true;
	else if (!strcasecmp(profile->word[1], "No"))
		*value = false;
	else
		return profile_fail(profile, "'%s' is neither Yes nor No", profile->word[1]);
	return 0;
}

static int number(struct profile *profile, unsigned long min, unsigned long max,
		  unsigned long *value)
{
	if (needs(profile, 1) < 0)
		return -EINVAL;
	if (lfp_number(profile->word[1], min, max, value) < 0)
		return profile_fail(profile, "'%s' is not a number from %lu to %lu",
				    profile->word[1], min, max);
	return 0;
}

static int begin(struct profile *profile, enum profile_block block)
{
	profile->block[++profile->depth] = block;
	profile->opening = true;
	return 0;
}

static int filter_policy(struct profile *profile)
{
	if (needs(profile, 0) < 0)
		return -EINVAL;
	return begin(profile, BLOCK_POLICY);
}

static int rule(struct profile *profile)
{
	struct policy *policy = profile->policy;
	struct policy_rule *made = &policy->rule[policy->rules];

	if (needs(profile, 1) < 0)
		return -EINVAL;
	if (policy->rules == POLICY_RULES_MAX)
		return profile_fail(profile, "more than %d rules", POLICY_RULES_MAX);
	*made = (struct policy_rule){
		.any_protocol = true,
		.src_port = {0, UINT16_MAX},
		.dst_port = {0, UINT16_MAX},
		.inbound = true,
		.outbound = true,
		.line = profile->nr,
	};
	if (name_of(profile, profile->word[1], made->name) < 0)
		return -EINVAL;
	policy->rules++;
	profile->rule = made;
	return begin(profile, BLOCK_RULE);
}

static int action(struct profile *profile)
{
	struct policy *policy = profile->policy;
	struct policy_action *made = &policy->action[policy->actions];

	if (needs(profile, 1) < 0)
		return -EINVAL;
	if (policy->actions == POLICY_ACTIONS_MAX)
		return profile_fail(profile, "more than %d actions", POLICY_ACTIONS_MAX);
	for (unsigned int i = 0; i < policy->actions; i++)
		if (!strcmp(policy->action[i].name, profile->word[1]))
			return profile_fail(profile, "'%s' appears twice", profile->word[1]);
	*made = (struct policy_action){.active = true, .mtu = POLICY_MTU, .line = profile->nr};
	if (name_of(profile, profile->word[1], made->name) < 0)
		return -EINVAL;
	policy->actions++;
	profile->action = made;
	memset(&profile->pending, 0, sizeof(profile->pending));
	profile->pending.common.pass_dscp = true;
	profile->pending.common.window = 64;
	profile->pending.generations = 1;
	return begin(profile, BLOCK_ACTION);
}

static int weak(struct profile *profile)
{
	return yes_no(profile, &profile->weak);
}

static int prefix(struct profile *profile, struct policy_prefix *to, bool set)
{
	char *slash;
	unsigned long bits;

	if (needs(profile, 1) < 0)
		return -EINVAL;
	if (!strcasecmp(profile->word[1], "All") || !strcasecmp(profile->word[1], "Any"))
		return 0;
	slash = strchr(profile->word[1], '/');
	if (!slash == set)
		return profile_fail(profile, set ? "needs an address, '/' and a number of bits"
						 : "takes one address; IpSourceAddrSet and "
						   "IpDestAddrSet take prefixes");
	if (slash)
		*slash = '\0';
	if (ip_addr_read(&to->addr, profile->word[1]) < 0)
		return profile_fail(profile, "'%s' is not an address", profile->word[1]);
	bits = to->addr.version == 4 ? 32 : 128;
	if (slash && lfp_number(slash + 1, 0, bits, &bits) < 0)
		return profile_fail(profile, "'%s' is not a number of bits", slash + 1);
	to->bits = (unsigned int)bits;
	return 0;
}

static int source(struct profile *profile)
{
	return prefix(profile, &profile->rule->src, false);
}

static int source_set(struct profile *profile)
{
	return prefix(profile, &profile->rule->src, true);
}

static int dest(struct profile *profile)
{
	return prefix(profile, &profile->rule->dst, false);
}

static int dest_set(struct profile *profile)
{
	return prefix(profile, &profile->rule->dst, true);
}

static int service(struct profile *profile)
{
	return begin(profile, BLOCK_SERVICE);
}

static int filter(struct profile *profile)
{
	return begin(profile, BLOCK_FILTER);
}

static int reference(struct profile *profile)
{
	if (needs(profile, 1) < 0)
		return -EINVAL;
	return name_of(profile, profile->word[1], profile->reference[profile->policy->rules - 1]);
}

static int protocol(struct profile *profile)
{
	static const struct {
		const char *name;
		uint8_t number;
	} known[] = {{"TCP", PROTO_TCP},
		     {"UDP", PROTO_UDP},
		     {"ICMP", PROTO_ICMP},
		     {"ICMPv6", PROTO_ICMPV6}};
	unsigned long value;

	if (needs(profile, 1) < 0)
		return -EINVAL;
	profile->rule->any_protocol = !strcasecmp(profile->word[1], "All");
	if (profile->rule->any_protocol)
		return 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcasecmp(profile->word[1], known[i].name)) {
			profile->rule->protocol = known[i].number;
			return 0;
		}
	if (lfp_number(profile->word[1], 0, 255, &value) < 0)
		return profile_fail(profile, "'%s' is not a protocol", profile->word[1]);
	profile->rule->protocol = (uint8_t)value;
	return 0;
}

static int ports(struct profile *profile, struct policy_ports *to)
{
	unsigned long from, last;

	if (profile->words == 3) {
		if (lfp_number(profile->word[1], 0, UINT16_MAX, &from) < 0 ||
		    lfp_number(profile->word[2], from, UINT16_MAX, &last) < 0)
			return profile_fail(profile,
					    "needs one port, or the first and the last one");
	} else {
		if (number(profile, 0, UINT16_MAX, &from) < 0)
			return -EINVAL;
		last = from ? from : UINT16_MAX; /* 0: all of them */
	}
	*to = (struct policy_ports){(uint16_t)from, (uint16_t)last};
	return 0;
}

static int source_ports(struct profile *profile)
{
	return ports(profile, &profile->rule->src_port);
}

static int dest_ports(struct profile *profile)
{
	return ports(profile, &profile->rule->dst_port);
}

static int direction(struct profile *profile)
{
	if (needs(profile, 1) < 0)
		return -EINVAL;
	profile->rule->inbound = strcasecmp(profile->word[1], "Outbound") != 0;
	profile->rule->outbound = strcasecmp(profile->word[1], "Inbound") != 0;
	if (profile->rule->inbound && profile->rule->outbound &&
	    strcasecmp(profile->word[1], "BiDirectional"))
		return profile_fail(profile, "'%s' is none of BiDirectional, Inbound, Outbound",
				    profile->word[1]);
	return 0;
}

static int verdict(struct profile *profile)
{
	static const char *const names[] = {
		[POLICY_DENY] = "Deny", [POLICY_PERMIT] = "Permit", [POLICY_IPSEC] = "IpSec"};

	if (needs(profile, 1) < 0)
		return -EINVAL;
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(profile->word[1], names[i])) {
			profile->rule->verdict = (enum policy_verdict)i;
			return 0;
		}
	return profile_fail(profile, "'%s' is none of Permit, Deny, IpSec", profile->word[1]);
}

static int active(struct profile *profile)
{
	return yes_no(profile, &profile->action->active);
}

static int endpoint(struct profile *profile, struct ip_addr *to)
{
	if (needs(profile, 1) < 0)
		return -EINVAL;
	if (ip_addr_read(to, profile->word[1]) < 0)
		return profile_fail(profile, "'%s' is not an address", profile->word[1]);
	return 0;
}

static int local(struct profile *profile)
{
	return endpoint(profile, &profile->pending.local);
}

static int remote(struct profile *profile)
{
	return endpoint(profile, &profile->pending.remote);
}

static int df(struct profile *profile)
{
	const char *value = profile->words > 1 ? profile->word[1] : "";
	const char *more = profile->words > 2 ? profile->word[2] : "";

	if (!strcasecmp(value, "Yes") && !*more)
		profile->pending.common.df = SA_DF_COPY;
	else if (!strcasecmp(value, "No") && (!*more || !strcasecmp(more, "Clear")))
		profile->pending.common.df = SA_DF_CLEAR;
	else if (!strcasecmp(value, "No") && !strcasecmp(more, "Set"))
		profile->pending.common.df = SA_DF_SET;
	else
		return profile_fail(profile, "needs Yes, No Clear or No Set");
	return 0;
}

static int dscp(struct profile *profile)
{
	return yes_no(profile, &profile->pending.common.pass_dscp);
}

static int encap(struct profile *profile)
{
	if (needs(profile, 1) < 0)
		return -EINVAL;
	if (!strcasecmp(profile->word[1], "Tunnel"))
		profile->pending.common.mode = SA_TUNNEL;
	else if (!strcasecmp(profile->word[1], "Transport"))
		profile->pending.common.mode = SA_TRANSPORT;
	else
		return profile_fail(profile, "'%s' is neither Tunnel nor Transport",
				    profile->word[1]);
	return 0;
}

static int auth_in(struct profile *profile)
{
	return profile_key(profile, KEY_AUTH_IN);
}

static int auth_out(struct profile *profile)
{
	return profile_key(profile, KEY_AUTH_OUT);
}

static int encrypt_in(struct profile *profile)
{
	return profile_key(profile, KEY_ENCRYPT_IN);
}

static int encrypt_out(struct profile *profile)
{
	return profile_key(profile, KEY_ENCRYPT_OUT);
}

static int replacement(struct profile *profile)
{
	if (profile->pending.generations == POLICY_GENERATIONS_MAX)
		return profile_fail(profile, "more than %d in one action",
				    POLICY_GENERATIONS_MAX - 1);
	profile->pending.generations++;
	return begin(profile, BLOCK_REPLACEMENT);
}

static int udp(struct profile *profile)
{
	unsigned long port;

	if (number(profile, 1, UINT16_MAX, &port) < 0)
		return -EINVAL;
	profile->pending.common.udp_port = (uint16_t)port;
	return 0;
}

static int window(struct profile *profile)
{
	unsigned long size;

	if (number(profile, 0, REPLAY_MAX, &size) < 0)
		return -EINVAL;
	profile->pending.common.window = (unsigned int)size;
	return 0;
}

static int extended(struct profile *profile)
{
	return yes_no(profile, &profile->pending.common.extended);
}

static int mtu(struct profile *profile)
{
	unsigned long size;

	if (number(profile, 576, IP_PACKET_MAX, &size) < 0)
		return -EINVAL;
	profile->action->mtu = (unsigned int)size;
	return 0;
}

static int life_time(struct profile *profile)
{
	unsigned long minutes;

	if (number(profile, 1, UINT32_MAX, &minutes) < 0)
		return -EINVAL;
	profile->pending.common.life_seconds = 60 * (uint64_t)minutes;
	return 0;
}

static int life_size(struct profile *profile)
{
	unsigned long kilobytes;

	if (number(profile, 1, UINT32_MAX, &kilobytes) < 0)
		return -EINVAL;
	profile->pending.common.life_bytes = 1024 * (uint64_t)kilobytes;
	return 0;
}

/*
 * The words of each block. IBM's, in z/OS Communications Server: IP Configuration Reference:
 * IpFilterPolicy, IpFilterRule, IpSourceAddr(Set), IpDestAddr(Set), IpService with its words,
 * IpGenericFilterAction, IpManVpnAction with Active, the addresses of endpoints, PassthroughDF,
 * PassthroughDSCP, HowToEncap. The attributes with keys, HowToAuth and HowToEncrypt have IBM's
 * names; their values are arranged as we chose. The others are ours.
 */
static const struct {
	enum profile_block block;
	const char *word;
	int (*take)(struct profile *profile);
} words[] = {
	{BLOCK_TOP, "IpFilterPolicy", filter_policy},
	{BLOCK_TOP, "IpFilterRule", rule},
	{BLOCK_TOP, "IpManVpnAction", action},
	{BLOCK_TOP, "AllowWeak", weak}, /* ours */
	{BLOCK_POLICY, "IpFilterRule", rule},
	{BLOCK_RULE, "IpSourceAddr", source},
	{BLOCK_RULE, "IpSourceAddrSet", source_set},
	{BLOCK_RULE, "IpDestAddr", dest},
	{BLOCK_RULE, "IpDestAddrSet", dest_set},
	{BLOCK_RULE, "IpService", service},
	{BLOCK_RULE, "IpGenericFilterAction", filter},
	{BLOCK_RULE, "IpManVpnActionRef", reference},
	{BLOCK_SERVICE, "Protocol", protocol},
	{BLOCK_SERVICE, "SourcePortRange", source_ports},
	{BLOCK_SERVICE, "DestinationPortRange", dest_ports},
	{BLOCK_SERVICE, "Direction", direction},
	{BLOCK_FILTER, "IpFilterAction", verdict},
	{BLOCK_ACTION, "Active", active},
	{BLOCK_ACTION, "LocalSecurityEndpointAddr", local},
	{BLOCK_ACTION, "RemoteSecurityEndpointAddr", remote},
	{BLOCK_ACTION, "PassthroughDF", df},
	{BLOCK_ACTION, "PassthroughDSCP", dscp},
	{BLOCK_ACTION, "HowToEncap", encap},
	{BLOCK_ACTION, "HowToAuth", profile_auth},
	{BLOCK_ACTION, "HowToEncrypt", profile_encrypt},
	{BLOCK_ACTION, "AuthInboundSa", auth_in},
	{BLOCK_ACTION, "AuthOutboundSa", auth_out},
	{BLOCK_ACTION, "EncryptInboundSa", encrypt_in},
	{BLOCK_ACTION, "EncryptOutboundSa", encrypt_out},
	{BLOCK_ACTION, "Replacement", replacement}, /* ours, as the rest of this block */
	{BLOCK_ACTION, "UdpEncapPort", udp},
	{BLOCK_ACTION, "ReplayWindow", window},
	{BLOCK_ACTION, "ExtendedSequence", extended},
	{BLOCK_ACTION, "PathMtu", mtu},
	{BLOCK_ACTION, "SaLifetime", life_time},
	{BLOCK_ACTION, "SaLifesize", life_size},
	{BLOCK_REPLACEMENT, "AuthInboundSa", auth_in},
	{BLOCK_REPLACEMENT, "AuthOutboundSa", auth_out},
	{BLOCK_REPLACEMENT, "EncryptInboundSa", encrypt_in},
	{BLOCK_REPLACEMENT, "EncryptOutboundSa", encrypt_out},
};

int profile_take(struct profile *profile)
{
	const enum profile_block block = profile->block[profile->depth];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].block == block && !strcasecmp(words[i].word, profile->word[0]))
			return words[i].take(profile);
	return profile_fail(profile, "is not known here");
}

int profile_close(struct profile *profile)
{
	switch (profile->block[profile->depth--]) {
	case BLOCK_ACTION:
		return profile_action_done(profile);
	default:
		return 0;
	}
}
