/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.c - datagram sockets of programs: their life */
#include "ijblfp/sock/datagram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "ijblfp/near/near-datagram.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"
#include "transport/passed.h"

/*
 * Theory of operation
 *
 * lfp/ctl.h defines near ends, heads and sources; docs/datagrams.md gives the reasons. A near end
 * that is not connected gets each datagram from the source that is named after its sender. There
 * the kernel limits the queue (net.unix.max_dgram_qlen), and the head, which is connected to the
 * near end, reports when there is room again. A near end that is connected gets its datagrams from
 * its peer, a far end that is connected to it in turn: between these two only the sender's buffer
 * counts.
 *
 * No event reports that a near end is closed. Connecting to its path fails exactly then, so the
 * instance checks the path: soon after an event, rarely while nothing happens, and at once when it
 * matters (a call on a datagram socket, the end of a task, a port in use, too many sockets). It
 * checks a few when a program sends, so that closed sockets of its port are gone before.
 */

/* Linux 6.16: the kernel refuses descriptors of programs, so that none is closed here. */
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

#define SWEEP_SOON_MS 100u
#define SWEEP_MAX_MS  2000u
#define SWEEP_MOST    256u
#define GLANCE_MOST   16u

struct dgram_item *dgram_queue_add(struct dgram_queue *queue, const struct lfp_meta *meta,
				   const uint8_t *data, size_t len)
{
	struct dgram_item *item = malloc(sizeof(*item) + len);

	if (!item)
		return NULL;
	item->meta = *meta;
	item->counted = false;
	item->len = (uint32_t)len;
	memcpy(item->data, data, len);
	queue->bytes += len + LFP_DATAGRAM_COST;
	lfp_list_init(&item->place);
	lfp_list_append(&queue->items, &item->place);
	return item;
}

void dgram_queue_shift(struct dgram_queue *queue)
{
	struct dgram_item *first = dgram_queue_first(queue);

	queue->bytes -= first->len + LFP_DATAGRAM_COST;
	lfp_list_del(&first->place);
	free(first);
}

void dgram_queue_drop(struct dgram_queue *queue)
{
	while (dgram_queue_first(queue))
		dgram_queue_shift(queue);
}

void dgram_queue_append_all(struct dgram_queue *to, struct dgram_queue *from)
{
	lfp_list_append_all(&to->items, &from->items);
	to->bytes += from->bytes;
	from->bytes = 0;
}

/* Sends the last datagrams of the socket and closes it, as far as the path takes them. */
static void end(struct instance *inst, struct vsock *vs)
{
	size_t left = SIZE_MAX;

	datagram_on_gone(inst, vs);
	if (link_flows(inst->link) && !inst->streams->blocked)
		inst->streams->blocked = !datagram_read(inst, vs, &left);
}

unsigned int datagram_sweep(struct instance *inst, size_t most, uint32_t task)
{
	struct lfp_list *all = &inst->datagrams->all, asked, gone;
	unsigned int nr_gone = 0;

	if (lfp_list_empty(all))
		return 0;
	if (near_names_enter(&inst->near->names))
		return 0;
	/* Recently used sockets come first; with thousands the others wait for the timer. */
	if (!task && most > SWEEP_MOST)
		most = 2 * SWEEP_MOST;
	lfp_list_init(&asked);
	lfp_list_init(&gone);
	for (size_t i = 0; i < most && !lfp_list_empty(all); i++) {
		struct dgram *dg = lfp_list_entry(all->next, struct dgram, place);
		bool asks = !dg->gone && (!task || dg->vs->task == task);

		if (asks && near_names_is_gone(&inst->near->names, vsock_name(dg->vs)))
			lfp_list_append(&gone, &dg->place);
		else
			lfp_list_append(&asked, &dg->place);
	}
	near_names_leave(&inst->near->names);
	lfp_list_append_all(all, &asked);
	while (!lfp_list_empty(&gone)) {
		struct dgram *dg = lfp_list_entry(gone.next, struct dgram, place);

		nr_gone++;
		lfp_list_append(all, &dg->place);
		end(inst, dg->vs);
	}
	return nr_gone;
}

void datagram_glance(struct instance *inst)
{
	struct dgram_set *set = inst->datagrams;

	if (set->glanced == uv_now(inst->loop))
		return;
	set->glanced = uv_now(inst->loop);
	datagram_sweep(inst, GLANCE_MOST, 0);
}

void datagram_ask(struct instance *inst)
{
	datagram_sweep(inst, GLANCE_MOST, 0);
}

static void on_timer(uv_timer_t *timer)
{
	struct instance *inst = timer->data;
	struct dgram_set *set = inst->datagrams;
	unsigned int gone = datagram_sweep(inst, SWEEP_MOST, 0);

	if (gone || set->active)
		set->interval = SWEEP_SOON_MS;
	else if (set->interval < SWEEP_MAX_MS)
		set->interval *= 2;
	set->active = false;
	if (!lfp_list_empty(&set->all))
		uv_timer_start(timer, on_timer, set->interval, 0);
}

