/* SPDX-License-Identifier: Apache-2.0 */
/* listen-call.h - programs' calls of listen() */
#ifndef IJBLFP_CTL_LISTEN_CALL_H
#define IJBLFP_CTL_LISTEN_CALL_H

struct call;

/* LFP_CTL_LISTEN */
void listen_call(struct call *call);

#endif
