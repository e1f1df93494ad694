/* SPDX-License-Identifier: Apache-2.0 */
/* end.c - how sockets end */
#include "ijblfp/sock/end.h"

#include <errno.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/request.h"
#include "ijblfp/near/grave.h"
#include "ijblfp/near/near-names.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/listener.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/sweep-timer.h"
#include "ijblfp/sock/vsock.h"
#include "ijblfp/sock/waiter.h"
#include "ijblfp/sock/watch.h"
#include "lfp/list.h"

/*
 * Theory of operation
 *
 * docs/near-ends.md, "States", lists the states; states.h says what the instance holds in each. Far
 * ends are in one edge-triggered set (stream.c). Requests come over the control channel
 * (ctl-server.c, call-table.c, connect.c, listen.c, names.c). Most become requests on the path
 * (link.c), whose answers are passed back. A socket ends when its program has closed it
 * (end_close): the instance sends CLOSE and closes its descriptors at once. If the connection is
 * over before that (end_connection), the socket stays, with nothing but its name. If it cannot be
 * used any more at all (end_bury, or the path has ended), only a grave remains.
 */

#define PAST_MS 1000u

static void on_close_reply(struct instance *inst, struct request *request,
			   const struct lfp_frame *reply)
{
	struct vsock *vs = vsock_find(inst->socks, request->sock);

	(void)reply;
	if (vs)
		vsock_destroy(inst->socks, vs);
}

bool end_is_closed(struct instance *inst, const struct lfp_frame *frame)
{
	struct vsock *vs = frame->sock ? vsock_find(inst->socks, frame->sock) : NULL;

	if (!vs || vs->state != VSOCK_CLOSING || frame->code != (LFP_CLOSE | 0x80) ||
	    vs->close_number != frame->request)
		return false;
	vsock_destroy(inst->socks, vs);
	return true;
}

/* Sends CLOSE. lfpd keeps its socket until the CLOSE comes, so a lack of memory can only delay it.
 */
static void send_close(struct instance *inst, struct vsock *vs)
{
	struct lfp_frame frame = {
		.code = LFP_CLOSE,
		.sock = vs->id,
		.close = {.how = vs->close_how, .received = vs->recv.consumed},
	};
	int error = 0;

	if (request_send(inst, &frame, on_close_reply, &error))
		return;
	if (error == -ENOMEM)
		error = request_send_close(inst, &frame, &vs->close_number);
	if (error == -ENOMEM) {
		lfp_list_append(&inst->unsent, &vs->place);
		sweep_timer_start(inst);
	} else if (error) {
		vsock_destroy(inst->socks, vs);
	}
}

void end_send_closes(struct instance *inst)
{
	struct lfp_list todo, *first;

	lfp_list_init(&todo);
	lfp_list_append_all(&todo, &inst->unsent);
	while ((first = lfp_list_first(&todo))) {
		lfp_list_del(first);
		send_close(inst, lfp_list_entry(first, struct vsock, place));
	}
}

static void remember(struct instance *inst, uint64_t id)
{
	inst->past->all[inst->past->next] = (struct past_listener){id, uv_now(inst->loop)};
	inst->past->next = (inst->past->next + 1) % PAST_LISTENERS;
}

bool end_is_past_listener(struct instance *inst, uint64_t id)
{
	const struct vsock *vs = vsock_find(inst->socks, id);

	if (vs &&
	    (vs->state == VSOCK_CLOSING || near_is_gone(inst->near, &vs->near[0].id, vs->far)))
		return true;
	/* After shutdown() the socket exists, but its queue has ended. */
	for (size_t i = 0; i < PAST_LISTENERS; i++)
		if (inst->past->all[i].id == id)
			return uv_now(inst->loop) - inst->past->all[i].at < PAST_MS;
	return false;
}

void end_listener(struct instance *inst, struct vsock *vs)
{
	struct vsock_listener *own;

	if (vs->is_datagram)
		return;
	/* A connection that no program will accept returns its credit to its listener. */
	if (vs->state == VSOCK_ARRIVING) {
		struct vsock *listener = vsock_find(inst->socks, vs->stream.listener);

		credits_end_arrival(inst, vs);
		if (listener && listener->state == VSOCK_LISTENING)
			credits_grant(inst, listener);
	}
	if (vs->state == VSOCK_LISTENING)
		remember(inst, vs->id);
	own = vs->as_listener;
	if (!own)
		return;
	own->credits_wanted = 0;
	while (!lfp_list_empty(&own->records))
		end_close(inst, lfp_list_entry(own->records.next, struct vsock, place), true);
}

void end_close(struct instance *inst, struct vsock *vs, bool abort)
{
	end_listener(inst, vs);
	waiters_answer(vs, ECONNABORTED);
	near_forget(inst->near, &vs->near[0].id);
	inst->watch->ends(inst, vs, false);
	vsock_drop(inst->socks, vs);
	vs->close_how = abort;
	if (vs->state == VSOCK_LISTENING)
		listener_stop(vs);
	vsock_set_state(inst->socks, vs, VSOCK_CLOSING);
	send_close(inst, vs);
}

static void dig(struct instance *inst, const struct vsock *vs, int error, bool no_path)
{
	struct grave grave = {
		.id = vs->near[0].id,
		.error = (uint16_t)error,
		.eof = !vs->is_datagram &&
		       (vs->stream.in_end == IN_END_GIVEN || vs->stream.in_reader == READER_SHUT ||
			vs->stream.in_reader == READER_GONE),
		.no_path = no_path,
		.listener = vs->state == VSOCK_LISTENING,
		.family = vs->family,
		.local = vs->local,
	};

	graves_add(inst->graves, &grave);
}

void end_bury(struct instance *inst, struct vsock *vs, int error)
{
	dig(inst, vs, error, false);
	inst->watch->ends(inst, vs, true);
	end_close(inst, vs, true);
}

void end_connection(struct instance *inst, struct vsock *vs, int error)
{
	/* Data that the program will not read counts as read, for the next connection. */
	vs->recv.consumed = vs->recv.received;
	inst->watch->ends(inst, vs, error != 0);
	stream_unwatch(inst, vs);
	vsock_drop(inst->socks, vs);
	vsock_set_error(vs, error);
	vs->peer.family = 0;
	vs->stream.lost = vs->state == VSOCK_ESTABLISHED || vs->state == VSOCK_RESET;
	if (vs->state == VSOCK_LISTENING)
		listener_stop(vs);
	vsock_set_state(inst->socks, vs, VSOCK_OVER);
	sweep_timer_start(inst);
}

static void bury_without_path(void *data, struct vsock *vs)
{
	struct instance *inst = data;
	int error = ECONNRESET;

	waiters_answer(vs, ENETDOWN);
	if (vs->state == VSOCK_RESET || vs->state == VSOCK_OVER)
		error = vs->reset;
	if (vs->is_datagram) {
		/* A program that waits for a datagram of a peer wakes up. */
		error = ENETDOWN;
		datagram_raise(inst, vs);
	}
	if (vs->state != VSOCK_OPENING && vs->state != VSOCK_SPARE && vs->state != VSOCK_CLOSING)
		dig(inst, vs, error, true);
	near_forget(inst->near, &vs->near[0].id);
	inst->watch->ends(inst, vs, true);
	vsock_destroy(inst->socks, vs);
}

void end_forget(struct instance *inst, struct vsock *vs)
{
	end_listener(inst, vs);
	bury_without_path(inst, vs);
}

void end_all(struct instance *inst)
{
	vsock_each(inst->socks, bury_without_path, inst);
	sweep_timer_stop(inst);
}
