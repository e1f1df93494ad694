/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - the state of a session, and what it sends */
#ifndef LFPD_STATE_SESSION_H
#define LFPD_STATE_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "lfp/frame.h"
#include "lfp/list.h"
#include "lfp/table.h"
#include "lfpd/state/instance.h"
#include "transport/path.h"

struct gather;

enum session_state {
	/* Connected. Only HELLO may come, within 10 seconds. Next: WAITING, ACTIVE, ENDED. */
	SESSION_HELLO,
	/* HELLO is good, but the instance has a session: is that one dead? Nothing may come. Next:
	 * ACTIVE, ENDED. */
	SESSION_WAITING,
	/* Admitted, the instance's only one. Everything but HELLO may come. Next: ENDED. */
	SESSION_ACTIVE,
	/* Its handles are being closed. */
	SESSION_ENDED,
};

/* While it is ACTIVE. In all phases but RUNS the host's sockets rest. */
enum session_phase {
	/* All frames but RESUME and RESUMED may come. Next: SUSPENDING (suspend.c), or, right after
	 * HELLO, RESUMING (resume.c). */
	PHASE_RUNS,
	/* SUSPEND was sent; frames come until SUSPENDED. Next: SUSPENDED (suspend.c). */
	PHASE_SUSPENDING,
	/* Our SUSPENDED was sent, too. The peer ends the path; nothing else may come. */
	PHASE_SUSPENDED,
	/* Only RESUME and RESUMED may come. Next: RUNS (resume.c). */
	PHASE_RESUMING,
};

struct session;

/* Functions of session/ that lower files call. */
struct session_ops {
	/* The time of session_start_timer() is over. */
	void (*on_timer)(uv_timer_t *timer);
	/* As session_end() of session/session.h. */
	void (*end)(struct session *session, const char *reason);
	/* A question of name resolution that another lfpd was asked and has not answered. */
	void (*ask_again)(struct session *session, const struct lfp_frame *frame);
};

struct session {
	struct lfp_list entry; /* in instance->candidates unless ACTIVE or ENDED */
	struct instance *instance;
	struct path *path;
	const struct session_ops *ops;
	enum session_state state;
	enum session_phase phase;
	uv_timer_t timer; /* for the states before ACTIVE */
	bool paused;      /* the path is congested: no frames are taken */

	struct lfp_hello hello;
	uint64_t id;        /* as HELLO_REPLY said it */
	uint32_t features;  /* agreed on by both sides */
	bool asked_who;     /* ASK_WHO was sent, */
	unsigned int asked; /* with these LFP_WHO_ bits */
	uint32_t hello_request;
	uint32_t peer_window;

	struct lfp_table sockets, tasks;
	uint64_t last_id;      /* the highest socket id that z/VSE has used */
	uint64_t next_accept;  /* next socket id of lfpd's, without the top bit */
	struct lfp_list ready; /* sockets with data that wait for the path */

	struct gather *gather; /* data on its way to one socket */

	struct lfp_list jobs; /* struct resolver_job */
	unsigned int nr_jobs;
};

/* Logs that the path is down, and ends the session. @error: 0 for an orderly end, -EPROTO if the
 * peer broke the protocol, else the path is lost. @why: reason for people. */
void session_lose(struct session *session, int error, const char *why);

/* Starts a timer, which acts on the session if its state is still the same after @ms. */
void session_start_timer(struct session *session, unsigned int ms);

/* Send a control frame. If there is no memory for it the session ends on the next turn. */
void session_send(struct session *session, const struct lfp_frame *frame);

/* An answer: code, request, task and socket are taken from the question. */
struct lfp_frame session_reply(const struct lfp_frame *frame);

/* Answer with a status (0 or a positive errno) and nothing else. */
void session_answer(struct session *session, const struct lfp_frame *frame, int status);

/* Returns whether its sockets rest: lfpd then neither polls, reads nor accepts. */
static inline bool session_rests(const struct session *session)
{
	return session->phase != PHASE_RUNS;
}

#endif
