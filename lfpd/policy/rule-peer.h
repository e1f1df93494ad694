/* SPDX-License-Identifier: Apache-2.0 */
/* rule-peer.h - the peer and the ports of a rule */
#ifndef LFPD_POLICY_RULE_PEER_H
#define LFPD_POLICY_RULE_PEER_H

#include <stdbool.h>

#include "lfpd/policy/rule-words.h"
#include "lfpd/policy/rule.h"

#define RULE_PORTS_MAX 64

/* Splits "PEER:PORTS", "[IPV6]:PORTS" or ":PORTS". Sets @ports to NULL if there are none. Returns 0
 * or -EINVAL. */
int rule_peer_split(const struct rule_words *words, char *text, char **peer, char **ports);

/* Reads ports and ranges. Sets @nr to 0 for "*". Returns 0 or -EINVAL. */
int rule_peer_ports(const struct rule_words *words, char *text,
		    struct port_range ports[static RULE_PORTS_MAX], unsigned int *nr);

/* Returns true if @peer is neither an address, nor a prefix, nor a word such as "any". */
bool rule_peer_is_name(const char *peer);

/* Puts the rule into the lists of its peer. Returns 0, -EINVAL or -ENOMEM. */
int rule_peer_add(const struct rule_words *words, char *peer, struct rule *rule);

#endif
