/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-connect.c - connect() on datagram sockets: to a peer, to another one, to none */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/link/request.h"
#include "ijblfp/near/near-datagram.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/rights.h"
#include "transport/passed.h"

/*
 * Theory of operation
 *
 * The host's socket is connected first. Then the near end, whose descriptor came with the request,
 * is connected to a new far end with the peer's name. UDP keeps the datagrams that arrived before,
 * from any sender, and so does a near end that was not connected. In one that was connected the
 * kernel drops them, so the instance takes them out before and delivers them again, with the names
 * of their senders. Datagrams that the program has sent to the old peer go there.
 *
 * Every step that can fail for lack of a resource comes before any datagram is taken out. After any
 * failure both ends have the old peer: the near end is connected back, and so is the host's socket.
 */

#define TAKE_MOST 4096 /* more than a near end holds */

/* Reads the sender's name: of the socket that came with the datagram, or of the sending socket. */
static void source_of(struct msghdr *msg, struct lfp_meta *meta)
{
	struct lfp_rights_place place = {.msg = msg};
	int fd;

	if (lfp_source_parse(msg->msg_name, msg->msg_namelen, meta))
		memset(meta, 0, sizeof(*meta));
	/* Takes the descriptors out of a message. A program can attach descriptors of its own, and
	 * have the kernel attach more: all are closed. */
	while (lfp_rights_next(&place, &fd)) {
		struct sockaddr_un addr;
		socklen_t len = sizeof(addr);

		if (!getsockname(fd, (struct sockaddr *)&addr, &len))
			(void)lfp_source_parse(&addr, len, meta);
		/* Any process can bind such a name. */
		passed_close(fd);
	}
}

/* Takes out the datagrams that wait in the near end. They will come before those that wait here. */
static void take_near(struct dgram *dg, int near)
{
	static uint8_t buf[65536];
	struct dgram_queue old = {.bytes = 0};
	union {
		struct cmsghdr align;
		char buf[PASSED_ROOM + PASSED_MORE];
	} control;
	struct sockaddr_un addr;

	lfp_list_init(&old.items);
	dgram_queue_append_all(&old, &dg->in);
	for (int i = 0; i < TAKE_MOST; i++) {
		struct iovec iov = {.iov_base = buf, .iov_len = sizeof(buf)};
		struct msghdr msg = {
			.msg_name = &addr,
			.msg_namelen = sizeof(addr),
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control.buf,
			.msg_controllen = sizeof(control.buf),
		};
		ssize_t n = passed_take(near, &msg, PASSED_MAX);
		struct dgram_item *item;
		struct lfp_meta meta;

		/* The kernel reports an error once, so it must be made again. */
		if (n == -EINTR || n == -ECONNRESET)
			continue;
		if (n < 0)
			break;
		source_of(&msg, &meta);
		item = dgram_queue_add(&dg->in, &meta, buf, (size_t)n);
		if (item)
			item->counted = true;
	}
	dgram_queue_append_all(&dg->in, &old);
}

static int unconnect(int near)
{
	const struct sockaddr unspec = {.sa_family = AF_UNSPEC};

	return connect(near, &unspec, sizeof(unspec)) ? -errno : 0;
}

/* Makes a far end for the new peer, connected to nothing. Returns a descriptor or a negative errno.
 */
static int make_peer(struct instance *inst, struct vsock *vs, const struct lfp_addr *peer)
{
	struct lfp_meta meta = {.addr = *peer};
	int fd = sources_make(&inst->datagrams->sources, &meta), rc;

	if (fd < 0)
		return fd;
	rc = descriptors_check_full(inst, fd);
	if (!rc)
		rc = datagram_watch(inst, vs, fd, true, false);
	if (rc)
		close(fd);
	return rc ? rc : fd;
}

/* Connects the near end to a far end, or to none if that is -1. */
static int lead_to(int near, int far)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	if (far < 0)
		return unconnect(near);
	if (getsockname(far, (struct sockaddr *)&addr, &len) ||
	    connect(near, (const struct sockaddr *)&addr, len))
		return -errno;
	return 0;
}

static int change_peer(struct instance *inst, struct vsock *vs, int near,
		       const struct lfp_addr *peer)
{
	struct dgram *dg = vs->dgram;
	int old = dg->peer, fresh = -1, rc;

	if (peer->family != LFP_AF_UNSPEC) {
		fresh = make_peer(inst, vs, peer);
		if (fresh < 0)
			return fresh;
	}
	if (old >= 0)
		take_near(dg, near);
	rc = lead_to(near, fresh);
	if (!rc && fresh >= 0)
		rc = near_names_connect(&inst->near->names, fresh, vsock_name(vs));
	if (rc) {
		(void)lead_to(near, old);
		if (fresh >= 0)
			close(fresh);
		datagram_deliver(inst, vs);
		return rc;
	}
	datagram_take_all(inst, vs);
	if (old >= 0)
		passed_end_refusing(old, 0, vs->uid);
	dg->peer = fresh;
	dg->peer_addr = *peer;
	datagram_deliver(inst, vs);
	if (dg->error)
		datagram_raise(inst, vs);
	return 0;
}

static void on_restored(struct instance *inst, struct request *request,
			const struct lfp_frame *reply)
{
	/* If the host now refuses the peer that it had allowed, there is nothing more to try. */
	(void)inst;
	(void)request;
	(void)reply;
}

/* The host's socket has a peer that the near end could not get. */
static void restore_host(struct instance *inst, struct vsock *vs)
{
	struct lfp_frame frame = {.code = LFP_CONNECT, .sock = vs->id};
	int error;

	if (vs->dgram->peer >= 0)
		frame.connect.peer = vs->dgram->peer_addr;
	(void)request_send(inst, &frame, on_restored, &error);
}

int datagram_change_peer(struct instance *inst, struct vsock *vs, int near,
			 const struct lfp_addr *peer)
{
	int rc = change_peer(inst, vs, near, peer);

	if (rc)
		restore_host(inst, vs);
	return rc;
}
