/* SPDX-License-Identifier: Apache-2.0 */
/* linux.c - lfpd, in this process */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "lfp/places.h"
#include "lfpd/instance.h"
#include "lfpd/restart/suspend.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/state/session.h"
#include "tests/campaign/model/model.h"

static uv_loop_t loop;
static struct instance inst;
static struct lfpd_config config;
static const char *root;
static struct suspended left;
static bool suspending, is_left;
static uint64_t disagreed; /* with earlier lfpds */

static void start(void)
{
	if (instance_start(&inst, &loop, &config, LINUX_VMID, true) != 0)
		die("lfpd does not start");
}

void linux_begin(const char *where)
{
	char place[LFP_PLACE_MAX];
	const struct lfp_field *fields;
	size_t nr;

	root = where;
	setenv("LFP_ROOT", root, 1);
	fields = lfpd_config_fields(&nr);
	lfp_fields_init(fields, nr, &config, sizeof(config));
	strcpy(config.iucv_src_appname, LINUX_NAME);
	config.iucv_msglimit = 64;
	config.mtu_size = 4096;
	config.max_sockets = 64;
	config.max_vse_tasks = 16;
	config.initial_io_bufs = 16;
	config.window_size = 4096;
	config.window_threshold = 50;
	strcpy(config.vse_codepage, "EBCDIC-US");
	if (lfp_place_lfpd(place, LINUX_NAME, "path") || lfp_place_make_parent(place) ||
	    uv_loop_init(&loop))
		die("no directory for lfpd");
	start();
}

void linux_end(void)
{
	setenv("LFP_ROOT", root, 1);
	instance_stop(&inst, "the model ends");
	uv_run(&loop, UV_RUN_DEFAULT);
	if (inst.nr_sockets || inst.pool.in_use || uv_loop_close(&loop))
		die("lfpd leaves something behind");
}

static void on_done(struct instance *which, int error, struct suspended *what)
{
	(void)which;
	if (error)
		die("the session cannot be suspended");
	left = *what;
	left.fds = malloc((what->nr + 1) * sizeof(*left.fds));
	if (!left.fds)
		die("no memory");
	memcpy(left.fds, what->fds, what->nr * sizeof(*left.fds));
	is_left = true;
}

void linux_suspend(void)
{
	setenv("LFP_ROOT", root, 1);
	suspending = true;
	suspend_begin(&inst, on_done);
}

bool linux_is_suspending(void)
{
	return suspending;
}

static void go_on(void)
{
	disagreed += inst.counters.disagreements;
	instance_stop(&inst, "it was suspended");
	uv_run(&loop, UV_RUN_DEFAULT);
	start();
	if (resume_offer(&inst, &left) != 0)
		die("the next lfpd does not take what was left");
	free(left.fds);
	is_left = suspending = false;
}

void linux_turn(void)
{
	setenv("LFP_ROOT", root, 1);
	uv_run(&loop, UV_RUN_NOWAIT);
	if (is_left)
		go_on();
}

int linux_backend(void)
{
	return uv_backend_fd(&loop);
}

bool linux_is_busy(void)
{
	return uv_backend_timeout(&loop) == 0;
}

unsigned int linux_sockets(void)
{
	return inst.nr_sockets;
}

uint64_t linux_disagreements(void)
{
	return disagreed + inst.counters.disagreements;
}

static struct socket *find(uint64_t id)
{
	struct lfp_table_link *link;

	link = inst.session ? lfp_table_find(&inst.session->sockets, id) : NULL;
	return link ? socket_of(link) : NULL;
}

struct view linux_view(uint64_t id)
{
	const struct socket *sock = find(id);

	if (!sock)
		return (struct view){.state = "none"};
	return (struct view){
		.exists = true,
		.state = socket_states.states[sock->state].name,
		.is_new = sock->state == SOCKET_NEW,
		.is_established = sock->state == SOCKET_ESTABLISHED,
		.is_over = sock->state == SOCKET_LOST || sock->state == SOCKET_DEAD,
		.out_ended = sock->stream.to_host_end == TO_END_SENT,
		.in_ended = from_host_ended(sock->from_host),
		.epoch = sock->epoch,
		.out = sock->in.received,
		.out_reported = sock->in.reported,
		.in = sock->out.sent,
		.in_reported = sock->out.consumed,
	};
}

size_t linux_describe(char *out, size_t room)
{
	struct lfp_table_link *link = NULL;
	int n = snprintf(out, room, "lfpd %u %d:", inst.nr_sockets,
			 inst.session ? (int)inst.session->phase : -1);

	if (!inst.session)
		return (size_t)n;
	while ((link = lfp_table_next(&inst.session->sockets, link))) {
		const struct socket *sock = socket_of(link);

		n += snprintf(out + n, room - (size_t)n, " %s/%s/%s/%s %zu in %zu/%zu out %zu/%zu",
			      socket_states.states[sock->state].name,
			      from_host_states.states[sock->from_host].name,
			      to_host_end_states.states[sock->stream.to_host_end].name,
			      listener_states.states[sock->listener.state].name,
			      sock->stream.queue.len, (size_t)sock->in.received,
			      (size_t)sock->in.reported, (size_t)sock->out.sent,
			      (size_t)sock->out.consumed);
	}
	return (size_t)n;
}
