/* SPDX-License-Identifier: Apache-2.0 */
/* link.h - the instance's path to lfpd: made, and made again */
#ifndef IJBLFP_LINK_LINK_H
#define IJBLFP_LINK_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "ijblfp/link/hold.h"
#include "ijblfp/link/request.h"
#include "lfp/codepage.h"
#include "lfp/frame.h"
#include "lfp/places.h"
#include "transport/path.h"
#include "transport/vm.h"

struct instance;
struct vsock;

enum link_state {
	LINK_DOWN,       /* no path; the timer tries again */
	LINK_CONNECTING, /* the transport connects */
	LINK_HELLO,      /* HELLO is sent; nothing else may be */
	LINK_UP,
};

struct link {
	enum link_state state;
	struct path *path;
	char where[LFP_PLACE_MAX]; /* lfpd's socket */
	struct vm_path vm;         /* its place in the pretend z/VM */
	uint32_t offered;          /* message limit: IucvMsgLimit, or less where z/VM says so */
	int error;                 /* why connecting could not begin, until the loop says so */
	uv_timer_t timer;
	struct lfp_codepage *codepage;
	uint32_t mtu, msglimit, window_out;
	bool epochs;           /* agreed on: a socket's lives are told apart */
	bool said_down;        /* the operator has been told */
	bool said_vm;          /* and what z/VM has against it, too */
	bool first;            /* it has never been up */
	unsigned int retry_ms; /* until the next attempt */
	struct request_table requests;
	struct path_stats stats; /* of the last path, while there is none */
	uint64_t connects;       /* paths that were up */
	struct hold hold;        /* of the session, while lfpd restarts */
	char why[TRANSPORT_WHY]; /* the transport's own words for why it did not connect, or "" */
};

int link_init(struct instance *inst);
void link_start(struct instance *inst);
void link_finish(struct instance *inst, const char *reason);

/* There is a session: something may be said, though it may have to wait until lfpd is there again.
 */
static inline bool link_is_up(const struct link *link)
{
	return link->state == LINK_UP || link->hold.phase != HOLD_NONE;
}

/* And nothing has to wait. */
static inline bool link_flows(const struct link *link)
{
	return link->state == LINK_UP && link->hold.phase == HOLD_NONE;
}

/* Send a frame that has no answer, in the epoch of its socket; 0 or a negative errno (-ENETDOWN
 * without a path). */
int link_send(struct instance *inst, struct lfp_frame *frame);

/* Give the frame the epoch of its socket. */
void link_stamp(const struct instance *inst, struct lfp_frame *frame);

/* A new life of the socket begins: what lfpd sent in those before is late. */
void link_next_epoch(const struct instance *inst, struct vsock *vs);

/* The figures of the path there is, or of the last one. */
const struct path_stats *link_stats(const struct link *link);

#endif
