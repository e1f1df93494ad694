/* SPDX-License-Identifier: Apache-2.0 */
/* connect.c - connect(): blocking, non-blocking, and from one to the other */
#include "ijblfp/sock/connect.h"

#include <errno.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "ijblfp/near/near-names.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/early.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/sweep-timer.h"
#include "ijblfp/sock/vsock.h"
#include "ijblfp/sock/waiter.h"
#include "ijblfp/sock/watch.h"

/*
 * Theory of operation
 *
 * From the request on, a connecting socket has a copy of its near end's descriptor, until it has a
 * far end. While all waiting callers are blocking, the near end stays like a new one, so that the
 * socket can connect again after a failure. So the far end is made only when the connection exists
 * (establish()). Once a caller does not wait, the near end must look like that of a connecting
 * socket. It gets its far end and the gate (go_on_alone()), and from then on a failure is final.
 */

static void set_told(struct vsock *vs, enum told to)
{
	vs->stream.told = lfp_transition(&told_states, vs->stream.told, to);
}

void connect_note_told(struct vsock *vs)
{
	set_told(vs, TOLD_CONNECTED);
}

void connect_spend(struct vsock *vs)
{
	set_told(vs, TOLD_END);
}

void connect_note_shut(struct vsock *vs)
{
	vs->stream.shut = true;
}

void connect_forget(struct vsock *vs)
{
	vs->stream.shut = false;
	vs->stream.told = TOLD_NOTHING; /* past the table */
}

/* Answers a non-blocking caller: the connection is not yet made. */
static void answer_under_way(struct connect_waiter *waiter)
{
	waiter_leave(waiter);
	waiter->done(waiter, waiter->joined ? EALREADY : EINPROGRESS, false);
}

/* Answers the non-blocking callers. */
static void answer_others(struct vsock *vs)
{
	struct lfp_list *all = &vs->waiters;
	struct connect_waiter *waiter, *next;

	waiter = lfp_list_first_entry(all, struct connect_waiter, place);
	for (; waiter; waiter = next) {
		next = lfp_list_next_entry(all, waiter, place);
		if (!waiter->blocking)
			answer_under_way(waiter);
	}
}

/* The attempt failed for a reason on this side. @error is positive. */
static void give_up(struct instance *inst, struct vsock *vs, int error)
{
	waiters_answer(vs, error);
	end_bury(inst, vs, error);
}

int connect_make_far(struct instance *inst, struct vsock *vs, int near)
{
	int far = near_pair(inst->near, near), rc;

	if (far < 0)
		return far;
	vsock_hold_far(vs, inst->near, far);
	rc = early_send(inst, vs, near);
	/* Other sockets may have taken the room since the check before the request. */
	return rc ? rc : descriptors_check_full(inst, far);
}

/* Makes the far end, and watches it. Returns 0 or a negative errno. */
static int make_far(struct instance *inst, struct vsock *vs)
{
	int rc = connect_make_far(inst, vs, vs->copy);

	return rc ? rc : stream_watch(inst, vs);
}

/* No caller waits: from now on the near end has to show the state. */
static void go_on_alone(struct instance *inst, struct vsock *vs)
{
	int64_t filled;
	int rc;

	if (vs->far >= 0)
		return;
	rc = near_size(inst->near, vs->copy);
	if (!rc)
		rc = make_far(inst, vs);
	if (rc) {
		give_up(inst, vs, -descriptors_lack(inst, rc));
		return;
	}
	filled = near_gate_fill(vs->copy);
	if (filled < 0) {
		give_up(inst, vs, (int)-filled);
		return;
	}
	vs->gate = (uint64_t)filled;
	vsock_drop_copy(vs);
	answer_others(vs);
}

static void establish(struct instance *inst, struct vsock *vs)
{
	bool gated = vs->far >= 0;
	int rc = gated ? near_gate_drain(vs->far, vs->gate) : make_far(inst, vs);

	/* Sized only now, as TCP reports its new state to edge-triggered sets now. */
	if (!rc && !gated)
		rc = near_size(inst->near, vs->copy);
	if (rc) {
		give_up(inst, vs, -descriptors_lack(inst, rc));
		return;
	}
	vs->gate = 0;
	vsock_drop_copy(vs);
	if (!lfp_list_empty(&vs->waiters))
		connect_note_told(vs);
	vsock_set_state(inst->socks, vs, VSOCK_ESTABLISHED);
	inst->watch->connected(inst, vs);
	ijblfp_stream_begin(inst, vs);
	/* A far end that is new still has its edges. */
	stream_go(inst, vs, gated);
	waiters_answer(vs, 0);
}

