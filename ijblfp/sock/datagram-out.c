/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-out.c - datagrams from programs to the path */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"
#include "transport/passed.h"

/*
 * Theory of operation
 *
 * The instance reads as much as the path takes, one datagram after the other. The rest stays in the
 * near end's send buffer, which then stops the program. Only two things wait in the instance: a
 * datagram of several parts that the path has interrupted, and datagrams that were taken off a far
 * end to which the near end is no longer connected.
 */

#define STRANGE_MOST  64   /* datagrams that are thrown away in one go */
#define TAKE_MOST     4096 /* more than a near end's buffer holds */
#define QUEUE_MOST    (512u * 1024u)
#define SOCKET_SHARE  65536u
#define DATAGRAM_HEAD 256u /* more than a frame has before its payload */

enum progress {
	MOVED,
	EMPTY,     /* there is nothing more */
	NO_WINDOW, /* WINDOW brings it back */
	NO_PATH,   /* the path takes no more */
};

/* A datagram that the program has written to a far end: on the head a struct lfp_meta precedes it.
 */
static uint8_t buf[LFP_META_SIZE + 65536];

/* Continues the datagram that is being sent: the first in the queue, or one that is not queued yet.
 */
static enum progress go_on(struct instance *inst, struct vsock *vs)
{
	struct dgram *dg = vs->dgram;
	int rc = parts_send(inst->link->path, &dg->parts);

	if (rc == -EAGAIN)
		return NO_PATH;
	dg->in_parts = false;
	/* A datagram that cannot be sent is lost, as datagrams are. */
	if (rc && !dg->parts.begun)
		vs->send.sent = dg->parts.position;
	return MOVED;
}

static enum progress send_new(struct instance *inst, struct vsock *vs, const struct lfp_meta *meta,
			      const uint8_t *data, uint32_t len)
{
	struct dgram *dg = vs->dgram;

	if (!lfp_window_room(&vs->send))
		return NO_WINDOW;
	dg->parts = (struct parts){
		.sock = vs->id,
		.position = vs->send.sent,
		.meta = *meta,
		.data = data,
		.total = len,
	};
	dg->in_parts = true;
	vs->send.sent += len + LFP_DATAGRAM_COST;
	return go_on(inst, vs);
}

/* Sends the first datagram of the queue. */
static enum progress send_waiting(struct instance *inst, struct vsock *vs)
{
	struct dgram *dg = vs->dgram;
	struct dgram_item *first = dgram_queue_first(&dg->out);
	enum progress progress;

	if (dg->in_parts)
		progress = go_on(inst, vs);
	else
		progress = send_new(inst, vs, &first->meta, first->data, first->len);
	if (progress == MOVED)
		dgram_queue_shift(&dg->out);
	return progress;
}

/* Takes one datagram off a far end. Returns the bytes of payload at @data; -EAGAIN if there is
 * none; -EMSGSIZE for one that is too long, or -ENOMSG for a message that is no datagram: these are
 * dropped. */
static ssize_t take(struct vsock *vs, int fd, struct lfp_meta *meta, const uint8_t **data)
{
	struct dgram *dg = vs->dgram;
	size_t before = fd == vs->far ? LFP_META_SIZE : 0;

	for (int i = 0; i < STRANGE_MOST; i++) {
		struct sockaddr_un from;
		union passed control;
		struct iovec iov = {.iov_base = buf, .iov_len = sizeof(buf)};
		struct msghdr msg = {
			.msg_name = &from,
			.msg_namelen = sizeof(from),
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = &control,
			.msg_controllen = sizeof(control),
		};
		ssize_t n = passed_take(fd, &msg, 0);

		if (n == -EINTR || n == -ECONNRESET)
			continue;
		if (n < 0)
			return -EAGAIN;
		/* Kernels before 6.16 let programs attach descriptors. */
		passed_drop(&msg);
		/* While a far end is made, any process could send to it. */
		if (!lfp_near_path(&from, msg.msg_namelen) ||
		    memcmp(from.sun_path, dg->near.sun_path, LFP_NEAR_PATH_LEN) != 0)
			continue;
		if ((size_t)n < before)
			continue;
		memset(meta, 0, sizeof(*meta));
		if (before && lfp_meta_get(buf, meta))
			continue;
		*data = buf + before;
		n -= (ssize_t)before;
		return (size_t)n <= LFP_DATAGRAM_MAX ? n : -EMSGSIZE;
	}
	return -ENOMSG;
}

static bool is_empty(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
}

static enum progress move_one(struct instance *inst, struct vsock *vs, int fd)
{
	struct dgram *dg = vs->dgram;
	enum progress progress;
	struct dgram_item *first;
	struct lfp_meta meta;
	const uint8_t *data;
	ssize_t n;

