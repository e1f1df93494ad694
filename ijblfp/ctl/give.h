/* SPDX-License-Identifier: Apache-2.0 */
/* give.h - sockets that one task gives and another takes */
#ifndef IJBLFP_CTL_GIVE_H
#define IJBLFP_CTL_GIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "ijblfp/base/list.h"
#include "ijblfp/near/near.h"
#include "lfp/ctl.h"

struct instance;
struct call;
struct vsock;

/*
 * What GIVESOCKET makes of a connected stream socket. The instance holds its near end, a new one
 * (vs->copy), until somebody takes it. The giver's descriptor is a near end of before: it has no
 * right to the socket any more, what is written there fails, nothing comes, and it hangs up when
 * the socket is taken or over.
 *
 * The socket is everybody's whom the giver has named: of its own user, or of any if one of both is
 * root. It outlives its giver's end. If the giver closes before, the connection is reset.
 */
struct given {
	struct list place;
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
	struct list all;
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