void datagram_touch(struct vsock *vs)
{
	struct instance *inst = vs->dgram->inst;
	struct dgram_set *set = inst->datagrams;

	/* To the front: an active socket is more likely to be closed soon than an idle one. */
	lfp_list_prepend(&set->all, &vs->dgram->place);
	set->active = true;
	if (set->interval == SWEEP_SOON_MS && uv_is_active((uv_handle_t *)&set->timer))
		return;
	set->interval = SWEEP_SOON_MS;
	uv_timer_start(&set->timer, on_timer, SWEEP_SOON_MS, 0);
}

int datagram_watch(struct instance *inst, struct vsock *vs, int fd, bool fresh, bool out)
{
	return watch_set_control(&inst->streams->far_ends, fresh ? EPOLL_CTL_ADD : EPOLL_CTL_MOD,
				 fd, vs->id, EPOLLIN | (out ? EPOLLOUT : 0u));
}

/* Makes the head, connected to the near end. Returns 0 or a negative errno. */
static int make_head(struct instance *inst, struct vsock *vs)
{
	struct sockaddr_un addr;
	socklen_t len = lfp_head_name(&vs->dgram->near, &addr);
	int fd = near_datagram_far(inst->near->network), rc;
	const int off = 0;

	if (fd < 0)
		return fd;
	vs->far = fd;
	rc = descriptors_check_full(inst, fd);
	if (rc)
		return rc;
	(void)setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof(off));
	if (bind(fd, (const struct sockaddr *)&addr, len))
		return -errno;
	rc = near_names_connect(&inst->near->names, fd, vsock_name(vs));
	return rc ? rc : datagram_watch(inst, vs, fd, true, false);
}

static int begin(struct instance *inst, struct vsock *vs)
{
	struct dgram *dg = calloc(1, sizeof(*dg));
	int rc;

	if (!dg)
		return -ENOMEM;
	dg->inst = inst;
	dg->vs = vs;
	dg->peer = -1;
	lfp_list_init(&dg->place);
	lfp_list_init(&dg->out.items);
	lfp_list_init(&dg->in.items);
	near_names_addr(&inst->near->names, vsock_name(vs), &dg->near);
	vs->is_datagram = true;
	vs->dgram = dg;
	rc = make_head(inst, vs);
	if (rc)
		return rc;
	vsock_set_state(inst->socks, vs, VSOCK_DATAGRAM);
	ijblfp_stream_begin(inst, vs);
	datagram_touch(vs);
	return 0;
}

int datagram_make_near(struct instance *inst, struct vsock *vs, int own)
{
	bool is_v6 = vs->family == LFP_AF_INET6;
	struct near_id id;
	int near = own, rc;

	if (own >= 0)
		rc = near_datagram_adopt(inst->near, own, is_v6, &id);
	else
		rc = near = near_datagram_create(inst->near, is_v6, &id);
	if (rc >= 0) {
		vsock_set_near(inst->socks, vs, &id);
		/* Only sockets of the instance can reach the path of the head. */
		vs->paired = own < 0;
		rc = begin(inst, vs);
	}
	if (rc >= 0)
		return near;
	if (own < 0 && near >= 0)
		close(near);
	return rc;
}

void datagram_free(struct vsock *vs)
{
	struct dgram *dg = vs->dgram;

	if (!vs->is_datagram)
		return;
	vs->is_datagram = false;
	vs->dgram = NULL;
	lfp_list_del(&dg->place);
	sources_drop(&dg->inst->datagrams->sources, vsock_name(vs));
	dgram_queue_drop(&dg->out);
	dgram_queue_drop(&dg->in);
	lfp_assembly_reset(&dg->assembly);
	if (dg->peer >= 0)
		passed_end_refusing(dg->peer, 0, vs->uid);
	free(dg);
}

void datagram_on_gone(struct instance *inst, struct vsock *vs)
{
	struct dgram *dg = vs->dgram;

	if (dg->gone)
		return;
	dg->gone = true;
	dgram_queue_drop(&dg->in);
	datagram_may_read(inst, vs);
}

void ijblfp_datagram_on_event(struct instance *inst, struct vsock *vs, uint32_t events)
{
	uint64_t id = vs->id;

	datagram_touch(vs);
	datagram_glance(inst);
	/* The socket may be one of the closed ones. */
	vs = vsock_find(inst->socks, id);
	if (!vs || !vs->is_datagram)
		return;
	if ((events & EPOLLOUT) && vs->dgram->wants_out)
		datagram_deliver(inst, vs);
	if (events & EPOLLIN)
		datagram_may_read(inst, vs);
}

int datagram_set_init(struct instance *inst)
{
	struct dgram_set *set = inst->datagrams;

	sources_init(&set->sources, inst->near->names.run, inst->near->network);
	lfp_list_init(&set->all);
	set->token = -1;
	set->interval = SWEEP_SOON_MS;
	uv_timer_init(inst->loop, &set->timer);
	set->timer.data = inst;
	handle_open(inst);
	return 0;
}

void datagram_set_finish(struct instance *inst)
{
	struct dgram_set *set = inst->datagrams;

	sources_finish(&set->sources);
	if (set->token >= 0)
		close(set->token);
	set->token = -1;
	uv_timer_stop(&set->timer);
	handle_close(inst, (uv_handle_t *)&set->timer);
}
