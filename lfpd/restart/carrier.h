/* SPDX-License-Identifier: Apache-2.0 */
/* carrier.h - many descriptors as one: they wait in the queue of a socket
 *
 * What is in the queue stays open as long as the socket is, in whichever process. Reading takes it
 * out for all who have the socket.
 */
#ifndef LFPD_RESTART_CARRIER_H
#define LFPD_RESTART_CARRIER_H

#include <stddef.h>

/* Two messages of SCM_MAX_FD descriptors, for which every queue has room. */
#define CARRIER_MAX 506u

/* A socket with at most CARRIER_MAX descriptors, which stay the caller's, in its queue; or a
 * negative errno. */
int carrier_create(const int *fds, size_t nr);

/* Take them out: how many have come, even if not all could. The socket stays the caller's. */
size_t carrier_unpack(int carrier, int fds[static CARRIER_MAX]);

#endif
