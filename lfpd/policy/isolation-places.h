/* SPDX-License-Identifier: Apache-2.0 */
/* isolation-places.h - run-time directories for the user that lfpd becomes */
#ifndef LFPD_POLICY_ISOLATION_PLACES_H
#define LFPD_POLICY_ISOLATION_PLACES_H

#include <sys/types.h>

#include "lfpd/conf/config.h"

/* Make the directory of the instance, and that of LOCAL_INSTANCE, and give them away with what a
 * root's lfpd has left there. Return 0, or a negative errno. */
int isolation_give_places(const struct lfpd_config *config, uid_t uid, gid_t gid);

#endif
