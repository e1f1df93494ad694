/* SPDX-License-Identifier: Apache-2.0 */
/* fake.c - an LFP instance for tests of the shim */
#include "tests/libvsesock/fake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lfp/ctl.h"
#include "tests/libvsesock/fake-parts.h"

#define MAX_SOCKS  256
#define MAX_PARKED 16

struct sock {
	ino_t ino; /* of the near end; 0: unused */
	int far;   /* -1: none */
	int why;
	bool listening;
	int failed; /* connect() has failed so: a new near end is wanted; -1: it has been said */
};

static struct sock socks[MAX_SOCKS];
static int pair_listener;
static struct sockaddr_un pair_addr;
static unsigned int last_id;
static int arrivals, deaf, detached, calls, calls_parked, calls_direct, urgent;
static int parked[MAX_PARKED];
static unsigned int nr_parked;
static bool evict;

static struct lfp_ctl_request request;
static struct lfp_ctl_reply reply;
static size_t request_len;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static struct sock *find(int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	for (int i = 0; i < MAX_SOCKS; i++)
		if (socks[i].ino == st.st_ino)
			return &socks[i];
	return NULL;
}

/* Make a UNIX socket a near end. */
static void name_near(int fd, struct sock **out)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct stat st;

	memcpy(addr.sun_path, LFP_NAME_PREFIX, LFP_NAME_PREFIX_LEN);
	snprintf(addr.sun_path + LFP_NAME_PREFIX_LEN, sizeof(addr.sun_path) - LFP_NAME_PREFIX_LEN,
		 "00/%016x/%016x", (unsigned int)getpid(), ++last_id);
	if (fd < 0 ||
	    bind(fd, (struct sockaddr *)&addr,
		 offsetof(struct sockaddr_un, sun_path) + LFP_NAME_LEN) < 0 ||
	    fstat(fd, &st) < 0)
		die("near end");
	for (int i = 0; i < MAX_SOCKS; i++) {
		/* Inodes of closed ones come again. */
		if (socks[i].ino && socks[i].ino != st.st_ino)
			continue;
		if (socks[i].ino && socks[i].far >= 0)
			close(socks[i].far);
		socks[i] = (struct sock){.ino = st.st_ino, .far = -1};
		*out = &socks[i];
		return;
	}
	fputs("fake: too many sockets\n", stderr);
	exit(1);
}

/* A near end that is not connected; the caller closes it after it was passed on. */
static int make_near(struct sock **out)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	name_near(fd, out);
	return fd;
}

static void pair(struct sock *sock, int near)
{
	int flags = fcntl(near, F_GETFL);

	fcntl(near, F_SETFL, flags & ~O_NONBLOCK);
	if (connect(near, (struct sockaddr *)&pair_addr, sizeof(pair_addr)) < 0)
		die("pair");
	fcntl(near, F_SETFL, flags);
	sock->far = accept4(pair_listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (sock->far < 0)
		die("accept");
}

/* Keep a listener's near end from being writable. */
static void fill_gate(int near)
{
	char zeros[4096] = {0};

	while (send(near, zeros, sizeof(zeros), MSG_DONTWAIT) > 0)
		;
	while (send(near, zeros, 1, MSG_DONTWAIT) > 0)
		;
}

static void send_fd(int conn, const void *buf, size_t len, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} rights;
	struct iovec iov = {.iov_base = (void *)(uintptr_t)buf, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd >= 0) {
		memset(&rights, 0, sizeof(rights));
		rights.align.cmsg_level = SOL_SOCKET;
		rights.align.cmsg_type = SCM_RIGHTS;
		rights.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&rights.align), &fd, sizeof(int));
		msg.msg_control = &rights;
		msg.msg_controllen = sizeof(rights.buf);
	}
	sendmsg(conn, &msg, MSG_NOSIGNAL);
}

static void arrive(struct sock *listener)
{
	struct lfp_accept_record record = {.magic = LFP_CTL_MAGIC};
	struct sock *sock;
	int near = make_near(&sock);

	pair(sock, near);
	fake_addr(&record.peer, FAKE_PEER, FAKE_PEER_PORT + arrivals++);
	fake_addr(&record.local, FAKE_LOCAL, FAKE_LOCAL_PORT);
	send_fd(listener->far, &record, sizeof(record), near);
	close(near);
}

