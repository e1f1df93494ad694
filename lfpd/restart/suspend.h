/* SPDX-License-Identifier: Apache-2.0 */
/* suspend.h - ending an instance so that another lfpd can go on with its session, and going on with
 * it */
#ifndef LFPD_RESTART_SUSPEND_H
#define LFPD_RESTART_SUSPEND_H

#include <stddef.h>

#include "lfpd/state/instance.h"

struct session;
struct lfp_frame;

/* The state and the descriptors for the next lfpd. The holder of the struct owns the
 * descriptors. */
struct suspended {
	int memory; /* a sealed memory file with the state, see saved.h */
	int *fds;   /* the host's sockets, in no order; they reset their connections when closed */
	size_t nr;
	bool packed; /* @fds have them in their queues, until handover_claim() */
};

/**
 * suspend_begin() - rest, and agree with the z/VSE side on what was sent
 * @done:	called once, perhaps before the return: 0 and what is left, which the callee takes
 *		over (its array of descriptors is freed after the call), or a negative errno and
 * NULL. Then the session has ended, its sockets have no handles any more, and the instance is only
 * to be stopped.
 *
 * A session that cannot be suspended, because the z/VSE side does not offer it or does not answer
 * in time, is ended as always; only orphans are left then. One that is still to be resumed is
 * waited for, as without it there would be nothing to leave.
 */
void suspend_begin(struct instance *inst, suspend_done done);

/* A session that runs does not go on in the lfpd that comes, or came, by a restart. */
void suspend_say_lost(const struct session *session, const char *why);

/* SUSPENDED of the z/VSE side. */
int suspend_handle_suspended(struct session *session, const struct lfp_frame *frame,
			     const char **why);

/* The session is suspended, or has ended: save the state and call the callback of suspend_begin().
 */
void suspend_finish(struct instance *inst);

/**
 * resume_offer() - take over what was left, right after instance_start()
 * @what:	its descriptors are the instance's from now on, in any case; its array is the
 * caller's
 *
 * Orphans go on at once; the rest waits until the z/VSE side asks for the session (HELLO), and is
 * reset if it asks for another one or does not come. Logs errors in the state. Return: 0 or a
 * negative errno, with everything reset.
 */
int resume_offer(struct instance *inst, const struct suspended *what);

/* HELLO was good: if it is for the session that waits, the session is that one from now on. */
void resume_try(struct session *session);

int resume_handle_resume(struct session *session, const struct lfp_frame *frame, const char **why);
int resume_handle_resumed(struct session *session, const struct lfp_frame *frame, const char **why);

/* Reset the sockets that the z/VSE side has not asked for. */
void resume_drop(struct instance *inst);

#endif
