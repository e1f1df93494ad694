/* SPDX-License-Identifier: Apache-2.0 */
/* ending.h - shutdown(), why there is an end of file, and sockets whose connection is over */
#ifndef IJBLFP_CTL_ENDING_H
#define IJBLFP_CTL_ENDING_H

struct call;

void ending_shutdown(struct call *call);
void ending_why_eof(struct call *call);
void ending_why_epipe(struct call *call);

/* Any call on a socket that has only a grave. */
void ending_answer_grave(struct call *call);

#endif
