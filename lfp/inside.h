/* SPDX-License-Identifier: Apache-2.0 */
/* inside.h - addresses of this host and of private networks */
#ifndef LFP_INSIDE_H
#define LFP_INSIDE_H

#include <netinet/in.h>
#include <stdbool.h>

/* Returns true if a rule that allows a name must not allow this address (IPv4 is mapped). The owner
 * of a name chooses its addresses, and could choose this host or a private network. */
bool lfp_is_inside(const struct in6_addr *addr);

#endif
