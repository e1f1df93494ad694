/* SPDX-License-Identifier: Apache-2.0 */
/* instance.c - a resident LFP instance: its parts, its timers, and how sockets end */
#include "ijblfp/base/instance.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/handles.h"
#include "ijblfp/base/refusal.h"
#include "ijblfp/ctl/again.h"
#include "ijblfp/ctl/ctl.h"
#include "ijblfp/ctl/give.h"
#include "ijblfp/ctl/guard.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "ijblfp/near/grave.h"
#include "ijblfp/near/near-datagram-facts.h"
#include "ijblfp/near/near-facts.h"
#include "ijblfp/oper/netstat.h"
#include "ijblfp/oper/op.h"
#include "ijblfp/sock/connect.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/listen.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/log.h"
#include "lfp/places.h"
#include "lfp/window.h"
#include "transport/numbers.h"

/*
 * Theory of operation
 *
 * docs/near-ends.md, "States", has the states; vsock.h says what each holds. Far ends are
 * in one edge-triggered set (stream.c). Requests come over the control channel (ctl.c, call.c,
 * connect.c, listen.c, names.c) and mostly become requests on the path (link.c), whose answers are
 * passed back. A socket ends when its program has closed it (instance_close_socket): lfpd is told
 * with CLOSE, and what the instance held is given up at once. If its connection is over before
 * (instance_end_connection), the socket remains, with nothing but its name; if it can't be used any
 * more at all (instance_bury_socket, or the path has ended) only a grave remains.
 */

#define SWEEP_MS      250
#define SWEEP_SOON_MS 10
#define SWEEP_MOST    256u
#define DRAIN_MS      20

/* --- ends of sockets --------------------------------------------------------------------- */

static void on_close_reply(struct instance *inst, struct request *request,
			   const struct lfp_frame *reply)
{
	struct vsock *vs = vsock_find(inst->socks, request->sock);

	(void)reply;
	if (vs)
		vsock_destroy(inst->socks, vs);
}

bool instance_is_closed(struct instance *inst, const struct lfp_frame *frame)
{
	struct vsock *vs = frame->sock ? vsock_find(inst->socks, frame->sock) : NULL;

	if (!vs || vs->state != VSOCK_CLOSING || frame->code != (LFP_CLOSE | 0x80) ||
	    vs->close_number != frame->request)
		return false;
	vsock_destroy(inst->socks, vs);
	return true;
}

/* lfpd keeps its socket until it gets the CLOSE. So a lack of memory delays it and cannot prevent it. */
static void send_close(struct instance *inst, struct vsock *vs)
{
	struct lfp_frame frame = {
		.code = LFP_CLOSE,
		.sock = vs->id,
		.close = {.how = vs->aborted, .received = vs->recv.consumed},
	};
	int error = 0;

	if (request_send(inst, &frame, on_close_reply, &error))
		return;
	if (error == -ENOMEM)
		error = request_send_close(inst, &frame, &vs->close_number);
	if (error == -ENOMEM) {
		list_append(&inst->unsent, &vs->place);
		instance_sweep_start(inst);
	} else if (error) {
		vsock_destroy(inst->socks, vs);
	}
}

static void send_closes(struct instance *inst)
{
	struct list todo, *first;

	list_init(&todo);
	while ((first = list_first(&inst->unsent))) {
		list_del(first);
		list_append(&todo, first);
	}
	while ((first = list_first(&todo))) {
		list_del(first);
		send_close(inst, list_entry(first, struct vsock, place));
	}
}

void instance_close_socket(struct instance *inst, struct vsock *vs, bool abort)
{
	listen_end(inst, vs);
	connect_answer_all(vs, ECONNABORTED);
	near_names_forget(&inst->near->names, vsock_name(vs));
	guard_end(inst, vs, false);
	vsock_drop(vs);
	vs->aborted = abort;
	vsock_set_state(inst->socks, vs, VSOCK_CLOSING);
	send_close(inst, vs);
}

