/* SPDX-License-Identifier: Apache-2.0 */
/* again.c - retries of requests that lfpd refused while a closed socket may still hold the resource
 */
#include "ijblfp/ctl/again.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/sweep.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/frame.h"
#include "transport/closers.h"

/*
 * Theory of operation
 *
 * A near end's name vanishes with the last copy of its descriptor, which shows the instance that
 * the program has closed the socket. The last copy may be the instance's own, from the previous
 * call, and still queued for a closer (transport/closers.h). So a refused request waits until the
 * closers are done with all sockets that its own user has passed before, also while they lack the
 * processor: at most CLOSERS_STUCK_MS, as a user may pass sockets whose close() waits. For those of
 * other users it waits at most CLOSERS_SETTLE_MS. The loop does not wait.
 *
 * Then one look at all sockets serves all waiting requests, and those sent before the look and
 * refused later. A look takes some microseconds a socket, so looks may take at most 1/LOOK_PART of
 * the loop's time. A program that provokes refusals in a loop only delays itself.
 */

#define LOOK_PART   8u
#define LOOK_GAP_NS UINT64_C(50000000) /* the longest time between two looks */
#define NS_IN_MS    UINT64_C(1000000)

static bool may_ask_again(const struct request *request, int error)
{
	if (request->again)
		return false;
	if (request->code == LFP_SOCKET)
		return error == ENFILE || error == EMFILE;
	return (request->code == LFP_BIND || request->code == LFP_LISTEN) && error == EADDRINUSE;
}

/* Ids are never used twice, so SOCKET is sent again for another id. */
static struct vsock *replace_socket(struct instance *inst, struct vsock *old)
{
	struct vsock *vs = vsock_create(inst->socks, 0);

	if (!vs)
		return NULL;
	vs->family = old->family;
	vs->kind = old->kind;
	vsock_copy_owner(vs, old);
	vsock_destroy(inst->socks, old);
	return vs;
}

/* Sends @request again if a socket was closed since it was sent. Returns false if @request remains
 * as it is. */
static bool send_again(struct instance *inst, struct request *request)
{
	struct vsock *vs = vsock_find(inst->socks, request->sock);
	struct lfp_frame frame = request->frame;
	struct request *again;
	int rc;

	/* The program may have closed the socket meanwhile. */
	if (!vs || vs->state == VSOCK_CLOSING || inst->link->requests.closes == request->closes)
		return false;
	if (request->code == LFP_SOCKET) {
		vs = replace_socket(inst, vs);
		if (!vs)
			return false;
		frame.sock = request->sock = vs->id;
	}
	again = request_send(inst, &frame, request->done, &rc);
	if (!again)
		return false;
	again->again = true;
	again->data = request->data;
	return true;
}

/* Work since @begin was on behalf of refused requests: the next look is not before its share. */
static void note_cost(struct instance *inst, uint64_t begin)
{
	uint64_t gap = (uv_hrtime() - begin) * (LOOK_PART - 1);

	inst->again->next_look = uv_hrtime() + (gap < LOOK_GAP_NS ? gap : LOOK_GAP_NS);
}

/* Looks for closes that the instance has not noticed so far. */
static void look(struct instance *inst)
{
	inst->link->requests.looks++;
	stream_poll_now(inst);
	sweep_some(inst, SIZE_MAX, 0);
}

/* Returns the time until @at in ms. */
static uint64_t ms_until(uint64_t at)
{
	uint64_t now = uv_hrtime();

	return at > now ? (at - now + NS_IN_MS - 1) / NS_IN_MS : 0;
}

/* Returns true if the closers are not done with what the user of @request had passed when it was
 * sent. */
static bool waits_for_own(struct instance *inst, const struct request *request)
{
	const struct vsock *vs = vsock_find(inst->socks, request->sock);

	return vs && uv_hrtime() < request->until && !closers_are_done(vs->uid, request->closing);
}

/* Calls back with @error; 0: the path has ended. */
static void give_back(struct instance *inst, struct request *request, int error)
{
	struct lfp_frame reply = {
		.code = (uint8_t)(request->code | 0x80),
		.sock = request->sock,
		.request = request->number,
		.status = (uint16_t)error,
	};

	request->again = true;
	request->done(inst, request, error ? &reply : NULL);
	free(request);
}

static struct request *take_first(struct lfp_list *list)
{
	struct lfp_list *first = lfp_list_first(list);

	if (!first)
		return NULL;
	lfp_list_del(first);
	return lfp_list_entry(first, struct request, place);
}

static void keep(struct again *again, struct request *request)
{
	lfp_list_append(&again->waiting, &request->place);
	again->nr_waiting++;
}

/* Moves the requests that wait no longer to @ripe. Those that do not wait for closes of their own
 * users go together. */
static void take_ripe(struct instance *inst, struct lfp_list *ripe)
{
	struct again *again = inst->again;
	bool settled = !closers_are_at_work();
	struct request *request;
	struct lfp_list todo;

	lfp_list_init(&todo);
	lfp_list_append_all(&todo, &again->waiting);
	again->nr_waiting = 0;
	while ((request = take_first(&todo))) {
		if (waits_for_own(inst, request)) {
			keep(again, request);
			continue;
		}
		lfp_list_append(ripe, &request->place);
		settled |= uv_hrtime() >= request->settled;
	}
	while (!settled && (request = take_first(ripe)))
		keep(again, request);
}

