/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h - what the system grants this process */
#ifndef LFPD_POLICY_LIMITS_H
#define LFPD_POLICY_LIMITS_H

#include <stdbool.h>

/* Descriptors that lfpd needs besides those of z/VSE's sockets. */
#define LIMITS_OWN_FDS 96u

/* Raises the soft limit of descriptors to the hard one; returns the limit in force. */
unsigned long limits_raise(void);

/* Returns true if @fd, the lowest free descriptor, is one of those that lfpd keeps for itself. It
 * keeps more for the calls of an LFP instance in the same process (@hosts). */
bool limits_is_short(int fd, bool hosts);

/* Returns the lowest descriptor that is free now, or a negative errno. */
int limits_lowest_free(void);

/* The largest SO_SNDBUF or SO_RCVBUF that the kernel takes (net.core.wmem_max, rmem_max). */
unsigned int limits_wmem_max(void);
unsigned int limits_rmem_max(void);

#endif
