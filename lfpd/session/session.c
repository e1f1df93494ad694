/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - one path from HELLO to its end: dispatch of frames, its sockets and tasks */
#include "lfpd/session/session.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/log.h"
#include "lfpd/names/interfaces.h"
#include "lfpd/names/resolver.h"
#include "lfpd/restart/suspend.h"
#include "lfpd/sock/datagram.h"
#include "lfpd/sock/life.h"
#include "lfpd/sock/gather.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/stream.h"
#include "lfpd/state/instance.h"
#include "lfpd/users/task.h"

/*
 * Theory of operation
 *
 * A session is one path to an LFP instance, from the connection to its end. enum session_state and
 * enum session_phase (state/session.h) have its states.
 *
 * Beginning: session_create() makes a candidate (HELLO). admission.c checks HELLO. If the instance
 * has no session, the candidate becomes it (ACTIVE). Otherwise the candidate is WAITING, while lfpd
 * checks whether the present session is alive: only one of the two may stay. There are at most
 * CANDIDATES_MAX candidates. If there are more, lfpd drops one that has not sent HELLO.
 *
 * Frames: on_frame() gets each frame of the path. Frames about the session, tasks, new sockets and
 * names have a handler here; all others go to a socket by dispatch.c. A frame that breaks the rules
 * of the path ends the session. One that breaks the rules of a socket ends that socket
 * (disagree.c). DATA is gathered (gather.c) and sent before any other frame is handled, and at the
 * end of a batch.
 *
 * Back-pressure: if the path takes no more of our answers, on_frame() pauses it, and on_ready()
 * lets it go on. Sockets that have data for a full path wait in session->ready; flow_serve() serves
 * them in order.
 *
 * End: session_end() resets all sockets but orphans, which belong to the instance, and drops tasks
 * and look-ups. Memory is freed when libuv has closed the timer. The next waiting candidate is
 * then admitted. If the session was to be suspended, or has been, suspend_finish() saves what is
 * left. A path that ends while PHASE_SUSPENDED ends as agreed: suspend_finish() saves the sockets
 * before session_end() could reset them.
 */

#define CANDIDATES_MAX 16
#define HELLO_MS       10000
#define MANY_WAIT      32

typedef int (*session_handler)(struct session *session, const struct lfp_frame *frame,
			       const char **why);

static const session_handler session_handlers[256] = {
	[LFP_TASK_BEGIN] = task_handle_begin,
	[LFP_TASK_END] = task_handle_end,
	[LFP_TASK_WHO] = task_handle_who,
	[LFP_SOCKET] = life_handle_socket,
	[LFP_GETADDRINFO] = resolver_handle_getaddrinfo,
	[LFP_GETNAMEINFO] = resolver_handle_getnameinfo,
	[LFP_GETHOSTBYNAME] = resolver_handle_gethostbyname,
	[LFP_GETHOSTBYADDR] = resolver_handle_gethostbyaddr,
	[LFP_GETHOSTNAME] = resolver_handle_gethostname,
	[LFP_GETHOSTID] = resolver_handle_gethostid,
	[LFP_GETIFADDRS] = interfaces_handle,
	[LFP_SUSPENDED] = suspend_handle_suspended,
	[LFP_RESUME] = resume_handle_resume,
	[LFP_RESUMED] = resume_handle_resumed,
};

/* Returns whether z/VSE may send this code now. */
static bool is_expected(const struct session *session, uint8_t code)
{
	switch (session->phase) {
	case PHASE_RUNS:
	case PHASE_SUSPENDING:
		return code != LFP_RESUME && code != LFP_RESUMED &&
		       (session_handlers[code] || dispatch_knows(code));
	case PHASE_SUSPENDED:
		return false;
	case PHASE_RESUMING:
		return code == LFP_RESUME || code == LFP_RESUMED;
	}
	return false;
}

static int dispatch(struct session *session, const struct lfp_frame *frame, const char **why)
{
	if (!is_expected(session, frame->code)) {
		*why = "unexpected message";
		return -EPROTO;
	}

	/* Data that came before this frame is sent before the frame has an effect. */
	if (frame->code != LFP_DATA)
		gather_send(session);
	if (session_handlers[frame->code])
		return session_handlers[frame->code](session, frame, why);
	dispatch_to_socket(session, frame);
	return 0;
}

static void ask_again(struct session *session, const struct lfp_frame *frame)
{
	const char *why;

	(void)session_handlers[frame->code](session, frame, &why);
}

static int on_frame(struct path *path, const struct lfp_frame *frame, const char **why)
{
	struct session *session = path_data(path);
	int rc;

	switch (session->state) {
	case SESSION_HELLO:
		if (frame->code == LFP_HELLO) {
			admission_handle_hello(session, frame);
			return 0;
		}
		*why = "message before HELLO";
		return -EPROTO;
	case SESSION_WAITING:
		*why = "message before HELLO was answered";
		return -EPROTO;
	case SESSION_ENDED:
		return 0;
	case SESSION_ACTIVE:
		break;
	}
	rc = dispatch(session, frame, why);
	/* A peer that does not read our answers must not make lfpd queue more of them. */
	if (!rc && !session->paused && path_congested(path)) {
		session->paused = true;
		path_pause(path, true);
	}
	return rc;
}

