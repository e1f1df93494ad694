/* SPDX-License-Identifier: Apache-2.0 */
/* hold.h - a session whose lfpd restarts: its sockets are held until it goes on */
#ifndef IJBLFP_LINK_HOLD_H
#define IJBLFP_LINK_HOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "ijblfp/base/list.h"
#include "lfp/frame.h"

struct instance;

/* In every phase but NONE frames are kept, data stays in the far ends and calls are not read. */
enum hold_phase {
	HOLD_NONE,       /* the session runs, or there is none */
	HOLD_SUSPENDING, /* SUSPENDED is sent: lfpd still says what it has to say */
	HOLD_AWAY,       /* there is no path; HELLO asks for the session */
	HOLD_RESUMING,   /* RESUME and RESUMED are sent: only their answers may come */
};

struct hold {
	enum hold_phase phase;
	uint64_t session;  /* as HELLO_REPLY said it; 0: it cannot be resumed */
	struct list kept;  /* frames */
	uint64_t since;    /* ms of the loop's clock */
	uint32_t goes_on;  /* sockets, as far as lfpd has answered */
	uint32_t was_lost; /* and those that were reset */
	uv_timer_t timer;  /* HoldTime */
	uint64_t times;    /* that a session was resumed */
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

/* What HELLO asks for: the session that is held, or 0. */
static inline uint64_t hold_session(const struct hold *hold)
{
	return hold_is_away(hold) ? hold->session : 0;
}

/* Keep a frame until the session goes on; 0 or a negative errno. */
int hold_keep(struct instance *inst, const struct lfp_frame *frame);

/* May lfpd send this now? False with @why. */
bool hold_expects(const struct hold *hold, uint8_t code, const char **why);

/* SUSPEND came. */
int hold_on_suspend(struct instance *inst);

/* SUSPENDED came, which ends the path. */
void hold_on_suspended(struct instance *inst);

/* HELLO_REPLY: if it is not for the session that is held, that one is over. */
void hold_check(struct instance *inst, const struct lfp_hello_reply *reply);

/* The path is there: if a session is held, go on with it. */
void hold_resume(struct instance *inst);

/* lfpd has answered for a socket: it goes on, or it is reset. */
void hold_count(struct instance *inst, bool goes_on);

/* The session is over: forget what was kept. */
void hold_end(struct instance *inst);

#endif
