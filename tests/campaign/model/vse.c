/* SPDX-License-Identifier: Apache-2.0 */
/* vse.c - the LFP instance, in this process */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/give.h"
#include "ijblfp/link/link.h"
#include "ijblfp/sock/sweep.h"
#include "ijblfp/sock/vsock.h"
#include "ijblfp/wiring.h"
#include "lfp/places.h"
#include "tests/campaign/model/model.h"
#include "transport/choice.h"

static uv_loop_t loop;
static struct instance *inst;
static const char *root;
static bool gone, started;

static void on_started(void *data, int error)
{
	(void)data;
	if (error)
		die("the LFP instance does not start");
	started = true;
}

static void on_stop(void *data)
{
	(void)data;
}

static void on_gone(void *data)
{
	(void)data;
	gone = true;
}

void vse_begin(const char *where)
{
	struct instance_config set = {
		.st = {.id = "01",
		       .mtu = 4096,
		       .iucv_msg_limit = 64,
		       .iucv_src_appname = "TESTV",
		       .iucv_dest_appname = LINUX_NAME,
		       .iucv_dest_vmid = LINUX_VMID,
		       .window_size = 4096,
		       .window_threshold = 50,
		       .hold_time = 600},
		.vmid = "VSER05",
		.transport = &transport_unix,
		.on_started = on_started,
		.on_stop = on_stop,
		.on_gone = on_gone,
	};
	char place[LFP_PLACE_MAX];
	int error;

	root = where;
	setenv("LFP_ROOT", root, 1);
	if (lfp_place_vse(place, "01", "ctl") || lfp_place_make_parent(place) ||
	    uv_loop_init(&loop))
		die("no directory for the LFP instance");
	inst = instance_create(&loop, &set, &error);
	if (!inst)
		die("no LFP instance");
}

void vse_end(void)
{
	setenv("LFP_ROOT", root, 1);
	ijblfp_instance_stop(inst);
	uv_run(&loop, UV_RUN_DEFAULT);
	if (!gone || uv_loop_close(&loop))
		die("the LFP instance leaves something behind");
}

void vse_turn(void)
{
	setenv("LFP_ROOT", root, 1);
	uv_run(&loop, UV_RUN_NOWAIT);
}

int vse_backend(void)
{
	return uv_backend_fd(&loop);
}

bool vse_is_busy(void)
{
	return uv_backend_timeout(&loop) == 0;
}

bool vse_is_up(void)
{
	return started && link_flows(inst->link);
}

unsigned int vse_sockets(void)
{
	return (unsigned int)inst->socks->by_id.count;
}

uint64_t vse_disagreements(void)
{
	return inst->disagreements;
}

void vse_hurry(void)
{
	uv_timer_t *timer = &inst->link->timer;

	if (inst->link->state == LINK_DOWN && uv_is_active((uv_handle_t *)timer))
		uv_timer_start(timer, timer->timer_cb, 0, 0);
}

void vse_sweep(void)
{
	uv_timer_t *gives = &inst->gives->timer;

	(void)sweep_some(inst, SIZE_MAX, 0);
	if (uv_is_active((uv_handle_t *)gives))
		gives->timer_cb(gives);
}

static struct vsock *next(const struct vsock *vs)
{
	return lfp_table_entry(lfp_table_next(&inst->socks->by_id, vs ? &vs->link : NULL),
			       struct vsock, link);
}

uint64_t vse_only(void)
{
	const struct vsock *vs = next(NULL);

	return vs ? vs->id : 0;
}

struct view vse_view(uint64_t id)
{
	const struct vsock *vs = vsock_find(inst->socks, id);

	if (!vs)
		return (struct view){.state = "none"};
	return (struct view){
		.exists = true,
		.state = vsock_states.states[vs->state].name,
		.is_new = vs->state == VSOCK_NEW,
		.is_established = vs->state == VSOCK_ESTABLISHED,
		.is_over = vs->state == VSOCK_OVER,
		.out_ended = vs->stream.out_end == OUT_SHUT,
		.in_ended = vs->stream.in_end != IN_OPEN,
		.epoch = vs->epoch,
		.out = vs->send.sent,
		.out_reported = vs->send.consumed,
		.in = vs->recv.received,
		.in_reported = vs->recv.reported,
	};
}

size_t vse_describe(char *out, size_t room)
{
	int n = snprintf(out, room, "vse %d/%d:", (int)inst->link->state,
			 (int)inst->link->hold.phase);

	for (const struct vsock *vs = next(NULL); vs; vs = next(vs))
		n += snprintf(out + n, room - (size_t)n,
			      " %s/%s/%s/%s/%s/%s/%s%s%s%s out %zu/%zu in %zu/%zu %u",
			      vsock_states.states[vs->state].name,
			      reading_states.states[vs->stream.reading].name,
			      out_end_states.states[vs->stream.out_end].name,
			      in_end_states.states[vs->stream.in_end].name,
			      in_reader_states.states[vs->stream.in_reader].name,
			      told_states.states[vs->stream.told].name,
			      listened_states.states[vs->listened].name, vs->given ? " given" : "",
			      vs->stream.shut ? " shut" : "",
			      lfp_list_empty(&vs->stream.queue) ? "" : " queue",
			      (size_t)vs->send.sent, (size_t)vs->send.consumed,
			      (size_t)vs->recv.received, (size_t)vs->recv.reported, vs->reset);
	return (size_t)n;
}
