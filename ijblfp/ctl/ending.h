/* SPDX-License-Identifier: Apache-2.0 */
/* ending.h - shutdown(), why there is an end of file, and sockets whose connection is over */
#ifndef IJBLFP_CTL_ENDING_H
#define IJBLFP_CTL_ENDING_H

struct call;
struct vsock;

void ending_shutdown(struct call *call);
void ending_why_eof(struct call *call);
void ending_why_epipe(struct call *call);

/* Why a connection is over (state RESET, OVER, or NEW again), told once; then @later. */
int ending_take_error(struct vsock *vs, int later);

/* Any call on a socket that has only a grave. */
void ending_answer_grave(struct call *call);

#endif
