/* SPDX-License-Identifier: Apache-2.0 */
/* link.c - the instance's path to lfpd: made, and made again */
#include "ijblfp/link/link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/link/link-inner.h"
#include "ijblfp/near/near.h"
#include "lfp/log.h"

#define RETRY_MS     50 /* doubled each time, up to RETRY_MAX_MS */
#define RETRY_MAX_MS 1000
#define HELLO_MS     5000 /* a peer that takes longer is not lfpd */

/*
 * Theory of operation
 *
 * The instance connects: DOWN, CONNECTING, HELLO, UP. HELLO is the first message, and lfpd's answer
 * decides whether the instance uses the path (link-hello.c). If anything fails, the path is closed
 * and the timer starts the next attempt. The time between attempts doubles up to RETRY_MAX_MS. The
 * operator reads of the first failure in a row only (said_down). Before the first path is up, a
 * failure ends the start of the instance.
 *
 * A path and a session are two things. A session normally ends with its path: all requests fail,
 * and ops->on_session_end() ends the tasks and the sockets (tear_down). If lfpd has suspended the
 * session, only the path ends (link_end_path). Frames are kept and calls are not read until the
 * session goes on or HoldTime is over (hold.h). So link_is_up() says that there is a session, and
 * link_flows() that frames go out at once.
 *
 * Each frame from lfpd goes one of three ways: an answer to its request (request.h), the dialogue
 * of the session to the hold, and all others to ops->on_frame().
 */

static const struct path_ops path_ops;

static const char *dest(const struct instance *inst)
{
	return inst->config.st.iucv_dest_appname;
}

void link_stamp(const struct instance *inst, struct lfp_frame *frame)
{
	frame->epoch = frame->sock ? inst->link->ops->epoch_of(inst, frame->sock) : 0;
}

int link_send(struct instance *inst, struct lfp_frame *frame)
{
	int rc;

	if (!link_is_up(inst->link))
		return -ENETDOWN;
	link_stamp(inst, frame);
	if (hold_keeps(&inst->link->hold))
		return hold_keep(inst, frame);
	rc = path_send(inst->link->path, frame);
	return rc == -ENOTCONN ? -ENETDOWN : rc;
}

void link_end_path(struct instance *inst, const char *reason)
{
	struct link *link = inst->link;

	link->state = LINK_DOWN;
	link->asks_who = false;
	link->asks_serial++;
	uv_timer_stop(&link->timer);
	if (link->path) {
		link->stats = *path_stats(link->path);
		link->stats.outstanding = 0;
		link->stats.queued = 0;
		link->stats.buffers = 0;
		link->stats.space = 0;
		path_close(link->path, reason);
		link->path = NULL;
	}
	vm_disconnect(&link->vm);
	link->ops->on_path_end(inst);
}

void link_end_session(struct instance *inst)
{
	struct link *link = inst->link;

	hold_end(inst);
	lfp_codepage_close(link->codepage);
	link->codepage = NULL;
	request_fail_all(inst);
	link->ops->on_session_end(inst);
}

/* Returns to DOWN. Everything that depended on the path ends. */
static void tear_down(struct instance *inst, const char *reason)
{
	bool was_up = link_is_up(inst->link);

	link_end_path(inst, reason);
	if (was_up)
		link_end_session(inst);
	lfp_codepage_close(inst->link->codepage);
	inst->link->codepage = NULL;
}

/* The path cannot be used. The reason was already logged, if there was one. */
static void give_up(struct instance *inst, int error)
{
	bool first = inst->link->first;

	if (hold_is_away(&inst->link->hold)) {
		link_end_path(inst, NULL);
		link_retry(inst);
		return;
	}
	tear_down(inst, NULL);
	if (first)
		inst->config.on_started(inst->config.data, error);
	else if (!inst->stopping)
		link_retry(inst);
}

static void on_down(struct path *path, int error, const char *why)
{
	struct instance *inst = path_data(path);
	char text[512];

	snprintf(text, sizeof(text), "%s%s%s", why, error && *why ? ": " : "",
		 error ? strerror(-error) : "");
	if (inst->link->state == LINK_UP) {
		inst->link->said_down = true;
		lfp_msg("VLFB031W", "Instance %s has lost its path to lfpd %s: %s. It tries again.",
			inst->config.st.id, dest(inst), text);
	} else if (!hold_is_away(&inst->link->hold)) {
		link_say_refused(inst, text);
	}
	give_up(inst, error ? error : -ECONNREFUSED);
}