static int handle_set(struct sock *sock, int near)
{
	char bytes[256];
	int value;

	if (request.a != FAKE)
		return 0;
	memcpy(&value, request.data, sizeof(value));
	switch (request.b) {
	case FAKE_SEND:
		memset(bytes, 'x', sizeof(bytes));
		return send(sock->far, bytes, (size_t)value, MSG_NOSIGNAL) < 0 ? errno : 0;
	case FAKE_END:
		close(sock->far);
		sock->far = -1;
		sock->why = value;
		return 0;
	case FAKE_FAIL:
		pair(sock, near);
		close(sock->far);
		sock->far = -1;
		sock->failed = value;
		return 0;
	case FAKE_ARRIVE:
		while (value-- > 0)
			arrive(sock);
		return 0;
	case FAKE_DEAF:
		deaf = value;
		return 0;
	case FAKE_EVICT:
		evict = true;
		return 0;
	default:
		return ENOPROTOOPT;
	}
}

static int handle_get(struct sock *sock)
{
	char bytes[1024];
	int value = 0;

	if (request.a == FAKE && request.b == FAKE_DETACHED)
		value = detached;
	else if (request.a == FAKE && request.b == FAKE_CALLS)
		value = calls;
	else if (request.a == FAKE && request.b == FAKE_PARKED)
		value = calls_parked;
	else if (request.a == FAKE && request.b == FAKE_DIRECT)
		value = calls_direct;
	else if (request.a == FAKE && request.b == FAKE_TAKEN)
		value = (int)recv(sock->far, bytes, sizeof(bytes), MSG_DONTWAIT);
	else if (request.a == FAKE && request.b == FAKE_URGENT)
		value = urgent;
	else if (request.a == SOL_SOCKET && request.b == SO_ACCEPTCONN)
		value = sock->listening;
	memcpy(reply.data, &value, sizeof(value));
	reply.len = request.c < (int)sizeof(value) ? (uint32_t)request.c : sizeof(value);
	return 0;
}

/* Returns an errno, or -1 if there will be an answer later, -2 if never. */
static int handle_connect(struct sock *sock, int near)
{
	struct lfp_addr addr;

	memcpy(&addr, request.data, sizeof(addr));
	if (sock->failed) {
		reply.value = sock->failed > 0 ? sock->failed : 0;
		sock->failed = -1;
		return EBADFD;
	}
	if (sock->far >= 0)
		return EISCONN;
	switch (addr.port) {
	case PORT_GOOD:
		pair(sock, near);
		return 0;
	case PORT_SLOW:
	case PORT_JUST_IN_TIME:
	case PORT_CROSSED:
		return request.flags & LFP_CTL_BLOCKING ? -1 : EINPROGRESS;
	case PORT_DEAF:
		return -2;
	default:
		return ECONNREFUSED;
	}
}

static int handle_name(const char *ip, int port)
{
	struct lfp_addr addr;

	fake_addr(&addr, ip, port);
	memcpy(reply.data, &addr, sizeof(addr));
	reply.len = sizeof(addr);
	return 0;
}

static int handle_why(struct sock *sock)
{
	int why = sock->why;

	sock->why = 0;
	return why;
}

static int handle_listen(struct sock *sock, int near)
{
	pair(sock, near);
	fill_gate(near);
	sock->listening = true;
	return 0;
}

static int handle_sock(struct sock *sock, int near)
{
	switch (request.op) {
	case LFP_CTL_BIND:
		return 0;
	case LFP_CTL_CONNECT:
		return handle_connect(sock, near);
	case LFP_CTL_LISTEN:
		return handle_listen(sock, near);
	case LFP_CTL_SHUTDOWN:
		reply.value = 1;
		if (sock->listening) {
			close(sock->far);
			sock->far = -1;
			sock->why = EINVAL;
		}
		return 0;
	case LFP_CTL_GETSOCKNAME:
		return handle_name(FAKE_LOCAL, FAKE_LOCAL_PORT);
	case LFP_CTL_GETPEERNAME:
		return sock->far < 0 ? ENOTCONN : handle_name(FAKE_PEER, FAKE_PEER_PORT);
	case LFP_CTL_GETSOCKOPT:
		return handle_get(sock);
	case LFP_CTL_SETSOCKOPT:
		return handle_set(sock, near);
	case LFP_CTL_WHY_EOF:
	case LFP_CTL_WHY_EPIPE:
		return handle_why(sock);
	case LFP_CTL_URGENT:
		urgent = request.data[0];
		return sock->far < 0 ? EPIPE : 0;
	case LFP_CTL_OUTQ:
		reply.value = 4242;
		return 0;
	default:
		return EOPNOTSUPP;
	}
}

/* Returns what handle_connect() does; @near is the descriptor that came, @out one to go back. */
static int handle(int near, int *out)
{
	struct sock *sock;

	if (fake_names(&request, request_len, &reply) == 0)
		return 0;
	switch (request.op) {
	case LFP_CTL_PING:
		return 0;
	case LFP_CTL_SOCKET:
		if (request.b != SOCK_STREAM)
			return EPROTONOSUPPORT;
		if (near >= 0)
			name_near(near, &sock);
		else
			*out = make_near(&sock);
		return 0;
	}
	sock = find(near);
	if (sock && request.op == LFP_CTL_RENEW) {
		*out = make_near(&sock);
		return 0;
	}
	return sock ? handle_sock(sock, near) : ENOTSOCK;
}