static void on_timer(uv_timer_t *timer);

/* Looks in @ms at the latest. */
static void look_within(struct instance *inst, uint64_t ms)
{
	struct again *again = inst->again;
	uint64_t due = uv_now(inst->loop) + ms;

	if (uv_is_active((uv_handle_t *)&again->timer) && again->due <= due)
		return;
	again->due = due;
	uv_timer_start(&again->timer, on_timer, ms, 0);
}

/* Makes sure that @request will be looked at. The end of a close may come earlier. */
static void wait_for_closers(struct instance *inst, const struct request *request)
{
	look_within(inst, ms_until(waits_for_own(inst, request) ? request->until
				   : closers_are_at_work()      ? request->settled
								: inst->again->next_look));
}

/* The eventfd counts every close from here on, so none between a check and the wait is missed. */
static void listen_to_closers(const struct again *again, bool listen)
{
	closers_tell(listen ? again->closed : -1);
}

static void look_for_all(struct instance *inst)
{
	struct again *again = inst->again;
	uint64_t begin = uv_hrtime();
	struct request *request;
	struct lfp_list ripe;

	uv_timer_stop(&again->timer);
	lfp_list_init(&ripe);
	take_ripe(inst, &ripe);
	if (!lfp_list_empty(&ripe))
		look(inst);
	while ((request = take_first(&ripe))) {
		if (send_again(inst, request))
			free(request);
		else
			give_back(inst, request, request->refused);
	}
	listen_to_closers(again, again->nr_waiting);
	lfp_list_each(request, &again->waiting, place)
		wait_for_closers(inst, request);
	note_cost(inst, begin);
}

static void look_if_due(struct instance *inst)
{
	uint64_t left = ms_until(inst->again->next_look);

	if (left)
		look_within(inst, left);
	else
		look_for_all(inst);
}

static void on_timer(uv_timer_t *timer)
{
	look_if_due(timer->data);
}

static void on_closed(uv_poll_t *poll, int status, int events)
{
	struct instance *inst = poll->data;
	uint64_t count;

	(void)status;
	(void)events;
	if (read(inst->again->closed, &count, sizeof(count)) == sizeof(count) &&
	    inst->again->nr_waiting)
		look_if_due(inst);
}

/* Sends @request again at once if nothing is worth a wait. Returns false if @request has to wait.
 * @sent: set to true if it was sent. */
static bool try_now(struct instance *inst, struct request *request, bool *sent)
{
	uint64_t begin = uv_hrtime();

	if (waits_for_own(inst, request))
		return false;
	/* A look after the request was sent counts for this request, too. */
	if (inst->link->requests.looks == request->looks) {
		if (inst->again->nr_waiting || closers_are_at_work() ||
		    ms_until(inst->again->next_look))
			return false;
		look(inst);
		note_cost(inst, begin);
	}
	*sent = send_again(inst, request);
	return true;
}

bool again_try(struct instance *inst, struct request *request, int error)
{
	struct again *again = inst->again;
	uint64_t now = uv_hrtime();
	bool sent = false;

	if (!may_ask_again(request, error))
		return false;
	request->settled = now + CLOSERS_SETTLE_MS * NS_IN_MS;
	request->until = now + CLOSERS_STUCK_MS * NS_IN_MS;
	listen_to_closers(again, true);
	if (try_now(inst, request, &sent)) {
		listen_to_closers(again, again->nr_waiting);
		return sent;
	}
	request->refused = error;
	request->waits = true;
	lfp_list_init(&request->place);
	keep(again, request);
	wait_for_closers(inst, request);
	return true;
}

void again_fail_all(struct instance *inst)
{
	struct again *again = inst->again;
	struct request *request;

	uv_timer_stop(&again->timer);
	listen_to_closers(again, false);
	again->nr_waiting = 0;
	while ((request = take_first(&again->waiting)))
		give_back(inst, request, 0);
}

int again_init(struct instance *inst)
{
	struct again *again = inst->again;
	int rc;

	lfp_list_init(&again->waiting);
	again->closed = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (again->closed < 0)
		return -errno;
	rc = uv_poll_init(inst->loop, &again->poll, again->closed);
	if (rc) {
		close(again->closed);
		again->closed = -1;
		return rc;
	}
	again->poll.data = inst;
	handle_open(inst);
	uv_timer_init(inst->loop, &again->timer);
	again->timer.data = inst;
	handle_open(inst);
	return uv_poll_start(&again->poll, UV_READABLE, on_closed);
}

void again_finish(struct instance *inst)
{
	struct again *again = inst->again;

	if (again->closed < 0)
		return;
	closers_tell(-1);
	uv_poll_stop(&again->poll);
	uv_timer_stop(&again->timer);
	handle_close(inst, (uv_handle_t *)&again->poll);
	close(again->closed);
	handle_close(inst, (uv_handle_t *)&again->timer);
}
