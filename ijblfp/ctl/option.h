/* SPDX-License-Identifier: Apache-2.0 */
/* option.h - getsockname(), getpeername(), getsockopt(), setsockopt() */
#ifndef IJBLFP_CTL_OPTION_H
#define IJBLFP_CTL_OPTION_H

struct call;

/* LFP_CTL_GETSOCKNAME and LFP_CTL_GETPEERNAME */
void option_getname(struct call *call);
void option_get(struct call *call);
void option_set(struct call *call);

/* LFP_CTL_OUTQ */
void option_outq(struct call *call);

/* The answer to SO_ERROR. */
void option_answer_error(struct call *call, int error);

#endif