static void say_no_space(struct instance *inst)
{
	if (!inst->link->said_down)
		lfp_msg("VLFB052E",
			"Instance %s has no memory for its InitialBufferSpace, %u bytes.",
			inst->config.st.id, inst->config.st.initial_buffer_space);
	inst->link->said_down = true;
}

static int on_hello_reply(struct instance *inst, const struct lfp_frame *frame)
{
	const struct lfp_hello_reply *reply = &frame->hello_reply;
	const struct ijblfp_statements *st = &inst->config.st;
	struct link *link = inst->link;
	bool first = link->first;

	if (!link_hello_is_meant(inst, frame)) {
		give_up(inst, -ECONNREFUSED);
		return 0;
	}
	hold_check(inst, reply);
	link->mtu = reply->mtu < st->mtu ? reply->mtu : st->mtu;
	link->msglimit = reply->msglimit < link->offered ? reply->msglimit : link->offered;
	link->window_out = reply->window;
	link->epochs = reply->features & LFP_FEATURE_EPOCH;
	inst->near->window_out = reply->window;
	uv_timer_stop(&link->timer);
	if (path_open(link->path, link->mtu, link->msglimit)) {
		say_no_space(inst);
		give_up(inst, -ENOMEM);
		return 0;
	}
	link->state = LINK_UP;
	link->retry_ms = RETRY_MS;
	link->first = false;
	link->connects++;
	link_say_limits(inst, reply);
	if (first) {
		inst->config.on_started(inst->config.data, 0);
	} else if (link->said_down && !hold_is_away(&link->hold)) {
		lfp_msg("VLFB038I", "Instance %s has its path to lfpd %s again.", st->id,
			dest(inst));
	}
	link->said_down = link->said_vm = false;
	hold_resume(inst);
	return 0;
}

static int on_frame(struct path *path, const struct lfp_frame *frame, const char **why)
{
	struct instance *inst = path_data(path);

	if (inst->link->state == LINK_HELLO) {
		*why = "first frame is not the answer to HELLO";
		if (frame->code != LFP_HELLO_REPLY || frame->request != 1)
			return -EPROTO;
		return on_hello_reply(inst, frame);
	}
	if (!hold_expects(&inst->link->hold, frame->code, why))
		return -EPROTO;
	if (frame->code & 0x80)
		return request_on_reply(inst, frame, why);
	if (frame->code == LFP_ASK_WHO) {
		inst->link->asks_who = true;
		inst->link->asks = frame->ask_who.parts;
		inst->link->asks_serial++;
		return 0;
	}
	if (frame->code == LFP_SUSPEND)
		return hold_on_suspend(inst);
	if (frame->code == LFP_SUSPENDED) {
		hold_on_suspended(inst);
		return 0;
	}
	inst->link->ops->on_frame(inst, frame);
	return 0;
}

static void on_ready(struct path *path)
{
	struct instance *inst = path_data(path);

	inst->link->ops->on_ready(inst);
}

static const struct path_ops path_ops = {
	.on_frame = on_frame,
	.on_ready = on_ready,
	.on_down = on_down,
};

static void say_not_there(struct instance *inst, int error)
{
	if (inst->link->said_down || hold_is_away(&inst->link->hold))
		return;
	inst->link->said_down = true;
	if (error == -EPROTONOSUPPORT) {
		lfp_msg("VLFB047E",
			"Instance %s cannot reach lfpd %s: it does not use the transport %s.",
			inst->config.st.id, dest(inst), inst->config.transport->name);
		return;
	}
	lfp_msg("VLFB030E", "Instance %s cannot reach lfpd %s: %s.", inst->config.st.id, dest(inst),
		*inst->link->why                             ? inst->link->why
		: error == -ENOENT || error == -ECONNREFUSED ? "it is not running (ECONNREFUSED)"
							     : lfp_place_strerror(error));
}

static void on_hello_timeout(uv_timer_t *timer)
{
	struct instance *inst = timer->data;

	say_not_there(inst, -ETIMEDOUT);
	give_up(inst, -ETIMEDOUT);
}

