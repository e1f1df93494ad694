/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h - what the system grants this process */
#ifndef LFPD_POLICY_LIMITS_H
#define LFPD_POLICY_LIMITS_H

#include <stdbool.h>

/* Descriptors that lfpd needs besides those of z/VSE's sockets. */
#define LIMITS_OWN_FDS 96u

/* Raises the soft limit of descriptors to the hard one; returns the limit in force. */
unsigned long limits_raise(void);

/* Is @fd, the lowest descriptor that was free, one of those that are kept for lfpd's own use? An
 * LFP instance in the same process needs more of them for calls (@hosts). */
bool limits_is_short(int fd, bool hosts);

/* The lowest descriptor that is free now, or a negative errno. */
int limits_lowest_free(void);

/* The largest SO_SNDBUF or SO_RCVBUF that the kernel takes (net.core.wmem_max, rmem_max). */
unsigned int limits_wmem_max(void);
unsigned int limits_rmem_max(void);

#endif
