/* SPDX-License-Identifier: Apache-2.0 */
/* fake-calls.c - answers of the fake instance to each call */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/libvsesock/fake-parts.h"
#include "tests/libvsesock/fake.h"

struct lfp_ctl_request fake_request;
struct lfp_ctl_reply fake_reply;
struct fake_told fake_told;

static int arrivals, urgent;
static bool merges_pages;

static void arrive(struct fake_sock *listener)
{
	struct lfp_accept_record record = {.magic = LFP_CTL_RECORD_MAGIC,
					   .merges_pages = merges_pages};
	socklen_t len = sizeof(record.cookie);
	struct fake_sock *sock;
	int near = fake_make(&sock);

	fake_pair(sock, near);
	fake_addr(&record.peer, FAKE_PEER, FAKE_PEER_PORT + arrivals++);
	fake_addr(&record.local, FAKE_LOCAL, FAKE_LOCAL_PORT);
	if (getsockopt(near, SOL_SOCKET, SO_COOKIE, &record.cookie, &len))
		fake_die("SO_COOKIE");
	fake_send(listener->far, &record, sizeof(record), near);
	close(near);
}

static uint32_t credit;
static struct lfp_credit *page;

/* Makes a page; returns its descriptor. */
static int handle_credit(int *out)
{
	if (!credit)
		return EOPNOTSUPP;
	if (fake_request.b) {
		page->left = credit;
		return 0;
	}
	if (page)
		munmap(page, LFP_CREDIT_SIZE);
	*out = memfd_create("fake", MFD_CLOEXEC);
	if (*out < 0 || ftruncate(*out, LFP_CREDIT_SIZE))
		fake_die("memory file");
	page = mmap(NULL, LFP_CREDIT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, *out, 0);
	if (page == MAP_FAILED)
		fake_die("page");
	return 0;
}

static bool has_name(int near)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	return !getsockname(near, (struct sockaddr *)&addr, &len) &&
	       len > offsetof(struct sockaddr_un, sun_path);
}

/* Returns true for a fresh socket. */
static bool is_fresh(int near)
{
	uint64_t mark;
	socklen_t len = sizeof(mark);
	char nn[3];

	return near >= 0 && !getsockopt(near, SOL_SOCKET, SO_MAX_PACING_RATE, &mark, &len) &&
	       lfp_fresh_read(mark, nn) == AF_INET && !strcmp(nn, "00");
}

static int handle_set(struct fake_sock *sock, int near)
{
	char bytes[256];
	int value;

	if (fake_request.a != FAKE)
		return 0;
	memcpy(&value, fake_request.data, sizeof(value));
	switch (fake_request.b) {
	case FAKE_SEND:
		memset(bytes, 'x', sizeof(bytes));
		return send(sock->far, bytes, (size_t)value, MSG_NOSIGNAL) < 0 ? errno : 0;
	case FAKE_END:
		close(sock->far);
		sock->far = -1;
		sock->why = value;
		return 0;
	case FAKE_SHUT:
		return shutdown(sock->far, SHUT_WR) < 0 ? errno : 0;
	case FAKE_FAIL:
		fake_pair(sock, near);
		close(sock->far);
		sock->far = -1;
		sock->failed = value;
		return 0;
	case FAKE_ARRIVE:
		while (value-- > 0)
			arrive(sock);
		return 0;
	case FAKE_HELD:
		sock->held = value;
		return 0;
	case FAKE_DEAF:
		fake_told.deaf = value;
		return 0;
	case FAKE_MERGES:
		merges_pages = value;
		return 0;
	case FAKE_EVICT:
		fake_told.evict = true;
		return 0;
	case FAKE_CREDIT:
		credit = (uint32_t)value;
		if (page)
			page->left = credit;
		return 0;
	default:
		return ENOPROTOOPT;
	}
}

/* Takes accept()'s mark as if it were data. Returns its sender, 0 if the mark has none, or -1. */
static int marker_of(int far)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(struct ucred))];
	} control = {0};
	char byte;
	struct iovec iov = {.iov_base = &byte, .iov_len = 1};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.room,
			     .msg_controllen = sizeof(control.room)};
	struct ucred sender;
	int on = 1;

	if (setsockopt(far, SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on)) ||
	    setsockopt(far, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) ||
	    recvmsg(far, &msg, MSG_DONTWAIT) != 1 || !CMSG_FIRSTHDR(&msg))
		return -1;
	memcpy(&sender, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(sender));
	return sender.pid;
}

