/* SPDX-License-Identifier: Apache-2.0 */
/* special.h - sending and receiving that lfp-run's seccomp filter stops though there is no address
 */
#ifndef VSESOCK_SPECIAL_H
#define VSESOCK_SPECIAL_H

#include <sys/socket.h>

/* What UNIX sockets do in another way than Internet sockets, or do not know. */
#define SPECIAL_SEND_FLAGS    (MSG_OOB | MSG_FASTOPEN | MSG_MORE | MSG_DONTROUTE)
#define SPECIAL_RECEIVE_FLAGS (MSG_ERRQUEUE | MSG_TRUNC | MSG_OOB)

/* More bytes are too many for some datagrams, or for all: somebody has to look. */
#define SPECIAL_SEND_LEN 65507u

#endif
