/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-call.h - programs' calls for datagram sockets */
#ifndef IJBLFP_CTL_DATAGRAM_CALL_H
#define IJBLFP_CTL_DATAGRAM_CALL_H

#include "lfp/frame.h"

struct call;
struct ctl_conn;
struct instance;
struct vsock;

/* Answers LFP_CTL_SOCKET: makes the near end, of the program's own socket @own if that is not -1,
 * and passes it to the program. Returns 0 or a negative errno. */
int datagram_hand_out(struct instance *inst, struct vsock *vs, struct ctl_conn *conn, int own);

/* LFP_CTL_CONNECT */
void ijblfp_datagram_connect(struct call *call, const struct lfp_addr *peer);

/* LFP_CTL_SENT, LFP_CTL_ERRQUEUE */
void datagram_sent(struct call *call);
void datagram_errqueue(struct call *call);

#endif
