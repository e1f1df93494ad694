/* SPDX-License-Identifier: Apache-2.0 */
/* connect.c - connect(): blocking, non-blocking, and from one to the other */
#include "ijblfp/sock/connect.h"

#include <errno.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/ctl.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "ijblfp/near/near-names.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/listen.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/sweep.h"
#include "ijblfp/sock/vsock.h"
#include "ijblfp/sock/watch.h"

/*
 * Theory of operation
 *
 * A socket that connects has a copy of its near end's descriptor from the request, until it has a
 * far end. While all who wait are blocking callers, it is as new, so that it can connect again
 * after a failure; that is why the far end is made only with the connection (establish). As soon as
 * somebody does not wait, the near end must show what a connecting socket shows: it gets its far
 * end and the gate (go_on_alone), and a failure is then final.
 */

static void wait_for(struct ctl_conn *conn, struct vsock *vs, bool blocking)
{
	conn->vs = vs;
	conn->blocking = blocking;
	list_append(&vs->waiters, &conn->place);
	if (blocking && !conn->borrowed) /* else the parked one is watched */
		ctl_watch_soon(conn);
}

static void stop_waiting(struct ctl_conn *conn)
{
	conn->vs = NULL;
	list_del(&conn->place);
}

void connect_answer_all(struct vsock *vs, int error)
{
	struct list *first;

	while ((first = list_first(&vs->waiters))) {
		struct ctl_conn *conn = list_entry(first, struct ctl_conn, place);

		stop_waiting(conn);
		ctl_fail(conn, error);
	}
}

/* Does somebody wait, and nobody who wants to go on without an answer? */
static bool all_block(const struct vsock *vs)
{
	for (const struct list *at = vs->waiters.next; at != &vs->waiters; at = at->next)
		if (!list_entry(at, struct ctl_conn, place)->blocking)
			return false;
	return !list_empty(&vs->waiters);
}

/* The connection is not yet made, and @conn does not wait for it. */
static void answer_under_way(struct ctl_conn *conn)
{
	stop_waiting(conn);
	ctl_fail(conn, conn->joined ? EALREADY : EINPROGRESS);
}

/* Those who do not wait are answered. */
static void answer_others(struct vsock *vs)
{
	struct list *at = vs->waiters.next, *next;

	for (; at != &vs->waiters; at = next) {
		struct ctl_conn *conn = list_entry(at, struct ctl_conn, place);

		next = at->next;
		if (!conn->blocking)
			answer_under_way(conn);
	}
}

/* It failed for a reason on this side; @error is positive. */
static void give_up(struct instance *inst, struct vsock *vs, int error)
{
	connect_answer_all(vs, error);
	end_bury(inst, vs, error);
}

/* The far end; the copy is given up unless the caller still needs it. 0 or a negative errno. */
static int make_far(struct instance *inst, struct vsock *vs)
{
	int far = near_pair(inst->near, vs->copy), rc;

	if (far < 0)
		return far;
	vs->far = far;
	vs->paired = true;
	/* Others may have taken the room since start(). */
	rc = descriptors_check_full(inst, far);
	return rc ? rc : stream_watch(inst, vs);
}

/* Nobody waits: the near end has to show the state from now on. */
static void go_on_alone(struct instance *inst, struct vsock *vs)
{
	int64_t filled;
	int rc;

	if (vs->far >= 0)
		return;
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
	int rc = vs->far >= 0 ? near_gate_drain(vs->far, vs->gate) : make_far(inst, vs);

	if (rc) {
		give_up(inst, vs, -descriptors_lack(inst, rc));
		return;
	}
	vs->gate = 0;
	vsock_drop_copy(vs);
	vs->told = !list_empty(&vs->waiters);
	vsock_set_state(inst->socks, vs, VSOCK_ESTABLISHED);
	inst->watch->connected(inst, vs);
	stream_begin(inst, vs);
	stream_go(inst, vs);
	connect_answer_all(vs, 0);
}

/* The program gets a near end that is not shut, together with the error. */
static void fail_shut(struct instance *inst, struct vsock *vs, int error)
{
	struct ctl_conn *conn = list_entry(list_first(&vs->waiters), struct ctl_conn, place);

	stop_waiting(conn);
	connect_answer_all(vs, error);
	end_connection(inst, vs, 0);
	vs->spent = true;
	ctl_answer(conn, EBADFD, error, NULL, 0, -1);
}

static void fail(struct instance *inst, struct vsock *vs, int error)
{
	bool told = !list_empty(&vs->waiters);

	if (vs->shut && told) {
		fail_shut(inst, vs, error);
		return;
	}

	connect_answer_all(vs, error);
	if (vs->far >= 0) {
		end_connection(inst, vs, told ? 0 : error);
		/* As the kernel does: who was told can try again, others are told by connect(). */
		vs->spent = told;
		return;
	}
	vsock_drop_copy(vs);
	vsock_set_state(inst->socks, vs, VSOCK_NEW);
	sweep_start(inst);
}

