/* SPDX-License-Identifier: Apache-2.0 */
/* urgent-call.h - programs' calls that send urgent data */
#ifndef IJBLFP_CTL_URGENT_CALL_H
#define IJBLFP_CTL_URGENT_CALL_H

struct call;

/* LFP_CTL_URGENT */
void urgent_call(struct call *call);

#endif
