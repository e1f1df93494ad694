/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - requests on the control channel, right and wrong */
#include "tests/system/misuse/misuse.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "lfp/ctl.h"

static size_t fill(struct actor *actor, struct lfp_ctl_request *request)
{
	struct lfp_addr addr = {.family = LFP_AF_INET};
	struct sockaddr_in in = port_after(pick(actor, 2 + PORTS));
	struct lfp_ctl_client client = {.family = AF_INET};
	size_t len = 0;

	memset(client.name, ' ', sizeof(client.name) + sizeof(client.task));
	switch (request->op) {
	case LFP_CTL_BIND:
	case LFP_CTL_CONNECT:
		(void)lfp_addr_from(&addr, (struct sockaddr *)&in, sizeof(in));
		if (pick(actor, 8) == 0)
			memset(&addr, 0, sizeof(addr));
		memcpy(request->data, &addr, len = sizeof(addr));
		break;
	case LFP_CTL_URGENT:
		len = 1;
		break;
	case LFP_CTL_SETSOCKOPT:
		request->a = SOL_SOCKET;
		request->b = pick(actor, 2) ? SO_KEEPALIVE : SO_LINGER;
		len = pick(actor, 2) ? 4 : 8;
		break;
	case LFP_CTL_GIVE:
	case LFP_CTL_TAKE:
		request->a = (int)pick(actor, 3);
		request->b = 1;
		memcpy(request->data, &client, len = sizeof(client));
		break;
	}
	return pick(actor, 10) ? len : pick(actor, 200);
}

/* Sends a request and maybe waits for its answer. Returns the descriptor that came with that, or
 * -1. */
static int exchange(struct actor *actor, int conn, const struct lfp_ctl_request *request,
		    size_t len, int fd)
{
	struct iovec iov = {(void *)(uintptr_t)request, LFP_CTL_REQUEST_HEAD + len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	union control control;
	struct lfp_ctl_reply reply;
	struct pollfd pfd = {.fd = conn, .events = POLLIN};
	bool direct = request->flags & LFP_CTL_DIRECT;

	if (fd >= 0)
		put_fd(&msg, &control, fd);
	if (sendmsg(conn, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -1;
	/* Some leave before the answer comes. */
	if (pick(actor, 4) == 0 || request->op == LFP_CTL_PARK || request->op == LFP_CTL_HAND ||
	    poll(&pfd, 1, direct ? 50 : 200) <= 0)
		return -1;
	iov = (struct iovec){&reply, sizeof(reply)};
	msg = (struct msghdr){.msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control)};
	if (recvmsg(conn, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < (ssize_t)LFP_CTL_REPLY_HEAD)
		return -1;
	result(-reply.error);
	return take_fd(&msg);
}

/* A connection to the control channel, or one end of a pair that was handed over on a parked one.
 */
static int reach(struct actor *actor)
{
	const struct lfp_ctl_request park = {.magic = LFP_CTL_MAGIC, .op = LFP_CTL_PARK};
	const struct lfp_ctl_request hand = {.magic = LFP_CTL_MAGIC, .op = LFP_CTL_HAND};
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int conn = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), ends[2];

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", ctl_path);
	if (conn < 0 || connect(conn, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		close(conn);
		return -1;
	}
	if (pick(actor, 3))
		return conn;
	(void)exchange(actor, conn, &park, 0, -1);
	if (pick(actor, 3) == 0)
		return conn;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return conn;
	(void)exchange(actor, conn, &hand, 0, pick(actor, 8) ? ends[1] : conn);
	close(conn);
	close(ends[1]);
	return ends[0];
}

int request(struct actor *actor, int fd)
{
	static const uint16_t ops[] = {
		LFP_CTL_BIND,    LFP_CTL_CONNECT,     LFP_CTL_CONNECT,   LFP_CTL_CONNECT,
		LFP_CTL_DETACH,  LFP_CTL_LISTEN,      LFP_CTL_SHUTDOWN,  LFP_CTL_GETSOCKNAME,
		LFP_CTL_WHY_EOF, LFP_CTL_SETSOCKOPT,  LFP_CTL_OUTQ,      LFP_CTL_IDENTIFY,
		LFP_CTL_RENEW,   LFP_CTL_RENEW,       LFP_CTL_WHY_EPIPE, LFP_CTL_URGENT,
		LFP_CTL_GIVE,    LFP_CTL_TAKE,        LFP_CTL_TAKEN,     LFP_CTL_DROP,
		LFP_CTL_SOCKET,  LFP_CTL_GETPEERNAME, LFP_CTL_GUARD,     LFP_CTL_SENT,
	};
	struct lfp_ctl_request request = {.magic = LFP_CTL_MAGIC};
	int conn, taken;
	size_t len;

	actor->doing = "request";
	conn = reach(actor);

	if (conn < 0)
		return -1;
	request.op = pick(actor, 40) ? ops[pick(actor, sizeof(ops) / sizeof(*ops))]
				     : (uint16_t)pick(actor, 50);
	request.flags = pick(actor, 3) ? 0 : (uint16_t)pick(actor, 16);
	request.a = request.op == LFP_CTL_SOCKET ? AF_INET : (int)pick(actor, 4);
	request.b = request.op == LFP_CTL_SOCKET ? SOCK_STREAM : (int)pick(actor, 4);
	if (pick(actor, 8) == 0) {
		request.task = getpid();
		request.speaker = pick(actor, 2) ? getpid() : 1;
	}
	len = fill(actor, &request);
	request.len = (uint32_t)len;
	taken = exchange(actor, conn, &request, len, pick(actor, 16) ? fd : conn);
	if (request.op == LFP_CTL_CONNECT && pick(actor, 2)) {
		request.op = LFP_CTL_DETACH;
		request.len = 0;
		(void)exchange(actor, conn, &request, 0, -1);
	}
	close(conn);
	return taken;
}
