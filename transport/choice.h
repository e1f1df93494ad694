/* SPDX-License-Identifier: Apache-2.0 */
/* choice.h - the one list of transports, in the order of the words of TRANSPORT */
#ifndef TRANSPORT_CHOICE_H
#define TRANSPORT_CHOICE_H

#include "transport/transport.h"

/* The first one is the default of both sides. For the files of transports and their tests: others
 * use transport_chosen(). */
#define TRANSPORTS(EACH)                                                                           \
	EACH(transport_unix)         /* SOCK_SEQPACKET */                                          \
	EACH(transport_shm)          /* rings in shared memory */                                  \
	EACH(transport_local)        /* within one process */                                      \
	EACH(transport_hipersockets) /* AF_IUCV over emulated HiperSockets */                      \
	EACH(transport_iucv)         /* the kernel's AF_IUCV */                                    \
	EACH(transport_vsock)        /* AF_VSOCK */

#define TRANSPORT_DECLARE(name) extern const struct transport name;
TRANSPORTS(TRANSPORT_DECLARE)

/* Returns the transport at this place of the list; NULL after the last. */
const struct transport *transport_at(unsigned int index);

#endif