/*
 * Lets programs and far ends run, if many sockets wait for the path. Otherwise lfpd would move data
 * for all of them, and the first data would have left the processor's cache before anybody reads
 * it.
 */
static void give_way(const struct session *session)
{
	if (lfp_list_has(&session->ready, MANY_WAIT))
		(void)sched_yield();
}

static void on_ready(struct path *path)
{
	struct session *session = path_data(path);

	if (session->state != SESSION_ACTIVE)
		return;
	if (session->paused) {
		session->paused = false;
		path_pause(path, false);
	}
	if (session_rests(session))
		return;
	give_way(session);
	flow_serve(session);
}

static void on_down(struct path *path, int error, const char *why)
{
	struct session *session = path_data(path);

	/* SUSPENDED was sent by both sides: this end was agreed on. */
	if (session->state == SESSION_ACTIVE && session->phase == PHASE_SUSPENDED && !error)
		suspend_finish(session->instance);
	else
		session_lose(session, error, why);
}

static void on_batch(struct path *path)
{
	gather_send(path_data(path));
}

static const struct path_ops path_ops = {
	.on_batch = on_batch,
	.on_frame = on_frame,
	.on_ready = on_ready,
	.on_down = on_down,
};

static void on_timer(uv_timer_t *timer)
{
	struct session *session = timer->data;

	switch (session->state) {
	case SESSION_HELLO:
		session_end(session, "no HELLO within 10 seconds");
		break;
	case SESSION_WAITING:
		admission_refuse_second(session);
		break;
	case SESSION_ACTIVE:
		if (session_rests(session)) {
			suspend_say_lost(
				session,
				session->phase == PHASE_RESUMING
					? "the z/VSE side did not resume the session in time"
					: "the z/VSE side has not suspended the session in time");
			session_end(
				session,
				"the z/VSE side has not suspended or resumed the session in time");
			break;
		}
		lfp_msg("VLFD114E",
			"Ended the path to %s of %s, because an answer could not be sent.",
			session->hello.appname, session->hello.vmid);
		session_end(session, "an answer could not be sent");
		break;
	case SESSION_ENDED:
		break;
	}
}

static const struct session_ops session_ops = {
	.on_timer = on_timer,
	.end = session_end,
	.ask_again = ask_again,
};

/* Ends one candidate that has not sent HELLO. */
static void make_room(struct instance *inst)
{
	struct session *session;

	lfp_list_each(session, &inst->candidates, entry)
		if (session->state == SESSION_HELLO) {
			session_end(session, "no HELLO, and others are waiting to connect");
			return;
		}
}

void session_create(struct instance *inst, struct transport_conn *conn)
{
	struct session *session = NULL;

	if (inst->nr_candidates >= CANDIDATES_MAX)
		make_room(inst);
	if (inst->nr_candidates < CANDIDATES_MAX)
		session = calloc(1, sizeof(*session));
	if (session)
		session->gather = gather_create(stream_take);
	if (!session || !session->gather) {
		free(session);
		conn->on_closed = NULL;
		conn->transport->close(conn);
		return;
	}
	session->path = path_create(inst->loop, conn, LFP_FROM_VSE, inst->config.mtu_size,
				    &path_ops, session);
	if (!session->path) {
		free(session->gather);
		free(session);
		return;
	}
	path_set_tap(session->path, &inst->tap);
	session->instance = inst;
	session->state = SESSION_HELLO;
	session->next_accept = 1;
	session->sockets.keys = session->tasks.keys = LFP_KEYS_SPARSE;
	lfp_list_init(&session->entry);
	lfp_list_init(&session->ready);
	lfp_list_init(&session->jobs);
	uv_timer_init(inst->loop, &session->timer);
	session->timer.data = session;
	session->ops = &session_ops;
	session_start_timer(session, HELLO_MS);
	lfp_list_append(&inst->candidates, &session->entry);
	inst->nr_candidates++;
}

static void on_closed(uv_handle_t *handle)
{
	struct session *session = handle->data;

	free(session->gather);
	free(session);
}

void session_end(struct session *session, const char *reason)
{
	struct instance *inst = session->instance;
	bool was_active = session->state == SESSION_ACTIVE;
	struct lfp_table_link *node;

	if (session->state == SESSION_ENDED)
		return;
	session->state = SESSION_ENDED;
	gather_drop(session);
	while ((node = lfp_table_any(&session->sockets)))
		socket_release(socket_of(node), true);
	resolver_drop_all(session);
	task_drop_all(session);
	if (was_active)
		counters_keep(&inst->counters, path_stats(session->path));
	path_close(session->path, reason);
	uv_close((uv_handle_t *)&session->timer, on_closed);
	if (!was_active) {
		lfp_list_del(&session->entry);
		inst->nr_candidates--;
		return;
	}
	inst->session = NULL;
	resume_drop(inst);
	/* The instance is being suspended, and no session is left to wait for. */
	if (inst->suspend_done)
		suspend_finish(inst);
	instance_tell_status(inst);
	if (!inst->stopping)
		admission_admit_next(inst);
}
