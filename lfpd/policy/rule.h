/* SPDX-License-Identifier: Apache-2.0 */
/* rule.h - one rule of POLICY_FILE */
#ifndef LFPD_POLICY_RULE_H
#define LFPD_POLICY_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "lfpd/policy/subject.h"

enum rules_act {
	RULES_CONNECT = 1, /* connect to or send to a peer */
	RULES_LISTEN = 2,  /* bind to a port, or listen */
	RULES_LOOKUP = 4,  /* look up a name */
};

enum rules_protocol {
	RULES_TCP = 1,
	RULES_UDP = 2,
};

/* How a client has to name its server first. */
enum rules_naming {
	RULES_UNNAMED,
	RULES_BY_TLS,  /* "sni" */
	RULES_BY_HTTP, /* "host" */
};

struct port_range {
	uint16_t first, last;
};

struct upstream;

/* What one task may have of a rule. 0: no limit. */
struct rule_limit {
	uint32_t connections; /* of TCP, at once */
	uint64_t rate;        /* bytes a second, in each direction */
	bool of_user;         /* all tasks of a user together */
};

struct rule {
	unsigned int line;
	bool allow;
	uint8_t acts, protocols; /* enum rules_act and enum rules_protocol */
	bool has_user;
	enum rules_naming naming; /* only with this server name, which comes in this way */
	bool ech;                 /* ECH may hide another one */
	uint32_t uid;
	struct subject_terms subject; /* its program is in the same allocation */
	struct rule_limit limit;
	struct upstream *upstream; /* carries the connection, or NULL; owned by the rules */
	unsigned int nr_ports;     /* 0: any */
	struct port_range *ports;  /* in the same allocation */
};

static inline bool rule_limit_is_set(const struct rule_limit *limit)
{
	return limit->connections || limit->rate;
}

#endif
