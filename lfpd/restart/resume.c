/* SPDX-License-Identifier: Apache-2.0 */
/* resume.c - going on with the session that another lfpd has suspended */
#include "lfpd/restart/suspend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lfp/log.h"
#include "lfp/daemon.h"
#include "lfpd/restart/restore.h"
#include "lfpd/saved/saved.h"
#include "lfpd/sock/life.h"
#include "lfpd/sock/datagram.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/stream.h"
#include "lfpd/state/session.h"
#include "lfpd/users/who.h"

/*
 * Theory of operation
 *
 * All of the saved state is checked before any of it is used. Then it is read twice: at once for
 * the orphans, and for the rest when the z/VSE side has asked for the session. Until then the
 * host's sockets are left to the kernel, which goes on receiving into their buffers and accepting
 * into their backlogs.
 *
 * The sockets of a resumed session rest until RESUMED. RESUME compares both sides' positions and
 * epochs of a socket. If they differ, the socket is lost as by a reset, and the others go on.
 */

struct resume {
	struct instance *instance;
	struct restore from;
	struct saved_session session;
	struct session *taker; /* whose it is, while it is resumed */
	uv_timer_t timer;
};

/* From the loop: the session may have been in the middle of something. */
static void on_closed(uv_handle_t *handle)
{
	struct resume *resume = handle->data;
	struct instance *inst = resume->instance;

	free(resume);
	if (inst->suspend_done && !inst->rests && !inst->stopping)
		suspend_begin(inst, inst->suspend_done);
}

void resume_drop(struct instance *inst)
{
	struct resume *resume = inst->resume;

	if (!resume)
		return;
	inst->resume = NULL;
	restore_finish(&resume->from);
	uv_close((uv_handle_t *)&resume->timer, on_closed);
}

static void on_late(uv_timer_t *timer)
{
	struct resume *resume = timer->data;

	if (resume->taker)
		return;
	lfp_msg("VLFD152W",
		"The session of %s of %s was not resumed in time, and its sockets are reset.",
		resume->session.appname, resume->session.vmid);
	resume_drop(resume->instance);
}

int resume_offer(struct instance *inst, const struct suspended *what)
{
	struct resume *resume = calloc(1, sizeof(*resume));
	const char *why = "not enough memory";
	struct restore from;
	int rc = restore_init(&from, what, &why);

	if (rc || !resume) {
		lfp_msg("VLFD151E",
			"The state saved by the previous lfpd for instance %s cannot be used: %s. "
			"Its sockets are reset.",
			inst->config.iucv_src_appname, why);
		free(resume);
		if (!rc)
			restore_finish(&from);
		return rc ? rc : -ENOMEM;
	}
	resume->instance = inst;
	resume->from = from;
	uv_timer_init(inst->loop, &resume->timer);
	resume->timer.data = resume;
	inst->resume = resume;
	restore_orphans(&resume->from, inst, &resume->session);
	if (!resume->session.id)
		resume_drop(inst);
	else
		uv_timer_start(&resume->timer, on_late, LFP_HOLD_MS, 0);
	return 0;
}

void resume_try(struct session *session)
{
	struct instance *inst = session->instance;
	struct resume *resume = inst->resume;
	const struct saved_session *saved;

	if (!resume)
		return;
	saved = &resume->session;
	if (!(session->features & LFP_FEATURE_RESUME) || session->hello.session != saved->id ||
	    strcmp(session->hello.vmid, saved->vmid) ||
	    strcmp(session->hello.appname, saved->appname)) {
		resume_drop(inst);
		return;
	}
	uv_timer_stop(&resume->timer);
	resume->taker = session;
	session->id = saved->id;
	session->last_id = saved->last_id;
	session->next_accept = saved->next_accept;
	session->peer_window = saved->window;
	session->phase = PHASE_RESUMING;
	restore_session(&resume->from, session);
	session_start_timer(session, LFP_RESUME_MS);
}

/* The two sides differ in their bytes or epochs: the socket is lost. */
static void lose(struct socket *sock, const struct lfp_frame *frame)
{
	const struct lfp_resume *theirs = &frame->resume;

	stream_drop(sock);
	socket_mark_lost(sock);
	sock->epoch = frame->epoch;
	sock->instance->counters.resets++;
	/* Frames that cross the answer are dropped, but their bytes count. */
	sock->in.received = sock->in.consumed = sock->in.reported = theirs->sent;
	sock->out.sent = sock->out.consumed = theirs->received;
}

int resume_handle_resume(struct session *session, const struct lfp_frame *frame, const char **why)
{
	struct lfp_table_link *node = lfp_table_find(&session->sockets, frame->sock);
	struct lfp_frame reply = session_reply(frame);
	struct socket *sock;

	if (!node) {
		session_answer(session, frame, EBADF);
		return 0;
	}
	sock = socket_of(node);
	if (!restore_name(&session->instance->resume->from, frame->sock)) {
		*why = "RESUME for a socket that is already resumed";
		return -EPROTO;
	}
	reply.resume.sent = sock->out.sent;
	reply.resume.received = sock->in.received;
	if (frame->resume.sent != sock->in.received || frame->resume.received != sock->out.sent ||
	    frame->epoch != sock->epoch) {
		reply.status = ECONNRESET;
		lose(sock, frame);
	}
	session_send(session, &reply);
	return 0;
}

/* The socket rests no more: look for data and errors that came meanwhile. */
static void go_on(struct socket *sock)
{
	switch (sock->state) {
	case SOCKET_ESTABLISHED:
		socket_hint(sock, HINT_UNSURE, true);
		socket_hint(sock, HINT_ERRORS, true);
		if (sock->stream.queue.len)
			stream_flush(sock);
		if (sock->state == SOCKET_ESTABLISHED)
			stream_on_readable(sock);
		break;
	case SOCKET_DATAGRAM:
		datagram_on_event(sock, UV_READABLE | UV_WRITABLE, true);
		break;
	default:
		break;
	}
	socket_arm(sock);
}

int resume_handle_resumed(struct session *session, const struct lfp_frame *frame, const char **why)
{
	struct resume *resume = session->instance->resume;
	size_t gone = restore_drop_unnamed(&resume->from, session);
	struct lfp_table_link *node = NULL;

	(void)why;
	uv_timer_stop(&session->timer);
	session_answer(session, frame, 0);
	session->phase = PHASE_RUNS;
	who_ask(session);
	lfp_msg_always("VLFD153I",
		       "The session of %s of %s goes on with %zu sockets; %zu were reset.",
		       session->hello.appname, session->hello.vmid, session->sockets.count, gone);
	while ((node = lfp_table_next(&session->sockets, node)))
		go_on(socket_of(node));
	restore_questions(&resume->from, session);
	resume_drop(session->instance);
	return 0;
}
