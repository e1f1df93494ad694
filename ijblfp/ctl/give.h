/* SPDX-License-Identifier: Apache-2.0 */
/* give.h - sockets that one task gives and another takes */
#ifndef IJBLFP_CTL_GIVE_H
#define IJBLFP_CTL_GIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "ijblfp/near/near.h"
#include "lfp/ctl.h"
#include "lfp/list.h"

struct instance;
struct call;
struct vsock;

/*
 * A connected stream socket after GIVESOCKET. The instance holds its near end, a new one
 * (vs->copy), until a task takes it. The giver's descriptor is an earlier near end: it has no right
 * to the socket any more, writing to it fails, no data comes, and it hangs up when the socket is
 * taken or over.
 *
 * Any task that the giver has named may take the socket: one of the same user, or of any user if
 * giver or taker is root. The socket outlives its giver's end. If the giver closes it first, the
 * connection is reset.
 */
struct given {
	struct lfp_list place;
	struct vsock *vs;
	struct near_id near; /* the giver's near end */
	int far;             /* the far end of that near end */
	int32_t number;      /* the giver's descriptor number */
	struct lfp_ctl_client giver, to;
	uid_t uid;     /* the giver's */
	uint32_t task; /* the giver's, and its process: */
	pid_t pid;
	uint64_t until; /* ms of the loop's clock */
	bool unheld;    /* the giver's descriptor was already closed at the last check */
};

/* The latest gifts that were taken or are over: a second TAKE is answered from them. */
#define GIVE_PAST 64u

struct give_past {
	struct lfp_ctl_client giver;
	uint32_t task; /* another socket may have its name since */
	int32_t number;
};

struct gives {
	struct lfp_list all;
	uv_timer_t timer; /* runs while there are gifts */
	struct give_past past[GIVE_PAST];
	unsigned int nr_past; /* since the start */
};

void gives_init(struct instance *inst);
void gives_finish(struct instance *inst);

/* LFP_CTL_CLIENTID, LFP_CTL_GIVE, LFP_CTL_TAKE, LFP_CTL_TAKEN, LFP_CTL_DROP */
void give_clientid(struct call *call);
void give_give(struct call *call);
void give_take(struct call *call);
void give_taken(struct call *call);
void give_drop_call(struct call *call);

#endif