static void send_reply(int conn, int error, int fd)
{
	reply.magic = LFP_CTL_MAGIC;
	reply.error = error;
	send_fd(conn, &reply, LFP_CTL_REPLY_HEAD + reply.len, fd);
}

static int receive(int conn)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} rights;
	struct iovec iov = {.iov_base = &request, .iov_len = sizeof(request)};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &rights,
		.msg_controllen = sizeof(rights.buf),
	};
	ssize_t n = recvmsg(conn, &msg, MSG_CMSG_CLOEXEC);
	int fd = -1;

	request_len = n > 0 ? request.len : 0;
	if (n <= 0)
		request.op = request.flags = 0;
	/* An error leaves msg as it was. */
	if (n >= 0 && msg.msg_controllen >= CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(&rights.align), sizeof(int));
	return fd;
}

/* The caller waits until something happens: for tests only DETACH does. */
static void wait_for_detach(int conn, int near)
{
	struct lfp_addr addr;

	memcpy(&addr, request.data, sizeof(addr));
	if (addr.port == PORT_CROSSED) {
		char c;

		/* It stays unread: the end of the connection looks like a reset then. */
		if (recv(conn, &c, 1, MSG_PEEK) == 1) {
			pair(find(near), near);
			send_reply(conn, 0, -1);
		}
		return;
	}
	receive(conn);
	if (request.op != LFP_CTL_DETACH)
		return;
	detached++;
	if (addr.port == PORT_JUST_IN_TIME) {
		pair(find(near), near);
		send_reply(conn, 0, -1);
	} else {
		send_reply(conn, EINPROGRESS, -1);
	}
}

/* The call that was received, with the descriptor @near; true if it may go on on @conn. */
static bool serve_request(int conn, int near, bool handed)
{
	bool silent = false;
	int out = -1, rc;

	calls++;
	calls_parked += handed;
	memset(&reply, 0, LFP_CTL_REPLY_HEAD);
	if (deaf > 0) {
		/* the caller comes again by the path */
		deaf -= !handed;
		silent = true;
	} else {
		rc = handle(near, &out);
		if (rc >= 0)
			send_reply(conn, rc, out);
		else if (rc == -1)
			wait_for_detach(conn, near);
		else
			silent = true;
	}
	if (out >= 0)
		close(out);
	if (near >= 0)
		close(near);
	return !silent;
}

/* One call; true if the connection is to be kept. */
static bool serve_call(int conn, bool handed)
{
	int near = receive(conn);

	if (request.op == LFP_CTL_PARK)
		return true;
	serve_request(conn, near, handed);
	close(conn);
	return false;
}

static void serve_listener(int listener)
{
	int conn = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (conn < 0)
		die("accept");
	if (!serve_call(conn, false))
		return;
	if (nr_parked == MAX_PARKED) {
		fputs("fake: too many are parked\n", stderr);
		exit(1);
	}
	parked[nr_parked++] = conn;
}

/* Something came on a parked connection: one to be served, or its end. */
static void serve_parked(unsigned int i)
{
	int conn = receive(parked[i]);

	/* of a call that had its answer meanwhile */
	if (request.op == LFP_CTL_DETACH)
		return;
	if ((request.flags & LFP_CTL_DIRECT) && !evict) {
		calls_direct++;
		if (!lfp_ctl_is_direct(request.op) || request.task) {
			fprintf(stderr, "fake: %u must not be direct\n", request.op);
			exit(1);
		}
		if (serve_request(parked[i], conn, true))
			return;
		conn = -1;
	}
	if (request.op == LFP_CTL_HAND && conn >= 0 && !evict) {
		serve_call(conn, true);
		return;
	}
	evict = false;
	if (conn >= 0)
		close(conn);
	close(parked[i]);
	parked[i] = parked[--nr_parked];
}

void fake_serve(int listener, int pairs, const struct sockaddr_un *pairs_addr)
{
	pair_listener = pairs;
	pair_addr = *pairs_addr;
	for (;;) {
		struct pollfd pfds[1 + MAX_PARKED] = {{.fd = listener, .events = POLLIN}};
		unsigned int nr = nr_parked;

		for (unsigned int i = 0; i < nr; i++)
			pfds[1 + i] = (struct pollfd){.fd = parked[i], .events = POLLIN};
		if (poll(pfds, 1 + nr, -1) < 0)
			die("poll");
		/* From the last, as one that ends is replaced by the last. */
		for (unsigned int i = nr; i-- > 0;)
			if (pfds[1 + i].revents)
				serve_parked(i);
		if (pfds[0].revents)
			serve_listener(listener);
	}
}