static void dig(struct instance *inst, const struct vsock *vs, int error, bool no_path)
{
	struct grave grave = {
		.id = vs->near[0].id,
		.error = (uint16_t)error,
		.eof = vs->eof_given || vs->rd_shut,
		.no_path = no_path,
		.listener = vs->state == VSOCK_LISTENING,
		.family = vs->family,
		.local = vs->local,
	};

	graves_add(inst->graves, &grave);
}

void instance_bury_socket(struct instance *inst, struct vsock *vs, int error)
{
	dig(inst, vs, error, false);
	guard_end(inst, vs, true);
	instance_close_socket(inst, vs, true);
}

void instance_end_connection(struct instance *inst, struct vsock *vs, int error)
{
	/* What the program will not read counts as read, for the next connection's sake. */
	vs->recv.consumed = vs->recv.received;
	guard_end(inst, vs, error != 0);
	stream_unwatch(inst, vs);
	vsock_drop(vs);
	vs->reset = (uint16_t)error;
	vs->peer.family = 0;
	vsock_set_state(inst->socks, vs, VSOCK_OVER);
	instance_sweep_start(inst);
}

static void bury_without_path(void *data, struct vsock *vs)
{
	struct instance *inst = data;
	int error = ECONNRESET;

	connect_answer_all(vs, ENETDOWN);
	if (vs->state == VSOCK_RESET || vs->state == VSOCK_OVER)
		error = vs->reset;
	if (vs->dgram) {
		/* Who waits for a datagram of a peer wakes up. */
		error = ENETDOWN;
		datagram_raise(inst, vs);
	}
	if (vs->state != VSOCK_OPENING && vs->state != VSOCK_CLOSING)
		dig(inst, vs, error, true);
	near_names_forget(&inst->near->names, vsock_name(vs));
	guard_end(inst, vs, true);
	vsock_destroy(inst->socks, vs);
}

void instance_forget_socket(struct instance *inst, struct vsock *vs)
{
	listen_end(inst, vs);
	bury_without_path(inst, vs);
}

void instance_bury_all(struct instance *inst)
{
	vsock_each(inst->socks, bury_without_path, inst);
	uv_timer_stop(&inst->sweep);
}

/* --- the sweep --------------------------------------------------------------------------- */

unsigned int instance_sweep(struct instance *inst, size_t most, uint32_t task)
{
	struct list *swept = &inst->socks->swept, asked;
	unsigned int gone = 0;
	bool entered = !near_names_enter(&inst->near->names);

	/* Those that live go to the end by way of a list of their own, so that one round is enough.
	 */
	list_init(&asked);
	for (size_t i = 0; i < most && !list_empty(swept); i++) {
		struct vsock *vs = list_entry(swept->next, struct vsock, swept);

		if ((task && vs->task != task) || !near_names_is_gone(&inst->near->names, vsock_name(vs))) {
			list_append(&asked, &vs->swept);
			continue;
		}
		gone++;
		if (vs->state == VSOCK_NEW || vs->state == VSOCK_OVER)
			instance_close_socket(inst, vs, false);
		else
			stream_on_gone(inst, vs);
	}
	while (!list_empty(&asked))
		list_append(swept, asked.next);
	if (entered)
		near_names_leave(&inst->near->names);
	return gone + datagram_sweep(inst, most, task);
}

static void on_sweep(uv_timer_t *timer)
{
	struct instance *inst = timer->data;
	unsigned int gone;

	send_closes(inst);
	gone = instance_sweep(inst, SWEEP_MOST, 0);
	if (list_empty(&inst->socks->swept) && list_empty(&inst->unsent))
		uv_timer_stop(timer);
	else if (gone)
		uv_timer_start(timer, on_sweep, SWEEP_SOON_MS, SWEEP_MS); /* they come in crowds */
}

