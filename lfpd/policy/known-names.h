/* SPDX-License-Identifier: Apache-2.0 */
/* known-names.h - the names under which this instance has found addresses */
#ifndef LFPD_POLICY_KNOWN_NAMES_H
#define LFPD_POLICY_KNOWN_NAMES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "lfp/list.h"
#include "lfp/table.h"

/*
 * A rule about a name counts for an address only while the address is here: lfpd itself has found
 * it under that name, and not too long ago. When there are too many, the oldest ones are forgotten:
 * then a program has to look the name up again.
 */
#define KNOWN_NAMES_MAX     65536u
#define KNOWN_NAMES_OF_ADDR 64u /* of one address: a look at them must be short */

struct known_names {
	struct lfp_table table; /* by a hash of the address */
	struct lfp_list ages;   /* the oldest first */
};

void known_names_init(struct known_names *known);
void known_names_finish(struct known_names *known);

/* Notes that @name (in the form of rules_name()) has this address until @until (ms). Without memory
 * nothing is noted. */
void known_names_add(struct known_names *known, const char *name, const struct in6_addr *addr,
		     uint64_t until);

/* Calls @fn for each name of the address that counts at @now. */
void known_names_each(const struct known_names *known, const struct in6_addr *addr, uint64_t now,
		      void (*fn)(void *data, const char *name), void *data);

#endif
