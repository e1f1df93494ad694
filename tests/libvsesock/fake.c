/* SPDX-License-Identifier: Apache-2.0 */
/* fake.c - an LFP instance for tests of the shim: the connections on which calls come */
#include "tests/libvsesock/fake.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/libvsesock/fake-parts.h"

#define MAX_PARKED 16

static int parked[MAX_PARKED];
static unsigned int nr_parked;
static size_t request_len;

static void send_reply(int conn, int error, int fd)
{
	fake_reply.magic = LFP_CTL_REPLY_MAGIC;
	fake_reply.error = error;
	fake_send(conn, &fake_reply, LFP_CTL_REPLY_HEAD + fake_reply.len, fd);
}

static int receive(int conn)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} rights;
	struct iovec iov = {.iov_base = &fake_request, .iov_len = sizeof(fake_request)};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &rights,
		.msg_controllen = sizeof(rights.buf),
	};
	ssize_t n = recvmsg(conn, &msg, MSG_CMSG_CLOEXEC);
	int fd = -1;

	request_len = n > 0 ? fake_request.len : 0;
	if (n <= 0)
		fake_request.op = fake_request.flags = 0;
	/* An error leaves msg as it was. */
	if (n >= 0 && msg.msg_controllen >= CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(&rights.align), sizeof(int));
	return fd;
}

/* The caller waits until something happens: for tests only DETACH does. */
static void wait_for_detach(int conn, int near)
{
	struct lfp_addr addr;

	memcpy(&addr, fake_request.data, sizeof(addr));
	if (addr.port == PORT_CROSSED) {
		char c;

		/* It stays unread: the end of the connection looks like a reset then. */
		if (recv(conn, &c, 1, MSG_PEEK) == 1) {
			fake_pair(fake_find(near), near);
			send_reply(conn, 0, -1);
		}
		return;
	}
	receive(conn);
	if (fake_request.op != LFP_CTL_DETACH)
		return;
	fake_told.detached++;
	if (addr.port == PORT_JUST_IN_TIME) {
		fake_pair(fake_find(near), near);
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

	fake_told.calls++;
	fake_told.parked += handed;
	memset(&fake_reply, 0, LFP_CTL_REPLY_HEAD);
	if (fake_told.deaf > 0) {
		/* the caller comes again by the path */
		fake_told.deaf -= !handed;
		silent = true;
	} else {
		rc = fake_handle(near, request_len, &out);
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

	if (fake_request.op == LFP_CTL_PARK)
		return true;
	serve_request(conn, near, handed);
	close(conn);
	return false;
}

static void serve_listener(int listener)
{
	int conn = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (conn < 0)
		fake_die("accept");
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
	if (fake_request.op == LFP_CTL_DETACH)
		return;
	if ((fake_request.flags & LFP_CTL_DIRECT) && !fake_told.evict) {
		fake_told.direct++;
		if (!lfp_ctl_is_direct(fake_request.op) || fake_request.task) {
			fprintf(stderr, "fake: %u must not be direct\n", fake_request.op);
			exit(1);
		}
		if (serve_request(parked[i], conn, true))
			return;
		conn = -1;
	}
	if (fake_request.op == LFP_CTL_HAND && conn >= 0 && !fake_told.evict) {
		serve_call(conn, true);
		return;
	}
	fake_told.evict = false;
	if (conn >= 0)
		close(conn);
	close(parked[i]);
	parked[i] = parked[--nr_parked];
}

void fake_serve(int listener, int pairs, const struct sockaddr_un *pairs_addr)
{
	fake_pairs(pairs, pairs_addr);
	for (;;) {
		struct pollfd pfds[1 + MAX_PARKED] = {{.fd = listener, .events = POLLIN}};
		unsigned int nr = nr_parked;

		for (unsigned int i = 0; i < nr; i++)
			pfds[1 + i] = (struct pollfd){.fd = parked[i], .events = POLLIN};
		if (poll(pfds, 1 + nr, -1) < 0)
			fake_die("poll");
		/* From the last, as one that ends is replaced by the last. */
		for (unsigned int i = nr; i-- > 0;)
			if (pfds[1 + i].revents)
				serve_parked(i);
		if (pfds[0].revents)
			serve_listener(listener);
	}
}