static void on_connected(void *data, int status, struct transport_conn *conn)
{
	struct instance *inst = data;
	struct link *link = inst->link;

	handle_gone(inst);
	if (inst->stopping) {
		if (!status) {
			conn->on_closed = NULL;
			conn->transport->close(conn);
		}
		return;
	}
	if (!status) {
		/* CP or the device knows the name of this system better than the instance does. */
		if (*conn->vmid)
			memcpy(inst->config.vmid, conn->vmid, sizeof(inst->config.vmid));
		link->path = path_create(inst->loop, conn, LFP_FROM_LFPD, inst->config.st.mtu,
					 &path_ops, inst);
		if (!link->path)
			status = -ENOMEM;
	}
	if (status) {
		say_not_there(inst, status);
		give_up(inst, status);
		return;
	}
	path_limit_space(link->path, inst->config.st.initial_buffer_space,
			 inst->config.st.max_buffer_space);
	link->state = LINK_HELLO;
	uv_timer_start(&link->timer, on_hello_timeout, HELLO_MS, 0);
	if (link_send_hello(inst))
		give_up(inst, -EIO);
}

/* Handles the pretend z/VM's events of the path. A refusal is logged with the name of CP's code. */
static int ask_vm(struct instance *inst)
{
	const struct ijblfp_statements *st = &inst->config.st;
	struct link *link = inst->link;
	char why[512];
	int rc;

	link->offered = st->iucv_msg_limit;
	if (!inst->config.transport->pretends_iucv)
		return 0;
	rc = vm_connect(&link->vm, inst->config.vmid, st->iucv_dest_vmid, why, sizeof(why));
	if (!rc && link->vm.msglimit < link->offered)
		link->offered = link->vm.msglimit;
	if (rc && !link->said_vm) {
		link->said_down = link->said_vm = true;
		lfp_msg("VLFB042E", "Instance %s cannot get an IUCV path from %s to %s (%s): %s.",
			st->id, inst->config.vmid, st->iucv_dest_vmid, strerrorname_np(-rc), why);
	}
	return rc;
}

/* Reports from the loop: the caller must have the instance before it hears of a failure. */
static void on_not_connected(uv_timer_t *timer)
{
	struct instance *inst = timer->data;

	on_connected(inst, inst->link->error, NULL);
}

void link_start(struct instance *inst)
{
	struct link *link = inst->link;
	struct transport_where where = {
		.path = link->where,
		.vmid = inst->config.st.iucv_dest_vmid,
		.name = dest(inst),
		.mtu = inst->config.st.mtu,
		.own = inst->config.st.iucv_src_appname,
		.settings = inst->config.st.transport,
		.why = link->why,
	};
	int rc;

	link->state = LINK_CONNECTING;
	*link->why = '\0';
	handle_open(inst);
	rc = ask_vm(inst);
	if (!rc) {
		where.msglimit = link->offered;
		rc = inst->config.transport->connect(inst->loop, &where, on_connected, inst);
	}
	if (rc) {
		link->error = rc;
		uv_timer_start(&link->timer, on_not_connected, 0, 0);
	}
}

static void on_retry(uv_timer_t *timer)
{
	link_start(timer->data);
}

void link_retry(struct instance *inst)
{
	struct link *link = inst->link;

	/* Programs wait, and lfpd is about to start. */
	if (hold_is_away(&link->hold)) {
		uv_timer_start(&link->timer, on_retry, HOLD_RETRY_MS, 0);
		return;
	}
	uv_timer_start(&link->timer, on_retry, link->retry_ms, 0);
	link->retry_ms = link->retry_ms * 2 < RETRY_MAX_MS ? link->retry_ms * 2 : RETRY_MAX_MS;
}

int link_init(struct instance *inst, const struct link_ops *ops)
{
	struct link *link = inst->link;

	*link = (struct link){
		.ops = ops,
		.state = LINK_DOWN,
		.vm.slot = {-1, -1},
		.first = true,
		.retry_ms = RETRY_MS,
	};
	uv_timer_init(inst->loop, &link->timer);
	link->timer.data = inst;
	handle_open(inst);
	hold_init(inst);
	/* Resolve the root now: it may be relative to a directory that a daemon leaves. */
	return lfp_place_find_lfpd(link->where, dest(inst), "path");
}

void link_finish(struct instance *inst, const char *reason)
{
	inst->link->first = false;
	tear_down(inst, reason);
	handle_close(inst, (uv_handle_t *)&inst->link->timer);
	hold_finish(inst);
}

const struct path_stats *link_stats(const struct link *link)
{
	return link->path ? path_stats(link->path) : &link->stats;
}
