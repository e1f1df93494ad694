/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - requests on the control channel: by the path, handed over, and directly */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "tests/campaign/machines/machines.h"

union control {
	struct cmsghdr head;
	char buf[CMSG_SPACE(sizeof(int))];
};

int ctl_connect(const struct world *w)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int conn = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", w->ctl_path);
	if (conn >= 0 && connect(conn, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		close(conn);
		return -1;
	}
	return conn;
}

static bool send_request(int conn, const struct lfp_ctl_request *request, int fd)
{
	struct iovec iov = {(void *)(uintptr_t)request, LFP_CTL_REQUEST_HEAD + request->len};
	union control control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(int));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
	}
	return sendmsg(conn, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

static struct lfp_ctl_reply reply; /* the last one */

/* Returns false if there is no answer yet. *error: the answer's, -1 if the connection has ended. */
static bool read_answer(int conn, int *error, int *fd)
{
	struct iovec iov = {&reply, sizeof(reply)};
	union control control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(conn, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	*fd = -1;
	*error = -1;
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n < (ssize_t)LFP_CTL_REPLY_HEAD)
		return true;
	*error = reply.error;
	if (msg.msg_controllen >= CMSG_LEN(sizeof(int)) && control.head.cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(&control.head), sizeof(int));
	return true;
}

int ctl_ask(const struct world *w, struct lfp_ctl_request *request, int fd, int *got)
{
	int conn = ctl_connect(w), error = -1, back = -1;

	request->magic = LFP_CTL_MAGIC;
	if (conn >= 0 && send_request(conn, request, fd) && wait_readable(conn) == 1)
		(void)read_answer(conn, &error, &back);
	if (conn >= 0)
		close(conn);
	if (got)
		*got = back;
	else if (back >= 0)
		close(back);
	return error;
}

in_port_t ctl_port(const struct world *w, int near)
{
	static struct lfp_ctl_request r;
	struct lfp_addr addr;
	struct sockaddr_storage sa;

	r = (struct lfp_ctl_request){.op = LFP_CTL_GETSOCKNAME};
	if (ctl_ask(w, &r, near, NULL) != 0 || reply.len < sizeof(addr))
		return 0;
	memcpy(&addr, reply.data, sizeof(addr));
	(void)lfp_addr_to(&addr, &sa);
	return sa.ss_family == AF_INET ? ((struct sockaddr_in *)&sa)->sin_port : 0;
}

void ctl_address(struct lfp_ctl_request *request, const struct sockaddr_in *addr)
{
	struct lfp_addr to = {.family = LFP_AF_UNSPEC};

	(void)lfp_addr_from(&to, (const struct sockaddr *)addr, sizeof(*addr));
	memcpy(request->data, &to, sizeof(to));
	request->len = sizeof(to);
}

static void took(struct world *w, int error, int fd)
{
	w->answers++;
	w->good += error == 0;
	if (fd >= 0)
		put(&w->near[some(w, w->near, pick(w, 2) ? NEAR_ENDS : 3)], fd);
}

void take_answers(struct world *w)
{
	int error, fd;

	for (unsigned int i = 0; i < CONNS; i++)
		if (w->conns[i] >= 0 && read_answer(w->conns[i], &error, &fd)) {
			took(w, error, fd);
			put(&w->conns[i], -1);
		}
	for (unsigned int i = 0; i < PARKED; i++)
		if (w->busy[i] && read_answer(w->parked[i], &error, &fd)) {
			took(w, error, fd);
			w->busy[i] = false;
			if (error < 0)
				put(&w->parked[i], -1);
		}
}

static const struct {
	uint16_t op;
	const char *name;
	unsigned int weight;
} ops[] = {
	{LFP_CTL_SOCKET, "SOCKET", 16},
	{LFP_CTL_BIND, "BIND", 2},
	{LFP_CTL_CONNECT, "CONNECT", 8},
	{LFP_CTL_LISTEN, "LISTEN", 4},
	{LFP_CTL_SHUTDOWN, "SHUTDOWN", 4},
	{LFP_CTL_GETSOCKNAME, "GETSOCKNAME", 1},
	{LFP_CTL_GETPEERNAME, "GETPEERNAME", 1},
	{LFP_CTL_GETSOCKOPT, "GETSOCKOPT", 1},
	{LFP_CTL_SETSOCKOPT, "SETSOCKOPT", 2},
	{LFP_CTL_WHY_EOF, "WHY_EOF", 2},
	{LFP_CTL_WHY_EPIPE, "WHY_EPIPE", 2},
	{LFP_CTL_OUTQ, "OUTQ", 1},
	{LFP_CTL_IDENTIFY, "IDENTIFY", 2},
	{LFP_CTL_URGENT, "URGENT", 3},
	{LFP_CTL_RENEW, "RENEW", 5},
	{LFP_CTL_SENT, "SENT", 1},
	{LFP_CTL_ERRQUEUE, "ERRQUEUE", 1},
	{LFP_CTL_TASK, "TASK", 1},
	{LFP_CTL_CLIENTID, "CLIENTID", 1},
	{LFP_CTL_GIVE, "GIVE", 4},
	{LFP_CTL_TAKE, "TAKE", 4},
	{LFP_CTL_TAKEN, "TAKEN", 2},
	{LFP_CTL_DROP, "DROP", 2},
	{LFP_CTL_GUARD, "GUARD", 1},
	{LFP_CTL_HELD, "HELD", 1},
	{LFP_CTL_DETACH, "DETACH", 1},
	{LFP_CTL_GETIFADDRS, "GETIFADDRS", 1},
	{LFP_CTL_PING, "PING", 1},
};
enum { NR_OPS = sizeof(ops) / sizeof(*ops) };

static unsigned int pick_op(struct world *w)
{
	unsigned int sum = 0, at;

	for (unsigned int i = 0; i < NR_OPS; i++)
		sum += ops[i].weight;
	at = pick(w, sum);
	for (unsigned int i = 0; i < NR_OPS; i++) {
		if (at < ops[i].weight)
			return i;
		at -= ops[i].weight;
	}
	return 0;
}

static void fill_address(struct world *w, struct lfp_ctl_request *r)
{
	struct sockaddr_in to = w->host;

	switch (pick(w, 8)) {
	case 0:
		to.sin_port = htons(9);
		break;
	case 1:
		to.sin_family = AF_UNSPEC;
		break;
	}
	if (r->op == LFP_CTL_BIND)
		to.sin_port = pick(w, 3) ? 0 : to.sin_port;
	ctl_address(r, &to);
}

static void fill_client(struct world *w, struct lfp_ctl_request *r)
{
	struct lfp_ctl_client client = {.family = AF_INET};

	memset(client.name, ' ', sizeof(client.name) + sizeof(client.task));
	memcpy(r->data, &client, sizeof(client));
	r->len = sizeof(client);
	r->a = (int)pick(w, 3);
	r->b = 1; /* given for a second: no socket stays after the program */
}

static void fill(struct world *w, struct lfp_ctl_request *r)
{
	r->a = (int)pick(w, 4);
	r->b = (int)pick(w, 4);
	switch (r->op) {
	case LFP_CTL_SOCKET:
		r->a = pick(w, 8) ? AF_INET : AF_INET6;
		r->b = pick(w, 5) ? SOCK_STREAM : SOCK_DGRAM;
		break;
	case LFP_CTL_BIND:
	case LFP_CTL_CONNECT:
		fill_address(w, r);
		r->flags = pick(w, 2) ? LFP_CTL_BLOCKING : 0;
		break;
	case LFP_CTL_URGENT:
		r->len = 1;
		break;
	case LFP_CTL_GETSOCKOPT:
		r->c = 8;
		/* fall through */
	case LFP_CTL_SETSOCKOPT:
		r->a = SOL_SOCKET;
		r->b = pick(w, 2) ? SO_KEEPALIVE : SO_LINGER;
		r->data[0] = (uint8_t)pick(w, 2);
		r->len = r->op == LFP_CTL_SETSOCKOPT ? 8 : 0;
		break;
	case LFP_CTL_GIVE:
	case LFP_CTL_TAKE:
	case LFP_CTL_CLIENTID:
		fill_client(w, r);
		break;
	}
	if (pick(w, 24) == 0)
		r->len = pick(w, 100);
}

static void park(struct world *w, unsigned int slot)
{
	const struct lfp_ctl_request r = {.magic = LFP_CTL_MAGIC, .op = LFP_CTL_PARK};

	put(&w->parked[slot], ctl_connect(w));
	w->busy[slot] = false;
	if (w->parked[slot] >= 0)
		(void)send_request(w->parked[slot], &r, -1);
}

/* The end of a pair whose other end is handed over, with the request before or after that. */
static int hand_over(struct world *w, unsigned int slot, const struct lfp_ctl_request *r, int fd)
{
	const struct lfp_ctl_request hand = {.magic = LFP_CTL_MAGIC, .op = LFP_CTL_HAND};
	bool before = pick(w, 4) != 0;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
		return -1;
	if (before)
		(void)send_request(ends[0], r, fd);
	(void)send_request(w->parked[slot], &hand, pick(w, 12) ? ends[1] : fd);
	close(ends[1]);
	if (!before)
		(void)send_request(ends[0], r, fd);
	return ends[0];
}

void step_request(struct world *w)
{
	static struct lfp_ctl_request r;
	unsigned int way = pick(w, 4), slot = pick(w, PARKED), op = pick_op(w), other;
	unsigned int near = some(w, w->near, NEAR_ENDS);
	int fd = w->near[near], conn = -1;

	memset(&r, 0, sizeof(r));
	r.magic = LFP_CTL_MAGIC;
	r.op = ops[op].op;
	fill(w, &r);
	if (r.op == LFP_CTL_SOCKET || pick(w, 24) == 0)
		fd = -1;
	if (way && w->parked[slot] < 0)
		park(w, slot);
	told(w, "%s by way %u.%u on %u, a %d b %d flags %u len %u", ops[op].name, way, slot, near,
	     r.a, r.b, r.flags, r.len);
	if (way == 1 && !w->busy[slot] && (lfp_ctl_is_direct(r.op) || pick(w, 8) == 0)) {
		r.flags |= LFP_CTL_DIRECT;
		w->busy[slot] = send_request(w->parked[slot], &r, fd);
		return;
	}
	if (way >= 2 && w->parked[slot] >= 0)
		conn = hand_over(w, slot, &r, fd);
	else if ((conn = ctl_connect(w)) >= 0)
		(void)send_request(conn, &r, fd);
	other = some(w, w->conns, CONNS);
	if (pick(w, 10) == 0 && w->conns[other] >= 0) { /* a second one on the same connection */
		r.op = LFP_CTL_DETACH;
		r.len = 0;
		(void)send_request(w->conns[other], &r, -1);
	}
	put(&w->conns[pick(w, CONNS)], conn);
}
