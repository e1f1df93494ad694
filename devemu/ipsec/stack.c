/* SPDX-License-Identifier: Apache-2.0 */
/* stack.c - rules and SAs at work */
#include "devemu/ipsec/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/ipsec/ah.h"
#include "devemu/ipsec/fragment.h"
#include "devemu/ipsec/icmp.h"
#include "devemu/ipsec/wrap.h"
#include "lfp/bigend.h"

enum { TABLE = 1024, MTU_MIN_4 = 576, MTU_MIN_6 = 1280 };

struct action {
	struct sa *in[POLICY_GENERATIONS_MAX], *out[POLICY_GENERATIONS_MAX];
	/* AH around these, or NULL. */
	struct sa *ah_in[POLICY_GENERATIONS_MAX], *ah_out[POLICY_GENERATIONS_MAX];
	atomic_uint current; /* generation that packets leave with */
};

struct stack {
	const struct policy *policy;
	struct action action[POLICY_ACTIONS_MAX];
	struct {
		struct sa *sa, *inside; /* ESP inside AH */
		unsigned int action;
	} table[TABLE]; /* inbound SAs by SPI, open addressing; never more than half full */
	struct reassembly *reassembly;
	atomic_uint_fast64_t drop[DROP_REASONS];
};

static void enter(struct stack *stack, struct sa *sa, struct sa *inside, unsigned int action)
{
	unsigned int at = sa->config.spi % TABLE;

	while (stack->table[at].sa)
		at = (at + 1) % TABLE;
	stack->table[at].sa = sa;
	stack->table[at].inside = inside;
	stack->table[at].action = action;
}

static int fill(struct stack *stack, unsigned int nr, unsigned int threads)
{
	const struct policy_action *from = &stack->policy->action[nr];
	struct action *to = &stack->action[nr];

	for (unsigned int g = 0; g < from->generations; g++) {
		to->in[g] = sa_create(&from->in[g], threads, from->mtu);
		to->out[g] = sa_create(&from->out[g], threads, from->mtu);
		if (!to->in[g] || !to->out[g])
			return -errno;
		if (from->around) {
			to->ah_in[g] = sa_create(&from->ah_in[g], threads, from->mtu);
			to->ah_out[g] = sa_create(&from->ah_out[g], threads, from->mtu);
			if (!to->ah_in[g] || !to->ah_out[g])
				return -errno;
		}
		if (from->active && from->around)
			enter(stack, to->ah_in[g], to->in[g], nr);
		else if (from->active)
			enter(stack, to->in[g], NULL, nr);
	}
	return 0;
}

struct stack *stack_create(const struct policy *policy, unsigned int threads)
{
	struct stack *stack = calloc(1, sizeof(*stack));
	int rc = 0;

	if (!stack)
		return NULL;
	stack->policy = policy;
	stack->reassembly = reassembly_create();
	if (!stack->reassembly)
		rc = -ENOMEM;
	for (unsigned int i = 0; rc == 0 && i < policy->actions; i++)
		rc = fill(stack, i, threads);
	if (rc == 0)
		return stack;
	stack_destroy(stack);
	errno = -rc;
	return NULL;
}

void stack_destroy(struct stack *stack)
{
	if (!stack)
		return;
	for (unsigned int i = 0; i < POLICY_ACTIONS_MAX; i++)
		for (unsigned int g = 0; g < POLICY_GENERATIONS_MAX; g++) {
			sa_destroy(stack->action[i].in[g]);
			sa_destroy(stack->action[i].out[g]);
			sa_destroy(stack->action[i].ah_in[g]);
			sa_destroy(stack->action[i].ah_out[g]);
		}
	reassembly_destroy(stack->reassembly);
	free(stack);
}

void stack_count_drop(struct stack *stack, int reason)
{
	if (reason < 0)
		atomic_fetch_add(&stack->drop[-reason], 1);
}

uint64_t stack_drops(const struct stack *stack, enum ipsec_drop reason)
{
	return atomic_load(&stack->drop[reason]);
}

unsigned int stack_mtu(const struct work *work)
{
	return work->sa ? atomic_load(&work->sa->mtu) : IP_PACKET_MAX;
}

