/* SPDX-License-Identifier: Apache-2.0 */
/* stack.h - rules and SAs at work: a decision about each packet, and the work that follows from it
 *
 * Theory of operation
 *
 * One thread decides (stack_out(), stack_in()): it looks at headers, finds rule and SA, and takes
 * the sequence number, so that numbers have the order in which packets came. The work itself,
 * stack_do(), may be done by any thread, several at a time. The rules check a received packet again
 * once it is open: its SA must be for such packets (RFC 4301, 5.2).
 *
 * An action has generations of SAs. All of them accept packets. Packets that leave use the first
 * generation whose life is not over. So a replacement loses nothing, and both sides need not change
 * at the same time.
 *
 * RFC 4301, 4.1 leaves AH around ESP to the implementation. Here ESP comes first, in its mode, then
 * AH in transport mode on the result, so that there is one outer header. Packets reach such an SA
 * of ESP only through its AH.
 */
#ifndef DEVEMU_IPSEC_STACK_H
#define DEVEMU_IPSEC_STACK_H

#include "devemu/ipsec/policy.h"

enum work_kind {
	WORK_CLEAR, /* goes on as it is */
	WORK_SEAL,
	WORK_OPEN,
};

struct work {
	enum work_kind kind;
	struct sa *sa;
	struct sa *ah; /* around @sa; else NULL */
	unsigned int action;
	uint64_t number; /* the sequence number; with WORK_OPEN known when it is done */
	uint64_t ah_number;
	size_t ah_len; /* WORK_OPEN: bytes inside AH */
	size_t at;     /* WORK_OPEN: place of ESP or AH */
	struct ip_packet ip;
};

struct stack;

/* @policy: stays the caller's and unchanged. @threads: of stack_do(). NULL with errno. */
struct stack *stack_create(const struct policy *policy, unsigned int threads);
void stack_destroy(struct stack *stack);

/**
 * stack_out() - decide about a packet that leaves this host
 * @packet:	*@packet is set to the whole packet if this was the last of its fragments; it is
 * valid until the next call
 * @mtu:	with -DROP_TOO_BIG: most bytes that the sender may send
 *
 * Return: 1 with @work filled; 0 for a fragment that waits for others; a reason, which is counted.
 */
int stack_out(struct stack *stack, const uint8_t **packet, size_t len, uint64_t now_ns,
	      struct work *work, unsigned int *mtu);

/* Decides about a packet with ESP, AH or UDP that came in. 1, or a reason, which is counted. */
int stack_in(struct stack *stack, const uint8_t *packet, size_t len, struct work *work);

/* Does the work, for many packets at once. @out: gets the packet, at most IP_PACKET_MAX bytes.
 * Returns its bytes or a reason, which is counted. */
int stack_do(struct stack *stack, unsigned int thread, struct work *work, const uint8_t *packet,
	     uint64_t now_ns, uint8_t *out);

/* Ends WORK_OPEN: decides whether the packet may be delivered. Call it in the order of stack_in().
 * Returns 0, or a reason, which is counted. */
int stack_accept(struct stack *stack, const struct work *work, const uint8_t *packet, size_t len);

/* Handles a message that a packet of ours was too big on its way. Returns true if it has changed
 * the MTU of an SA. Messages can be forged. So an MTU below 576 (IPv6: 1280) is ignored, and no
 * message raises the MTU. */
bool stack_icmp(struct stack *stack, const struct ip_packet *ip, const uint8_t *packet);

/* Returns the MTU for the outer packets of @work's SA. */
unsigned int stack_mtu(const struct work *work);

/* Forgets fragments that waited too long, and counts their packets. */
void stack_expire(struct stack *stack, uint64_t now_ns);

/* Drops of all kinds, in the whole stack. */
uint64_t stack_drops(const struct stack *stack, enum ipsec_drop reason);
void stack_count_drop(struct stack *stack, int reason);

/* SAs of an action, for displays. @generation below those of the action. The second one: of AH
 * around the first, or NULL. */
struct sa *stack_sa(const struct stack *stack, unsigned int action, unsigned int generation,
		    bool inbound);
struct sa *stack_sa_around(const struct stack *stack, unsigned int action, unsigned int generation,
			   bool inbound);
/* The generation that packets leave with; @generations of the action: none is left. */
unsigned int stack_generation(const struct stack *stack, unsigned int action);
const struct policy *stack_policy(const struct stack *stack);

#endif