void instance_sweep_task(struct instance *inst, uint32_t task)
{
	instance_sweep(inst, SIZE_MAX, task);
	/* Others may have held sockets of its, and end with it. */
	if (!list_empty(&inst->socks->swept))
		uv_timer_start(&inst->sweep, on_sweep, SWEEP_SOON_MS, SWEEP_MS);
}

void instance_sweep_start(struct instance *inst)
{
	if (!uv_is_active((uv_handle_t *)&inst->sweep))
		uv_timer_start(&inst->sweep, on_sweep, SWEEP_MS, SWEEP_MS);
}

/* --- start and end ----------------------------------------------------------------------- */

static void timer_open(struct instance *inst, uv_timer_t *timer)
{
	uv_timer_init(inst->loop, timer);
	timer->data = inst;
	handle_open(inst);
}

static int say_cannot(const struct instance *inst, const char *what, int error)
{
	lfp_msg("VLFB012E", "Instance %s cannot make %s: %s.", inst->config.st.id, what,
		lfp_place_strerror(error));
	return error;
}

/* The directory with the private listener, which only this user may enter. */
static int make_private(const struct instance *inst, char path[static LFP_PLACE_MAX])
{
	int rc = lfp_place_vse(path, inst->config.st.id, "private");

	if (rc)
		return say_cannot(inst, path, rc);
	if ((mkdir(path, 0700) && errno != EEXIST) || chmod(path, 0700))
		return say_cannot(inst, path, -errno);
	return 0;
}

static void remove_private(const struct instance *inst)
{
	char path[LFP_PLACE_MAX];

	if (!lfp_place_vse(path, inst->config.st.id, "private"))
		rmdir(path);
}

static int make_near(struct instance *inst)
{
	char dir[LFP_PLACE_MAX];
	const char *fact;
	int rc = make_private(inst, dir);

	if (rc)
		return rc;
	rc = near_maker_init(inst->near, inst->config.st.id, dir, inst->config.st.window_size,
			     inst->config.network);
	if (rc)
		return say_cannot(inst, dir, rc);
	fact = near_self_test(inst->near);
	if (!fact)
		fact = near_datagram_self_test(inst->near);
	if (fact) {
		lfp_msg("VLFB013E",
			"Instance %s cannot work on this kernel, on which this does not hold: %s.",
			inst->config.st.id, fact);
		return -ENOSYS;
	}
	return 0;
}

static void stop_now(struct instance *inst)
{
	inst->config.on_stop(inst->config.data);
}

static int make_servers(struct instance *inst)
{
	static const struct op_ops ops = {.stop = instance_drain, .stop_now = stop_now};
	char path[LFP_PLACE_MAX];
	int rc = lfp_place_vse(path, inst->config.st.id, "ctl");

	if (!rc)
		rc = ctl_server_init(inst, path);
	if (rc)
		return say_cannot(inst, path, rc);
	rc = lfp_place_vse(path, inst->config.st.id, "op");
	if (!rc)
		rc = op_server_init(inst, path, &ops);
	return rc ? say_cannot(inst, path, rc) : 0;
}

static void free_instance(struct instance *inst)
{
	void (*on_gone)(void *) = inst->config.on_gone;
	void *data = inst->config.data;

	graves_finish(inst->graves);
	vsock_table_finish(inst->socks);
	free(inst);
	if (on_gone)
		on_gone(data);
}

/* All that an instance has. */
struct whole {
	struct instance inst; /* first member */
	struct descriptors descriptors;
	struct refusals refusals;
	struct near_maker near;
	struct vsock_table socks;
	struct graves graves;
	struct tasks tasks;
	struct link link;
	struct stream_set streams;
	struct dgram_set datagrams;
	struct gives gives;
	struct ctl_server ctl;
	struct again again;
	struct op_server op;
	struct netstat_round netstat;
	struct past_listeners past;
};