static int handle_get(struct fake_sock *sock)
{
	char bytes[1024];
	int value = 0;

	if (fake_request.a == FAKE && fake_request.b == FAKE_DETACHED)
		value = fake_told.detached;
	else if (fake_request.a == FAKE && fake_request.b == FAKE_CALLS)
		value = fake_told.calls;
	else if (fake_request.a == FAKE && fake_request.b == FAKE_PARKED)
		value = fake_told.parked;
	else if (fake_request.a == FAKE && fake_request.b == FAKE_DIRECT)
		value = fake_told.direct;
	else if (fake_request.a == FAKE && fake_request.b == FAKE_TAKEN)
		value = (int)recv(sock->far, bytes, sizeof(bytes), MSG_DONTWAIT);
	else if (fake_request.a == FAKE && fake_request.b == FAKE_URGENT)
		value = urgent;
	else if (fake_request.a == FAKE && fake_request.b == FAKE_MARKER)
		value = marker_of(sock->far);
	else if (fake_request.a == FAKE && fake_request.b == FAKE_LEFT)
		value = page ? (int)page->left : -1;
	else if (fake_request.a == FAKE && fake_request.b == FAKE_LIVE)
		value = page ? (int)page->live : -1;
	else if (fake_request.a == SOL_SOCKET && fake_request.b == SO_ACCEPTCONN)
		value = sock->listening;
	memcpy(fake_reply.data, &value, sizeof(value));
	fake_reply.len =
		fake_request.c < (int)sizeof(value) ? (uint32_t)fake_request.c : sizeof(value);
	return 0;
}

/* Returns an errno, or -1 if there will be an answer later, -2 if never. */
static int handle_connect(struct fake_sock *sock, int near)
{
	struct lfp_addr addr;

	memcpy(&addr, fake_request.data, sizeof(addr));
	if (sock->failed) {
		fake_reply.value = sock->failed > 0 ? sock->failed : 0;
		sock->failed = -1;
		return EBADFD;
	}
	if (sock->far >= 0)
		return EISCONN;
	switch (addr.port) {
	case PORT_GOOD:
		fake_pair(sock, near);
		return 0;
	case PORT_SLOW:
	case PORT_JUST_IN_TIME:
	case PORT_CROSSED:
		return fake_request.flags & LFP_CTL_BLOCKING ? -1 : EINPROGRESS;
	case PORT_DEAF:
		return -2;
	default:
		return ECONNREFUSED;
	}
}

static int handle_name(const struct fake_sock *sock, bool peer)
{
	struct lfp_addr addr[2];
	bool both = fake_request.a == LFP_CTL_BOTH && sock->far >= 0 && !sock->listening;

	fake_addr(&addr[peer], FAKE_LOCAL, FAKE_LOCAL_PORT);
	fake_addr(&addr[!peer], FAKE_PEER, FAKE_PEER_PORT);
	memcpy(fake_reply.data, addr, sizeof(addr));
	fake_reply.len = sizeof(addr[0]) * (both ? 2 : 1);
	return 0;
}

static int handle_why(struct fake_sock *sock)
{
	int why = sock->why;

	sock->why = 0;
	return why;
}

static int handle_listen(struct fake_sock *sock, int near)
{
	fake_pair(sock, near);
	fake_fill(near);
	sock->listening = true;
	return 0;
}

static int handle_sock(struct fake_sock *sock, int near)
{
	switch (fake_request.op) {
	case LFP_CTL_BIND:
		return 0;
	case LFP_CTL_CONNECT:
		return handle_connect(sock, near);
	case LFP_CTL_LISTEN:
		return handle_listen(sock, near);
	case LFP_CTL_SHUTDOWN:
		fake_reply.value = 1;
		if (sock->listening) {
			close(sock->far);
			sock->far = -1;
			sock->why = EINVAL;
		}
		return 0;
	case LFP_CTL_GETSOCKNAME:
		return handle_name(sock, false);
	case LFP_CTL_GETPEERNAME:
		return sock->far < 0 ? ENOTCONN : handle_name(sock, true);
	case LFP_CTL_GETSOCKOPT:
		return handle_get(sock);
	case LFP_CTL_SETSOCKOPT:
		return handle_set(sock, near);
	case LFP_CTL_WHY_EOF:
	case LFP_CTL_WHY_EPIPE:
		return handle_why(sock);
	case LFP_CTL_URGENT:
		urgent = fake_request.data[0];
		return sock->far < 0 ? EPIPE : 0;
	case LFP_CTL_OUTQ:
		fake_reply.value = 4242;
		return 0;
	case LFP_CTL_HELD:
		fake_reply.value = sock->held;
		return 0;
	default:
		return EOPNOTSUPP;
	}
}

int fake_handle(int near, size_t len, int *out)
{
	struct fake_sock *sock;

	if (fake_names(&fake_request, len, &fake_reply) == 0)
		return 0;
	switch (fake_request.op) {
	case LFP_CTL_PING:
		return 0;
	case LFP_CTL_SOCKET:
		if (fake_request.b != SOCK_STREAM)
			return EPROTONOSUPPORT;
		if (near >= 0)
			fake_name(near, &sock);
		else
			*out = fake_make(&sock);
		return 0;
	}
	if (fake_request.op == LFP_CTL_CREDIT)
		return handle_credit(out);
	if (is_fresh(near) && !has_name(near))
		fake_name(near, &sock);
	sock = fake_find(near);
	if (sock && fake_request.op == LFP_CTL_IDENTIFY)
		return 0;
	if (sock && fake_request.op == LFP_CTL_RENEW) {
		*out = fake_make(&sock);
		return 0;
	}
	return sock ? handle_sock(sock, near) : ENOTSOCK;
}
