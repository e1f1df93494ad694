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

enum link_state {
	LINK_DOWN,       /* no path; the timer tries again */
	LINK_CONNECTING, /* the transport connects */
	LINK_HELLO,      /* HELLO is sent; nothing else may be */
	LINK_UP,
};

/* Questions and events of a link for the rooms above it. All members are set. */
struct link_ops {
	/* Returns the epoch of a socket's life, or 0 if there is no such socket. */
	uint16_t (*epoch_of)(const struct instance *inst, uint64_t sock);
	bool (*has_socket)(const struct instance *inst, uint64_t sock);
	/* A frame came that is neither an answer nor part of the session's dialogue. */
	void (*on_frame)(struct instance *inst, const struct lfp_frame *frame);
	/* An answer came without a request. Returns true if it answers a CLOSE that had none
	 * (request_send_close()). */
	bool (*on_close_answer)(struct instance *inst, const struct lfp_frame *frame);
	/* An answer came that does not fit. @why is text for people. */
	void (*on_odd_answer)(struct instance *inst, const struct lfp_frame *frame,
			      const char *why);
	/* The path takes data again, or for the first time after a session was resumed. */
	void (*on_ready)(struct instance *inst);
	/* The phase of the hold has changed: calls of programs are read, or are no longer read. */
	void (*on_phase)(struct instance *inst);
	/* There is no path now. The session may go on. */
	void (*on_path_end)(struct instance *inst);
	/* The session is over, and all requests have failed. */
	void (*on_session_end)(struct instance *inst);
	/* The path is about to end, and the session to go on. Returns the number of held sockets.
	 */
	unsigned int (*rest)(struct instance *inst);
	/* The session goes on: send RESUME with the position of each socket, and count the answers
	 * with hold_count(). */
	void (*on_resume)(struct instance *inst);
};

struct link {
	const struct link_ops *ops;
	enum link_state state;
	struct path *path;
	char where[LFP_PLACE_MAX]; /* lfpd's socket */
	struct vm_path vm;         /* its place in the pretend z/VM */
	uint32_t offered;          /* message limit: IucvMsgLimit, or less where z/VM says so */
	int error;                 /* why connecting could not begin, until the loop reports it */
	uv_timer_t timer;
	struct lfp_codepage *codepage;
	uint32_t mtu, msglimit, window_out;
	bool asks_who;            /* lfpd has sent ASK_WHO */
	unsigned int asks;        /* LFP_WHO_ bits of the last one */
	unsigned int asks_serial; /* counts them, and new paths */
	bool epochs;    /* agreed on: frames carry epochs, which tell a socket's lives apart */
	bool said_down; /* the operator has been told */
	bool said_vm;   /* and of z/VM's objection, too */
	bool first;     /* it has never been up */
	unsigned int retry_ms; /* until the next attempt */
	struct request_table requests;
	struct path_stats stats; /* of the last path, while no path exists */
	uint64_t connects;       /* paths that were up */
	struct hold hold;        /* of the session, while lfpd restarts */
	char why[TRANSPORT_WHY]; /* the transport's own text about why it did not connect, or "" */
};

/* @ops outlive the link. Returns 0 or a negative errno. */
int link_init(struct instance *inst, const struct link_ops *ops);
void link_start(struct instance *inst);
void link_finish(struct instance *inst, const char *reason);

/* Returns true if there is a session: frames are accepted, but may wait until lfpd is back. */
static inline bool link_is_up(const struct link *link)
{
	return link->state == LINK_UP || link->hold.phase != HOLD_NONE;
}

/* Returns true if there is a session and frames go out at once. */
static inline bool link_flows(const struct link *link)
{
	return link->state == LINK_UP && link->hold.phase == HOLD_NONE;
}

/* Sends a frame that has no answer, in the epoch of its socket. Returns 0 or a negative errno
 * (-ENETDOWN without a path). */
int link_send(struct instance *inst, struct lfp_frame *frame);

/* Gives the frame the epoch of its socket. */
void link_stamp(const struct instance *inst, struct lfp_frame *frame);

/* Returns the statistics of the path, or of the last one. */
const struct path_stats *link_stats(const struct link *link);

#endif
