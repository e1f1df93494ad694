/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-in.c - datagrams from the path to programs */
#include <errno.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/rights.h"

static void consumed(struct instance *inst, struct vsock *vs, size_t len)
{
	struct lfp_frame frame = {.code = LFP_WINDOW, .sock = vs->id};

	if (!lfp_window_consume(&vs->recv, (uint32_t)len + LFP_DATAGRAM_COST))
		return;
	frame.window.consumed = vs->recv.consumed;
	(void)link_send(inst, &frame);
}

/* Sends @len bytes, with the descriptor @rights if that is not -1. Returns 0 or a negative errno.
 */
static int send_with(int fd, const uint8_t *data, size_t len, int rights)
{
	struct iovec part = {(void *)(uintptr_t)data, len};

	return lfp_rights_send(fd, &part, 1, &rights, rights >= 0);
}

/* The peer's far end has the peer's name. A descriptor of another socket shows any other sender. */
static int send_by_peer(struct instance *inst, struct dgram *dg, const struct lfp_meta *meta,
			const uint8_t *data, size_t len)
{
	bool plain = !meta->has && memcmp(&meta->addr, &dg->peer_addr, sizeof(meta->addr)) == 0;
	int source = -1, rc;

	if (!plain)
		source = sources_get(&inst->datagrams->sources, inst->near, 0, meta);
	rc = send_with(dg->peer, data, len, source);
	if (rc == -ETOOMANYREFS || rc == -ECONNRESET)
		rc = send_with(dg->peer, data, len, -1);
	return rc;
}

static int send_by_source(struct instance *inst, struct vsock *vs, const struct lfp_meta *meta,
			  const uint8_t *data, size_t len)
{
	struct sources *sources = &inst->datagrams->sources;
	int fd = sources_get(sources, inst->near, vsock_name(vs), meta), rc, held = 0;

	if (fd < 0)
		return fd;
	rc = send_with(fd, data, len, -1);
	/* Returns true if the near end's queue is full, whose room the head reports; false if only
	 * this source's share is full. Another source has room of its own. */
	if (rc == -EAGAIN && !ioctl(fd, SIOCOUTQ, &held) && held > 0) {
		sources_drop(sources, vsock_name(vs));
		fd = sources_get(sources, inst->near, vsock_name(vs), meta);
		if (fd < 0)
			return fd;
		rc = send_with(fd, data, len, -1);
	}
	return rc == -ECONNRESET ? send_with(fd, data, len, -1) : rc;
}

/* Returns -EAGAIN if the near end has no room now. After any other result the datagram is done
 * with, as datagrams may be lost. */
static int deliver_one(struct instance *inst, struct vsock *vs, const struct lfp_meta *meta,
		       const uint8_t *data, size_t len)
{
	struct dgram *dg = vs->dgram;
	int rc;

	if (dg->gone)
		return 0;
	if (dg->peer >= 0)
		rc = send_by_peer(inst, dg, meta, data, len);
	else
		rc = send_by_source(inst, vs, meta, data, len);
	if (rc == -EAGAIN)
		return rc;
	if (rc == -ECONNREFUSED)
		datagram_on_gone(inst, vs);
	return 0;
}

static void want_out(struct instance *inst, struct vsock *vs, bool want)
{
	int fd = vs->dgram->peer >= 0 ? vs->dgram->peer : vs->far;

	/* Also when it is watched already: EPOLL_CTL_MOD makes the kernel check again for room. */
	if (want || vs->dgram->wants_out)
		(void)datagram_watch(inst, vs, fd, false, want);
	vs->dgram->wants_out = want;
}

void datagram_deliver(struct instance *inst, struct vsock *vs)
{
	struct dgram *dg = vs->dgram;
	struct dgram_item *first;

	while ((first = dgram_queue_first(&dg->in))) {
		if (deliver_one(inst, vs, &first->meta, first->data, first->len))
			break;
		/* A near end that is closed has emptied the queue. */
		if (dgram_queue_first(&dg->in) != first)
			break;
		if (!first->counted)
			consumed(inst, vs, first->len);
		dgram_queue_shift(&dg->in);
	}
	want_out(inst, vs, dgram_queue_first(&dg->in) != NULL);
}

int datagram_on_datagram(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
			 const char **why)
{
	struct dgram *dg = vs->dgram;
	int rc;

	*why = "datagram for a stream";
	if (!vs->is_datagram)
		return -EPROTO;
	rc = lfp_assembly_take(&dg->assembly, &vs->recv, &frame->datagram, why);
	if (rc == -EPROTO)
		return rc;
	if (rc == -ENOMEM)
		consumed(inst, vs, dg->assembly.total);
	if (rc != 1)
		return 0;
	datagram_touch(vs);
	if ((dgram_queue_first(&dg->in) ||
	     deliver_one(inst, vs, &dg->assembly.meta, dg->assembly.data, dg->assembly.total)) &&
	    dgram_queue_add(&dg->in, &dg->assembly.meta, dg->assembly.data, dg->assembly.total)) {
		if (!vs->dgram->wants_out)
			want_out(inst, vs, true);
	} else {
		consumed(inst, vs, dg->assembly.total);
	}
	lfp_assembly_reset(&dg->assembly);
	return 0;
}
