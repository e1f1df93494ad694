/* SPDX-License-Identifier: Apache-2.0 */
/* cut.h - ends what the present rules of POLICY_FILE forbid */
#ifndef LFPD_SOCK_CUT_H
#define LFPD_SOCK_CUT_H

#include "lfpd/state/instance.h"

/* Ends connections, attempts to connect, listeners, and connected sockets of datagrams that the
 * rules would refuse now. An address keeps the names that it was found under, however long ago.
 * Returns the number of ended sockets. */
unsigned int cut_forbidden(struct instance *inst);

#endif