/* Returns the size of a packet like @ip on the path. */
static size_t wrapped(const struct sa *sa, const struct sa *ah, const struct ip_packet *ip)
{
	return sa_wrapped(&sa->config, ip) +
	       (ah ? ah_len(ah->config.algorithms.auth, ah->config.dst.version) : 0);
}

/* Sets the SA to send with, its AH and their numbers. Returns false if the last generation is
 * over. */
static bool number_it(struct stack *stack, unsigned int nr, uint64_t now_ns, struct work *work)
{
	const struct policy_action *from = &stack->policy->action[nr];
	struct action *action = &stack->action[nr];

	for (unsigned int g = action->current; g < from->generations; g++) {
		work->sa = action->out[g];
		work->ah = action->ah_out[g];
		work->number = sa_number(work->sa, work->ip.len, now_ns);
		if (work->number && work->ah)
			work->ah_number = sa_number(
				work->ah, sa_wrapped(&work->sa->config, &work->ip), now_ns);
		if (work->number && (!work->ah || work->ah_number))
			return true;
		atomic_store(&action->current, g + 1);
	}
	return false;
}

/* Most bytes of an inner packet like @ip whose outer one fits. */
static unsigned int inner_mtu(const struct sa *sa, const struct sa *ah, const struct ip_packet *ip,
			      unsigned int mtu)
{
	struct ip_packet smaller = *ip;

	for (smaller.len = mtu; smaller.len > ip->insert; smaller.len--)
		if (wrapped(sa, ah, &smaller) <= mtu)
			break;
	return (unsigned int)smaller.len;
}

/* The outer packet may be cut, unless the sender of the inner one wants to hear of the path's MTU.
 * Packets of 1,280 bytes always get through IPv6. */
static int check_size(const struct sa *sa, const struct sa *ah, const struct ip_packet *ip,
		      unsigned int *mtu)
{
	const unsigned int most = atomic_load(&sa->mtu);

	if (wrapped(sa, ah, ip) <= most)
		return 0;
	if (ip->version == 4 && !ip->df && sa->config.df != SA_DF_SET)
		return 0;
	*mtu = inner_mtu(sa, ah, ip, most);
	if (ip->version == 6 && *mtu < MTU_MIN_6) {
		*mtu = MTU_MIN_6;
		return ip->len <= MTU_MIN_6 && sa->config.mode == SA_TUNNEL ? 0 : -DROP_TOO_BIG;
	}
	return -DROP_TOO_BIG;
}

static int protect(struct stack *stack, unsigned int nr, uint64_t now_ns, struct work *work,
		   unsigned int *mtu)
{
	const struct policy_action *action = &stack->policy->action[nr];
	const struct action *here = &stack->action[nr];
	int rc;

	if (!action->active)
		return -DROP_NO_SA;
	if (action->out[0].mode == SA_TRANSPORT &&
	    (!ip_addr_same(&work->ip.src, &action->out[0].src) ||
	     !ip_addr_same(&work->ip.dst, &action->out[0].dst)))
		return -DROP_POLICY;
	if (here->current < action->generations) {
		rc = check_size(here->out[here->current], here->ah_out[here->current], &work->ip,
				mtu);
		if (rc < 0)
			return rc;
	}
	work->kind = WORK_SEAL;
	work->action = nr;
	return number_it(stack, nr, now_ns, work) ? 1 : -DROP_EXPIRED;
}

static int decide_out(struct stack *stack, const uint8_t **packet, size_t len, uint64_t now_ns,
		      struct work *work, unsigned int *mtu)
{
	const struct policy_rule *rule;
	int rc = ip_parse(&work->ip, *packet, len);

	if (rc < 0)
		return rc;
	if (work->ip.fragment) {
		rc = reassembly_take(stack->reassembly, &work->ip, *packet, now_ns, packet);
		if (rc <= 0)
			return rc;
		rc = ip_parse(&work->ip, *packet, (size_t)rc);
		if (rc < 0)
			return rc;
	}
	rule = policy_match(stack->policy, &work->ip, false);
	if (!rule || rule->verdict == POLICY_DENY)
		return rule ? -DROP_DENIED : -DROP_POLICY;
	if (rule->verdict == POLICY_PERMIT) {
		work->kind = WORK_CLEAR;
		return 1;
	}
	return protect(stack, rule->action, now_ns, work, mtu);
}

