/* SPDX-License-Identifier: Apache-2.0 */
/* connect-call.h - programs' calls of connect() */
#ifndef IJBLFP_CTL_CONNECT_CALL_H
#define IJBLFP_CTL_CONNECT_CALL_H

struct call;

/* LFP_CTL_CONNECT */
void connect_call(struct call *call);

/* LFP_CTL_DETACH, on a connection without a CONNECT that waits. */
void connect_call_detach(struct call *call);

/* LFP_CTL_RENEW */
void connect_call_renew(struct call *call);

/* Ends the connection of the call's socket, or the attempt; the call is answered then. */
void connect_call_dissolve(struct call *call);

#endif