/* Fails a connect() on a near end that is shut: the program gets the error, and a near end that is
 * not shut. */
static void fail_shut(struct instance *inst, struct vsock *vs, int error)
{
	struct connect_waiter *waiter = waiter_first(vs);

	waiter_leave(waiter);
	waiters_answer(vs, error);
	end_connection(inst, vs, 0);
	connect_spend(vs);
	waiter->done(waiter, error, true);
}

static void fail(struct instance *inst, struct vsock *vs, int error)
{
	bool told = !lfp_list_empty(&vs->waiters);

	if (vs->stream.shut && told) {
		fail_shut(inst, vs, error);
		return;
	}

	waiters_answer(vs, error);
	if (vs->far >= 0) {
		end_connection(inst, vs, told ? 0 : error);
		/* As in the kernel: a caller that got the error can try again; other callers get it
		 * from their next connect(). */
		if (told)
			connect_spend(vs);
		return;
	}
	/* A new socket may wait for its next call without end. */
	vsock_give_path(inst->near, vs, vs->copy);
	vsock_drop_copy(vs);
	vsock_set_state(inst->socks, vs, VSOCK_NEW);
	sweep_timer_start(inst);
}

static void on_reply(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	struct vsock *vs = vsock_find(inst->socks, request->sock);

	/* Without a path all sockets are buried in a moment. */
	if (!reply || !vs || vs->state != VSOCK_CONNECTING)
		return;
	/* The answer is about an earlier attempt, which another call has ended. */
	if (vs->epoch != request->frame.epoch)
		return;
	if (!reply->status)
		establish(inst, vs);
	else if (reply->status != EINPROGRESS)
		fail(inst, vs, reply->status);
	else if (!waiters_block(vs))
		go_on_alone(inst, vs);
}

int connect_on_connected(struct instance *inst, struct vsock *vs, int status, const char **why)
{
	*why = "connection of a socket that does not connect";
	if (vs->state != VSOCK_CONNECTING)
		return -EPROTO;
	if (status)
		fail(inst, vs, status);
	else
		establish(inst, vs);
	return 0;
}

/* Answers a caller whose connection could not be dissolved. The program has not got the error that
 * the call has taken from @vs, so the next call gets it. @vs may be NULL. */
static void fail_to_dissolve(struct vsock *vs, struct connect_waiter *waiter, int error)
{
	if (waiter->taken && vs && vs->state == VSOCK_OVER && vs->stream.told != TOLD_END)
		vsock_set_error(vs, waiter->taken);
	waiter->done(waiter, error, false);
}

/* Ends the connection: connect() with AF_UNSPEC. */
static void on_dissolved(struct instance *inst, struct request *request,
			 const struct lfp_frame *reply)
{
	struct vsock *vs = vsock_find(inst->socks, request->sock);
	struct connect_waiter *waiter = request->data;
	int error = reply ? reply->status : ENETDOWN;

	/* Another call has ended that life. This answer must not end the present one. */
	if (!error && vs && vs->epoch != request->frame.epoch) {
		waiter->done(waiter, waiter->error, vs->state == VSOCK_OVER);
		return;
	}
	if (error) {
		fail_to_dissolve(vs && vs->epoch == request->frame.epoch ? vs : NULL, waiter,
				 error);
		return;
	}
	if (vs)
		vsock_next_life(inst, vs);
	if (!vs || vs->state == VSOCK_NEW || vs->state == VSOCK_CLOSING) {
		waiter->done(waiter, 0, false);
		return;
	}
	/* The near end cannot be made new again. A connection leaves an error, as in the kernel. */
	end_listener(inst, vs);
	waiters_answer(vs, ECONNABORTED);
	end_connection(inst, vs, waiter->was_made ? ECONNRESET : 0);
	connect_spend(vs);
	waiter->done(waiter, waiter->error, true);
}