int stack_out(struct stack *stack, const uint8_t **packet, size_t len, uint64_t now_ns,
	      struct work *work, unsigned int *mtu)
{
	int rc;

	memset(work, 0, sizeof(*work));
	rc = decide_out(stack, packet, len, now_ns, work, mtu);
	stack_count_drop(stack, rc);
	return rc;
}

static int find(struct stack *stack, struct work *work, uint32_t spi, bool ah, uint16_t udp_port)
{
	for (unsigned int at = spi % TABLE; stack->table[at].sa; at = (at + 1) % TABLE) {
		struct sa *sa = stack->table[at].sa;

		if (sa->config.spi != spi || sa->config.ah != ah ||
		    sa->config.udp_port != udp_port ||
		    !ip_addr_same(&sa->config.dst, &work->ip.dst) ||
		    !ip_addr_same(&sa->config.src, &work->ip.src))
			continue;
		work->kind = WORK_OPEN;
		work->sa = stack->table[at].inside ? stack->table[at].inside : sa;
		work->ah = stack->table[at].inside ? sa : NULL;
		work->action = stack->table[at].action;
		return 1;
	}
	return -DROP_UNKNOWN_SPI;
}

static int decide_in(struct stack *stack, const uint8_t *packet, size_t len, struct work *work)
{
	struct ip_packet *ip = &work->ip;
	uint16_t udp_port = 0;
	int rc = ip_parse(ip, packet, len);

	if (rc < 0)
		return rc;
	/* The kernel puts fragments together. */
	if (ip->fragment)
		return -DROP_HEADER;
	work->at = ip->upper;
	if (ip->protocol == PROTO_UDP) {
		if (!ip->has_ports || ip->len - ip->upper < UDP_HEADER)
			return -DROP_SHORT;
		udp_port = ip->dst_port;
		work->at += UDP_HEADER;
	} else if (ip->protocol != PROTO_ESP && ip->protocol != PROTO_AH) {
		return -DROP_HEADER;
	}
	if (ip->len - work->at < (ip->protocol == PROTO_AH ? AH_HEADER : ESP_HEADER))
		return -DROP_SHORT;
	return find(stack, work, be32_get(packet + work->at + (ip->protocol == PROTO_AH ? 4 : 0)),
		    ip->protocol == PROTO_AH, udp_port);
}

int stack_in(struct stack *stack, const uint8_t *packet, size_t len, struct work *work)
{
	int rc;

	memset(work, 0, sizeof(*work));
	rc = decide_in(stack, packet, len, work);
	stack_count_drop(stack, rc);
	return rc;
}

/* The rules must send such a packet through this SA's action. */
static int check_inner(const struct stack *stack, const struct work *work, const uint8_t *packet,
		       size_t len)
{
	const struct policy_rule *rule;
	struct ip_packet ip;
	int rc = ip_parse(&ip, packet, len);

	if (rc == 0) {
		rule = policy_match(stack->policy, &ip, true);
		if (!rule || rule->verdict != POLICY_IPSEC || rule->action != work->action)
			rc = -DROP_POLICY;
	}
	sa_count_drop(work->sa, rc);
	return rc;
}

int stack_accept(struct stack *stack, const struct work *work, const uint8_t *packet, size_t len)
{
	int rc = work->ah ? sa_accept(work->ah, work->ah_number, work->ah_len) : 0;

	if (rc == 0)
		rc = sa_accept(work->sa, work->number, len);
	if (rc == 0)
		rc = check_inner(stack, work, packet, len);
	stack_count_drop(stack, rc);
	return rc;
}

/* ESP, and AH around the result. */
static int seal(const struct work *work, unsigned int thread, const uint8_t *packet, uint8_t *out)
{
	uint8_t esp[IP_PACKET_MAX];
	struct ip_packet ip;
	int rc;

	if (!work->ah)
		return sa_wrap(work->sa, thread, work->number, &work->ip, packet, out,
			       IP_PACKET_MAX);
	rc = sa_wrap(work->sa, thread, work->number, &work->ip, packet, esp, sizeof(esp));
	if (rc > 0) {
		const int parsed = ip_parse(&ip, esp, (size_t)rc);

		rc = parsed < 0 ? parsed
				: sa_wrap(work->ah, thread, work->ah_number, &ip, esp, out,
					  IP_PACKET_MAX);
	}
	return rc;
}

