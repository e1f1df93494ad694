/* SPDX-License-Identifier: Apache-2.0 */
/* link.h - the instance's path to lfpd: made, made again, and the requests on it */
#ifndef IJBLFP_LINK_H
#define IJBLFP_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "lfp/codepage.h"
#include "lfp/frame.h"
#include "lfp/places.h"
#include "transport/path.h"

struct instance;
struct ctl_conn;
struct task;

enum link_state {
	LINK_DOWN,	 /* no path; the timer tries again */
	LINK_CONNECTING, /* the transport connects */
	LINK_HELLO,	 /* HELLO is sent; nothing else may be */
	LINK_UP,
};

/* Something asked of lfpd. */
struct request {
	struct request *hash_next;
	uint32_t number;
	uint8_t code;	/* of the request */
	bool again;	/* it was asked twice already */
	uint64_t sock;
	uint32_t closes; /* link.closes when it was sent */
	struct ctl_conn *conn; /* who waits for it, or NULL */
	struct task *task;     /* TASK_BEGIN */
	/* @reply is NULL if the path has ended. The request is freed after it. */
	void (*done)(struct instance *inst, struct request *request, const struct lfp_frame *reply);
	struct lfp_frame frame; /* as it was sent; its text and bytes are not good any more */
};

#define REQUEST_BUCKETS 256u

struct link {
	enum link_state state;
	struct path *path;
	char where[LFP_PLACE_MAX]; /* lfpd's socket */
	uv_timer_t timer;
	struct lfp_codepage *codepage;
	uint32_t mtu, msglimit, window_out;
	bool said_down; /* the operator has been told */
	bool first;	/* it has never been up */
	struct request *requests[REQUEST_BUCKETS];
	uint32_t next_request;
	uint32_t pending;
	uint32_t closes; /* CLOSE frames sent */
	struct path_stats stats; /* of the last path, while there is none */
	uint64_t connects;	  /* paths that were up */
};

int link_init(struct instance *inst);
void link_start(struct instance *inst);
void link_finish(struct instance *inst, const char *reason);

static inline bool link_is_up(const struct link *link)
{
	return link->state == LINK_UP;
}

/* Send a frame that has no answer; 0 or a negative errno (-ENETDOWN without a path). */
int link_send(struct instance *inst, const struct lfp_frame *frame);

/**
 * link_ask() - send a request
 * @frame:	its number is filled in
 * @done:	called once, later
 *
 * Return: the request, for the caller's fields; NULL with @error set to a negative errno.
 */
struct request *link_ask(struct instance *inst, struct lfp_frame *frame,
			 void (*done)(struct instance *, struct request *, const struct lfp_frame *),
			 int *error);

/* The figures of the path there is, or of the last one. */
const struct path_stats *link_stats(const struct link *link);

#endif