void connect_dissolve(struct instance *inst, struct vsock *vs, struct connect_waiter *waiter)
{
	struct lfp_frame frame = {.code = LFP_CONNECT, .sock = vs->id};
	struct request *request;
	int error;

	waiter->was_made = vs->state == VSOCK_CONNECTING || vs->state == VSOCK_ESTABLISHED;
	request = request_send(inst, &frame, on_dissolved, &error);
	if (request)
		request->data = waiter;
	else
		fail_to_dissolve(vs, waiter, -error);
}

/* Returns 0 if the attempt has begun, or a positive errno. */
static int start(struct instance *inst, struct vsock *vs, const struct lfp_addr *peer, int *near)
{
	struct lfp_frame frame = {.code = LFP_CONNECT, .sock = vs->id, .connect.peer = *peer};
	int error = descriptors_check_room(inst, *near);

	if (error || !request_send(inst, &frame, on_reply, &error))
		return -error;
	vsock_set_error(vs, 0);
	vs->copy = *near;
	*near = -1;
	vsock_set_state(inst->socks, vs, VSOCK_CONNECTING);
	return 0;
}

/* connect() after the connection failed or was lost: the program gets a near end for the next
 * attempt. */
static void again(struct instance *inst, struct vsock *vs, struct connect_waiter *waiter)
{
	int error = 0, own = vs->reset;

	if (vs->stream.told == TOLD_CONNECTED) {
		waiter->done(waiter, EISCONN, false);
		return;
	}
	if (vs->stream.told != TOLD_END)
		error = vsock_take_error(vs, ECONNABORTED);
	/* With the error the kernel makes its socket new (__inet_stream_connect()). */
	if (vs->stream.lost && vs->stream.told != TOLD_END) {
		waiter->error = error;
		waiter->taken = own;
		connect_dissolve(inst, vs, waiter);
		return;
	}
	connect_spend(vs);
	waiter->done(waiter, error, true);
}

bool connect_begin(struct instance *inst, struct vsock *vs, struct connect_waiter *waiter,
		   const struct lfp_addr *peer, int *near)
{
	int error = EISCONN;

	if (peer->family == LFP_AF_UNSPEC) {
		connect_dissolve(inst, vs, waiter);
		return false;
	}
	/* Not even an attempt, so the near end and its shutdown stay: tcp_v4_connect(),
	 * tcp_v6_connect() */
	if (peer->family != vs->family &&
	    (vs->state == VSOCK_NEW || (vs->state == VSOCK_OVER && vs->stream.told == TOLD_END))) {
		error = vs->family == LFP_AF_INET6 ? EINVAL : EAFNOSUPPORT;
		waiter->done(waiter, error, false);
		return false;
	}
	switch (vs->state) {
	case VSOCK_NEW:
		error = start(inst, vs, peer, near);
		if (error)
			break;
		waiter_add(waiter, vs);
		return true;
	case VSOCK_CONNECTING:
		/* As in the kernel (inet_stream_connect()): a blocking call waits for the
		 * connection that is under way. */
		error = EALREADY;
		if (!waiter->blocking)
			break;
		waiter->joined = true;
		waiter_add(waiter, vs);
		return true;
	case VSOCK_OVER:
		again(inst, vs, waiter);
		return false;
	case VSOCK_ESTABLISHED:
	case VSOCK_RESET:
		error = vs->stream.told != TOLD_NOTHING ? EISCONN : 0;
		connect_note_told(vs);
		break;
	default:
		break;
	}
	waiter->done(waiter, error, false);
	return false;
}

void connect_go_on(struct instance *inst, struct connect_waiter *waiter)
{
	/* The caller gets its answer when the near end shows the state. */
	waiter->blocking = false;
	if (waiter->vs->far >= 0)
		answer_under_way(waiter);
	else
		go_on_alone(inst, waiter->vs);
}

void connect_leave(struct instance *inst, struct connect_waiter *waiter)
{
	struct vsock *vs = waiter->vs;

	waiter_leave(waiter);
	/* If no caller waits any more, the socket goes on alone. */
	if (vs->state == VSOCK_CONNECTING && !waiters_block(vs))
		go_on_alone(inst, vs);
}