static void on_reply(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	struct vsock *vs = vsock_find(inst->socks, request->sock);

	/* Without a path all sockets are buried in a moment. */
	if (!reply || !vs || vs->state != VSOCK_CONNECTING)
		return;
	/* It is about an attempt before this one, which another call has ended. */
	if (vs->epoch != request->frame.epoch)
		return;
	if (!reply->status)
		establish(inst, vs);
	else if (reply->status != EINPROGRESS)
		fail(inst, vs, reply->status);
	else if (!all_block(vs))
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

/* connect() with AF_UNSPEC. */
static void on_dissolved(struct instance *inst, struct request *request,
			 const struct lfp_frame *reply)
{
	struct vsock *vs = vsock_find(inst->socks, request->sock);
	int error = reply ? reply->status : ENETDOWN;

	/* Another call has ended that life: what there is now is not this one's to end. */
	if (!error && vs && vs->epoch != request->frame.epoch) {
		ctl_fail(request->conn, vs->state == VSOCK_OVER ? EBADFD : 0);
		return;
	}
	if (!error && vs)
		vsock_next_life(inst, vs);
	if (error || !vs || vs->state == VSOCK_NEW || vs->state == VSOCK_CLOSING) {
		ctl_fail(request->conn, error);
		return;
	}
	/* The near end can't be made new again. A connection leaves an error, as in the kernel. */
	listen_end(inst, vs);
	connect_answer_all(vs, ECONNABORTED);
	end_connection(inst, vs, request->was_made ? ECONNRESET : 0);
	vs->spent = true;
	ctl_fail(request->conn, EBADFD);
}

void connect_dissolve(struct instance *inst, struct ctl_conn *conn, struct vsock *vs)
{
	struct lfp_frame frame = {.code = LFP_CONNECT, .sock = vs->id};
	struct request *request;
	bool was_made = vs->state == VSOCK_CONNECTING || vs->state == VSOCK_ESTABLISHED;
	int error;

	request = request_send(inst, &frame, on_dissolved, &error);
	if (request) {
		request->conn = conn;
		request->was_made = was_made;
	} else {
		ctl_fail(conn, -error);
	}
}

static void start(struct instance *inst, struct ctl_conn *conn, struct vsock *vs,
		  const struct lfp_addr *peer, bool blocking)
{
	struct lfp_frame frame = {.code = LFP_CONNECT, .sock = vs->id, .connect.peer = *peer};
	int error = descriptors_check_room(inst, conn->passed);

	if (error || !request_send(inst, &frame, on_reply, &error)) {
		ctl_fail(conn, -error);
		return;
	}
	vs->reset = 0;
	vs->copy = conn->passed;
	conn->passed = -1;
	vsock_set_state(inst->socks, vs, VSOCK_CONNECTING);
	wait_for(conn, vs, blocking);
}

/* connect() when the connection has failed or was lost: the program gets a near end for the next.
 */
static void again(struct ctl_conn *conn, struct vsock *vs)
{
	int error = 0;

	if (!vs->spent && vs->told) {
		ctl_fail(conn, EISCONN);
		return;
	}
	if (!vs->spent)
		error = vsock_take_error(vs, ECONNABORTED);
	vs->spent = true;
	ctl_answer(conn, EBADFD, error, NULL, 0, -1);
}

void connect_renew(struct call *call)
{
	struct instance *inst = call->inst;
	struct vsock *vs = call->vs;
	struct near_id id;
	uint64_t old = vsock_name(vs);
	int near;

	if (vs->state != VSOCK_OVER || !vs->spent) {
		ctl_fail(call->conn, EINVAL);
		return;
	}
	near = near_create(inst->near, &id);
	if (near < 0) {
		ctl_fail(call->conn, -descriptors_lack(call->inst, near));
		return;
	}
	if (vs->tells_unread)
		(void)near_tell_unread(near, true);
	/* The old one keeps its right to the socket until somebody has the new one. */
	if (!ctl_answer(call->conn, 0, 0, NULL, 0, near)) {
		vsock_set_near(inst->socks, vs, &id);
		vsock_renew(inst->socks, vs);
		near_names_forget(&inst->near->names, old);
	} else {
		near_names_forget(&inst->near->names, id.name);
	}
	close(near);
}

void connect_begin(struct instance *inst, struct ctl_conn *conn, struct vsock *vs,
		   const struct lfp_addr *peer, bool blocking)
{
	if (peer->family == LFP_AF_UNSPEC) {
		connect_dissolve(inst, conn, vs);
		return;
	}
	switch (vs->state) {
	case VSOCK_NEW:
		start(inst, conn, vs, peer, blocking);
		break;
	case VSOCK_CONNECTING:
		/* As in the kernel: a blocking call waits for the connection that is under way. */
		conn->joined = true;
		if (blocking)
			wait_for(conn, vs, true);
		else
			ctl_fail(conn, EALREADY);
		break;
	case VSOCK_OVER:
		again(conn, vs);
		break;
	case VSOCK_ESTABLISHED:
	case VSOCK_RESET:
		ctl_fail(conn, vs->told ? EISCONN : 0);
		vs->told = true;
		break;
	default:
		ctl_fail(conn, EISCONN);
		break;
	}
}

/* A waiting caller is off the list: if nobody waits now, the socket goes on alone. */
static void one_less(struct instance *inst, struct vsock *vs)
{
	if (vs->state == VSOCK_CONNECTING && !all_block(vs))
		go_on_alone(inst, vs);
}

void connect_detach(struct ctl_conn *conn)
{
	struct instance *inst = conn->inst;
	struct vsock *vs = conn->vs;

	/* It gets its answer when the near end shows the state. */
	conn->blocking = false;
	if (vs->far >= 0)
		answer_under_way(conn);
	else
		go_on_alone(inst, vs);
}

void connect_lost(struct ctl_conn *conn)
{
	struct vsock *vs = conn->vs;

	stop_waiting(conn);
	one_less(conn->inst, vs);
}