	if (fd < 0)
		return EMPTY;
	if (!lfp_window_room(&vs->send))
		return is_empty(fd) ? EMPTY : NO_WINDOW;
	n = take(vs, fd, &meta, &data);
	if (n == -EAGAIN)
		return EMPTY;
	if (n == -EMSGSIZE) {
		dg->error = EMSGSIZE;
		datagram_raise(inst, vs);
	}
	if (n < 0)
		return MOVED;
	/* A datagram of several parts must not get lost half-way. */
	if (dgram_queue_first(&dg->out) ||
	    (size_t)n + DATAGRAM_HEAD > path_frame_max(inst->link->path)) {
		if (dgram_queue_add(&dg->out, &meta, data, (size_t)n))
			return send_waiting(inst, vs);
		return MOVED;
	}
	progress = send_new(inst, vs, &meta, data, (uint32_t)n);
	if (progress != NO_PATH)
		return progress;
	first = dgram_queue_add(&dg->out, &meta, data, (size_t)n);
	if (first) {
		dg->parts.data = first->data;
	} else {
		dg->in_parts = false;
		vs->send.sent = dg->parts.position;
	}
	return NO_PATH;
}

static enum progress move(struct instance *inst, struct vsock *vs, size_t *bytes)
{
	struct dgram *dg = vs->dgram;
	uint64_t before = vs->send.sent;
	enum progress progress;

	if (dgram_queue_first(&dg->out))
		progress = send_waiting(inst, vs);
	else
		progress = move_one(inst, vs, vs->far);
	if (progress == EMPTY)
		progress = move_one(inst, vs, dg->peer);
	/* Dropped datagrams have taken time, too. */
	*bytes = (size_t)(vs->send.sent - before);
	if (*bytes < LFP_DATAGRAM_COST)
		*bytes = LFP_DATAGRAM_COST;
	return progress;
}

bool datagram_read(struct instance *inst, struct vsock *vs, size_t *left)
{
	size_t share = SOCKET_SHARE;

	while (share) {
		size_t bytes;
		enum progress progress = move(inst, vs, &bytes);

		share -= share < bytes ? share : bytes;
		*left -= *left < bytes ? *left : bytes;
		if (progress == NO_PATH)
			return false;
		if (progress == MOVED)
			continue;
		lfp_list_del(&vs->place);
		if (progress == EMPTY) {
			vs->dgram->readable = false;
			if (vs->dgram->gone)
				end_close(inst, vs, false);
		}
		return true;
	}
	lfp_list_append(&inst->streams->runnable, &vs->place);
	return true;
}

void datagram_may_read(struct instance *inst, struct vsock *vs)
{
	vs->dgram->readable = true;
	stream_look_again(inst, vs);
}

bool datagram_settle(struct instance *inst, struct vsock *vs)
{
	enum progress progress = MOVED;
	size_t bytes;

	for (int i = 0; i < TAKE_MOST && progress == MOVED && link_flows(inst->link) &&
			!inst->streams->blocked;
	     i++)
		progress = move(inst, vs, &bytes);
	if (progress == EMPTY)
		return true;
	vs->dgram->readable = true;
	if (progress == NO_PATH)
		inst->streams->blocked = true;
	if (progress != NO_WINDOW)
		stream_look_again(inst, vs);
	return false;
}

static void take_far(struct instance *inst, struct vsock *vs, int fd)
{
	struct lfp_meta meta;
	const uint8_t *data;
	ssize_t n;

	/* A program may do this again and again while nothing goes out: then datagrams are lost. */
	for (int i = 0; fd >= 0 && i < TAKE_MOST; i++) {
		n = take(vs, fd, &meta, &data);
		if (n == -EAGAIN)
			break;
		if (n >= 0 && vs->dgram->out.bytes < QUEUE_MOST)
			(void)dgram_queue_add(&vs->dgram->out, &meta, data, (size_t)n);
	}
	if (dgram_queue_first(&vs->dgram->out))
		datagram_may_read(inst, vs);
}

void datagram_take_peer(struct instance *inst, struct vsock *vs)
{
	take_far(inst, vs, vs->dgram->peer);
}

void datagram_take_all(struct instance *inst, struct vsock *vs)
{
	struct dgram *dg = vs->dgram;
	struct dgram_item *item;

	take_far(inst, vs, vs->far);
	take_far(inst, vs, dg->peer);
	lfp_list_each(item, &dg->out.items, place)
		if (item->meta.addr.family == LFP_AF_UNSPEC)
			item->meta.addr = dg->peer_addr;
}

void datagram_rest(struct instance *inst)
{
	struct dgram *dg;

	lfp_list_each(dg, &inst->datagrams->all, place) {
		if (!dg->in_parts || dg->parts.begun)
			continue;
		dg->in_parts = false;
		dg->vs->send.sent = dg->parts.position;
	}
}

int datagram_on_window(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		       const char **why)
{
	*why = "window that goes back or beyond what was sent";
	if (lfp_window_report(&vs->send, frame->window.consumed))
		return -EPROTO;
	if (vs->dgram->readable)
		stream_look_again(inst, vs);
	return 0;
}