/* A packet out of AH has to be ESP of the SA inside. */
static int check_inside(const struct work *work, const struct ip_packet *ip, const uint8_t *esp)
{
	int rc = 0;

	if (ip->protocol != PROTO_ESP)
		rc = -DROP_NEXT_HEADER;
	else if (ip->len - ip->upper < ESP_HEADER)
		rc = -DROP_SHORT;
	else if (be32_get(esp + ip->upper) != work->sa->config.spi)
		rc = -DROP_UNKNOWN_SPI;
	sa_count_drop(work->ah, rc);
	return rc;
}

static int open_work(struct work *work, unsigned int thread, const uint8_t *packet, uint64_t now_ns,
		     uint8_t *out)
{
	uint8_t esp[IP_PACKET_MAX];
	struct ip_packet ip;
	int rc;

	if (!work->ah)
		return sa_open(work->sa, thread, &work->ip, packet, work->at, now_ns, out,
			       IP_PACKET_MAX, &work->number);
	rc = sa_open(work->ah, thread, &work->ip, packet, work->at, now_ns, esp, sizeof(esp),
		     &work->ah_number);
	if (rc < 0)
		return rc;
	work->ah_len = (size_t)rc;
	rc = ip_parse(&ip, esp, work->ah_len);
	if (rc == 0)
		rc = check_inside(work, &ip, esp);
	return rc < 0 ? rc
		      : sa_open(work->sa, thread, &ip, esp, ip.upper, now_ns, out, IP_PACKET_MAX,
				&work->number);
}

int stack_do(struct stack *stack, unsigned int thread, struct work *work, const uint8_t *packet,
	     uint64_t now_ns, uint8_t *out)
{
	int rc;

	switch (work->kind) {
	case WORK_SEAL:
		rc = seal(work, thread, packet, out);
		break;
	case WORK_OPEN:
		rc = open_work(work, thread, packet, now_ns, out);
		break;
	default:
		memcpy(out, packet, work->ip.len);
		return (int)work->ip.len;
	}
	stack_count_drop(stack, rc);
	return rc;
}

bool stack_icmp(struct stack *stack, const struct ip_packet *ip, const uint8_t *packet)
{
	const unsigned int least = ip->version == 4 ? MTU_MIN_4 : MTU_MIN_6;
	struct icmp_report report;
	bool changed = false;

	if (icmp_read(ip, packet, &report) < 0 || report.mtu < least)
		return false;
	for (unsigned int i = 0; i < stack->policy->actions; i++)
		for (unsigned int g = 0; g < stack->policy->action[i].generations; g++) {
			struct sa *sa = stack->action[i].out[g], *ah = stack->action[i].ah_out[g];

			if ((ah ? ah : sa)->config.spi != report.spi ||
			    !ip_addr_same(&sa->config.dst, &report.dst) ||
			    report.mtu >= atomic_load(&sa->mtu))
				continue;
			atomic_store(&sa->mtu, report.mtu);
			if (ah)
				atomic_store(&ah->mtu, report.mtu);
			changed = true;
		}
	return changed;
}

void stack_expire(struct stack *stack, uint64_t now_ns)
{
	atomic_fetch_add(&stack->drop[DROP_FRAGMENT_TIME],
			 reassembly_expire(stack->reassembly, now_ns));
}

struct sa *stack_sa(const struct stack *stack, unsigned int action, unsigned int generation,
		    bool inbound)
{
	return inbound ? stack->action[action].in[generation]
		       : stack->action[action].out[generation];
}

struct sa *stack_sa_around(const struct stack *stack, unsigned int action, unsigned int generation,
			   bool inbound)
{
	return inbound ? stack->action[action].ah_in[generation]
		       : stack->action[action].ah_out[generation];
}

unsigned int stack_generation(const struct stack *stack, unsigned int action)
{
	return atomic_load(&stack->action[action].current);
}

const struct policy *stack_policy(const struct stack *stack)
{
	return stack->policy;
}
