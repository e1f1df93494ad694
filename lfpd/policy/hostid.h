/* SPDX-License-Identifier: Apache-2.0 */
/* hostid.h - has this host the addresses that z/VSE is confined to? */
#ifndef LFPD_POLICY_HOSTID_H
#define LFPD_POLICY_HOSTID_H

#include <netinet/in.h>

#include "lfpd/conf/config.h"

/* What could not be had. */
struct hostid_fault {
	const char *key;             /* VSE_HOSTID or VSE_HOSTID6 */
	char addr[INET6_ADDRSTRLEN]; /* its value */
};

/* Without RESTRICT_TO_HOSTID there is nothing to have. 0; -EADDRNOTAVAIL if the host lacks one, or
 * why no socket can be bound to it, with @fault filled. */
int hostid_check(const struct lfpd_config *config, struct hostid_fault *fault);

#endif
