/* SPDX-License-Identifier: Apache-2.0 */
/* socket-call.h - programs' calls of socket() */
#ifndef IJBLFP_CTL_SOCKET_CALL_H
#define IJBLFP_CTL_SOCKET_CALL_H

struct call;

/* LFP_CTL_SOCKET */
void socket_call(struct call *call);

#endif