/* Lets all that wait for descriptors try again. */
static bool try_again(struct instance *inst, bool few)
{
	if (!few) {
		ctl_server_retry(inst);
		op_server_retry(inst);
	}
	listen_retry(inst);
	return !few && !inst->ctl->starved && list_empty(&inst->late);
}

static struct instance *make_whole(void)
{
	struct whole *whole = calloc(1, sizeof(*whole));
	struct instance *inst;

	if (!whole)
		return NULL;
	inst = &whole->inst;
	inst->all_closed = free_instance;
	inst->descriptors = &whole->descriptors;
	inst->refusals = &whole->refusals;
	inst->near = &whole->near;
	inst->socks = &whole->socks;
	inst->graves = &whole->graves;
	inst->tasks = &whole->tasks;
	inst->link = &whole->link;
	inst->streams = &whole->streams;
	inst->datagrams = &whole->datagrams;
	inst->gives = &whole->gives;
	inst->ctl = &whole->ctl;
	inst->again = &whole->again;
	inst->op = &whole->op;
	inst->netstat = &whole->netstat;
	inst->past = &whole->past;
	return inst;
}

struct instance *instance_create(uv_loop_t *loop, const struct instance_config *config, int *error)
{
	struct instance *inst = make_whole();

	*error = -ENOMEM;
	if (!inst)
		return NULL;
	inst->loop = loop;
	inst->config = *config;
	descriptors_init(inst, try_again);
	numbers_start();
	inst->near->listener = inst->ctl->listener = inst->op->listener = -1;
	list_init(&inst->late);
	list_init(&inst->unsent);
	tasks_init(inst->tasks);
	if (vsock_table_init(inst->socks) || graves_init(inst->graves))
		goto error_free;
	*error = make_near(inst);
	if (*error)
		goto error_near;
	*error = stream_set_init(inst);
	if (*error)
		goto error_near;
	datagram_set_init(inst);
	gives_init(inst);
	timer_open(inst, &inst->sweep);
	descriptors_start(inst);
	timer_open(inst, &inst->drain);
	*error = again_init(inst);
	if (!*error)
		*error = link_init(inst);
	if (!*error)
		*error = make_servers(inst);
	if (*error) {
		/* Handles are open: the memory goes when libuv has closed them, unheard. */
		inst->config.on_gone = NULL;
		instance_stop(inst);
		return NULL;
	}
	link_start(inst);
	return inst;

error_near:
	near_maker_finish(inst->near);
	remove_private(inst);
error_free:
	graves_finish(inst->graves);
	vsock_table_finish(inst->socks);
	free(inst);
	return NULL;
}

static void on_drain(uv_timer_t *timer)
{
	struct instance *inst = timer->data;

	if (tasks_living(inst->tasks) || inst->socks->count)
		return;
	uv_timer_stop(timer);
	inst->config.on_stop(inst->config.data);
}

void instance_drain(struct instance *inst)
{
	if (inst->draining || inst->stopping)
		return;
	inst->draining = true;
	lfp_msg("VLFB025I", "Instance %s ends with its last task, and begins no new ones.",
		inst->config.st.id);
	uv_timer_start(&inst->drain, on_drain, 0, DRAIN_MS);
}

void instance_stop(struct instance *inst)
{
	if (inst->stopping)
		return;
	inst->stopping = true;
	op_server_finish(inst);
	link_finish(inst, "the LFP instance ends");
	instance_bury_all(inst); /* who waits for a connection has an answer */
	ctl_server_finish(inst);
	tasks_finish(inst->tasks);
	datagram_set_finish(inst);
	gives_finish(inst);
	stream_set_finish(inst);
	again_finish(inst);
	near_maker_finish(inst->near);
	remove_private(inst);
	uv_timer_stop(&inst->sweep);
	uv_timer_stop(&inst->drain);
	handle_close(inst, (uv_handle_t *)&inst->drain);
	handle_close(inst, (uv_handle_t *)&inst->sweep);
	descriptors_finish(inst);
}
