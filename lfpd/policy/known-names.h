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
 * A rule about a name counts for an address only while this table has the pair: lfpd itself has
 * found the address under that name, not too long ago. A full table forgets old pairs. A program
 * must then look the name up again.
 *
 * An address counts for a name whoever has found it there. A proxy gets the name alone, and looks
 * it up itself. So it gets no name that only other users have found: they may own one that had this
 * address for a moment.
 */
#define KNOWN_NAMES_MAX     65536u
#define KNOWN_NAMES_OF_ADDR 64u /* names of one address; a limit keeps the search short */
#define KNOWN_NAMES_USERS   4u  /* the last users that have found a name are remembered */

struct known_names {
	struct lfp_table table; /* by a hash of the address */
	struct lfp_list ages;   /* the oldest first */
	uint64_t seed;          /* of the hash */
	uint64_t serial;        /* counts the pairs that were noted */
};

void known_names_init(struct known_names *known);
void known_names_finish(struct known_names *known);

/* Notes that user @uid has found this address under @name (in the form of rules_name()), which has
 * it until @until (ms). Notes nothing if memory runs out. */
void known_names_add(struct known_names *known, const char *name, const struct in6_addr *addr,
		     uint64_t until, uint32_t uid);

#define KNOWN_NAMES_ANYBODY UINT32_MAX

/* Returns the name under which the address was found last, by @uid among others or by anybody, if
 * it still has it at @now; or NULL. */
const char *known_names_last(const struct known_names *known, const struct in6_addr *addr,
			     uint64_t now, uint32_t uid);

/* Calls @fn for each name that the address still has at @now. @own: @uid has found it, too. */
void known_names_each(const struct known_names *known, const struct in6_addr *addr, uint64_t now,
		      uint32_t uid, void (*fn)(void *data, const char *name, bool own), void *data);

#endif
