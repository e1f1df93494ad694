/* SPDX-License-Identifier: Apache-2.0 */
/* rule-list.h - the rules of one peer, in the order of their lines */
#ifndef LFPD_POLICY_RULE_LIST_H
#define LFPD_POLICY_RULE_LIST_H

#include <stddef.h>
#include <stdint.h>

struct rule;

/*
 * Theory of operation
 *
 * A peer may have a rule for each port. So a long list gets an index of ports. It cuts each range
 * of ports into blocks of 2^n ports at a multiple of 2^n, of which a range needs at most 30. A port
 * is in 17 blocks, one of each size. Block 1 has all ports, blocks 2n and 2n + 1 have the halves of
 * block n, and block 65536 + n has port n alone. Rules without ports are in block 1.
 */
struct rule_list {
	union {
		struct rule *one; /* the only rule */
		struct rule **many;
	};
	uint32_t nr, room;
	struct port_index *index; /* NULL: without an index */
};

/* Rules that may match, in the order of their lines. */
struct rule_span {
	struct rule *const *rules;
	size_t nr;
};

#define RULE_SPANS_MAX 17u

/* Adds a rule, whose line is higher than that of all others. Returns 0 or -ENOMEM. */
int rule_list_add(struct rule_list *list, struct rule *rule);

/* Makes the index of a long list, after which no rule may be added. Returns 0 or -ENOMEM. */
int rule_list_seal(struct rule_list *list);

/* Sets @spans to all rules that may match @port, or a look-up for port 0. Returns their number. */
unsigned int rule_list_find(const struct rule_list *list, uint16_t port,
			    struct rule_span spans[static RULE_SPANS_MAX]);

void rule_list_finish(struct rule_list *list);

#endif
