/* SPDX-License-Identifier: Apache-2.0 */
/* hold.h - the hold: sockets of a session are kept while its lfpd restarts */
#ifndef IJBLFP_LINK_HOLD_H
#define IJBLFP_LINK_HOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "lfp/frame.h"
#include "lfp/list.h"

struct instance;

/* In every phase but NONE frames are kept, data stays in the far ends and calls are not read. */
enum hold_phase {
	HOLD_NONE,       /* the session runs, or no session exists */
	HOLD_SUSPENDING, /* SUSPENDED is sent: lfpd still sends its last frames */
	HOLD_AWAY,       /* there is no path; HELLO asks for the session */
	HOLD_RESUMING,   /* RESUME and RESUMED are sent: only their answers may come */
};

struct hold {
	enum hold_phase phase;
	uint64_t session;     /* key of the session, from HELLO_REPLY; 0: it cannot be resumed */
	struct lfp_list kept; /* frames */
	uint64_t since;       /* ms of the loop's clock */
	uint32_t goes_on;     /* sockets for which lfpd has answered */
	uint32_t was_lost;    /* of these, sockets that were reset */
	uv_timer_t timer;     /* HoldTime */
	uint64_t times;       /* time at which a session was resumed */
};

#define HOLD_RETRY_MS 20u

void hold_init(struct instance *inst);
void hold_finish(struct instance *inst);

static inline bool hold_is_away(const struct hold *hold)
{
	return hold->phase == HOLD_AWAY;
}

static inline bool hold_keeps(const struct hold *hold)
{
	return hold->phase != HOLD_NONE;
}

/* Returns the session that HELLO asks for, or 0 if none is held. */
static inline uint64_t hold_session(const struct hold *hold)
{
	return hold_is_away(hold) ? hold->session : 0;
}

/* Keeps a frame until the session goes on. Returns 0 or a negative errno. */
int hold_keep(struct instance *inst, const struct lfp_frame *frame);

/* Returns true if lfpd may send this frame now; false with @why. */
bool hold_expects(const struct hold *hold, uint8_t code, const char **why);

/* Handles SUSPEND. */
int hold_on_suspend(struct instance *inst);

/* Handles SUSPENDED, which ends the path. */
void hold_on_suspended(struct instance *inst);

/* Handles HELLO_REPLY: a held session ends unless the reply continues it. */
void hold_check(struct instance *inst, const struct lfp_hello_reply *reply);

/* The path is up: continues the held session, if any. */
void hold_resume(struct instance *inst);

/* lfpd has answered for a socket: it goes on, or is reset. */
void hold_count(struct instance *inst, bool goes_on);

/* Forgets the kept frames: the session is over. */
void hold_end(struct instance *inst);

#endif
