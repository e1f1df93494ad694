/* SPDX-License-Identifier: Apache-2.0 */
/* shm-hello.c - the transport shm: how two sides that have met on a socket come to share memory */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport/greeting.h"
#include "transport/shm-inner.h"

/*
 * Theory of operation
 *
 * Who connects makes everything and sends it in one message: a struct greeting, with it the memory,
 * the eventfd that wakes lfpd, the eventfd that wakes the sender. lfpd checks them and answers with
 * the same struct; from then on nothing is said on the socket. Anything else, or GREETING_MS
 * without a word, ends the connection: it may be a side that uses another transport.
 *
 * A packet of the transport unix begins with "LF" and a version below 32, so no side takes one for
 * the other.
 */

struct greeting {
	char magic[8];
	uint32_t version;
	uint32_t ring_size;
};

static const struct greeting hello = {.magic = "LFPshm1", .version = 1};

/* The greeting has failed; @why is for the one who listens, NULL if nothing is to be said. */
static void fail(struct shm_conn *conn, int error, const char *why)
{
	struct socket_listener *listener = conn->listener;
	struct transport_peer peer;
	char text[256];

	if (listener && why && !listener->stopped && listener->base.on_refused) {
		socket_describe(conn->fd, &peer);
		snprintf(text, sizeof(text), "%s: %s", peer.text, why);
		listener->base.on_refused(&listener->base, text);
	}
	if (listener)
		socket_guest_remove(listener, &conn->guest);
	shm_destroy(conn);
	if (listener)
		socket_listener_release(listener);
	else
		conn->cb(conn->cb_data, error, NULL);
}

static void on_timeout(uv_timer_t *timer)
{
	fail(timer->data, -ETIMEDOUT, "it did not offer shared memory within 10 seconds");
}

static int send_all(struct shm_conn *conn, int memfd, uint32_t ring_size)
{
	struct greeting greeting = hello;
	int fds[GREETING_FDS] = {memfd, conn->peer_bell, conn->bell};

	greeting.ring_size = ring_size;
	return greeting_send(conn->fd, &greeting, sizeof(greeting), fds);
}

static void on_answer(uv_poll_t *poll, int status, int events)
{
	struct shm_conn *conn = poll->data;
	struct greeting answer;
	int fds[GREETING_FDS], rc;
	ssize_t n = greeting_receive(conn->fd, &answer, sizeof(answer), fds);

	(void)events;
	greeting_drop(fds); /* none is wanted */
	if ((n == -EAGAIN || n == -EINTR) && !status)
		return;
	/* It has gone and not read who we are. */
	if (n == -ECONNRESET) {
		fail(conn, -ECONNRESET, "");
		return;
	}
	if (n != sizeof(answer) || memcmp(answer.magic, hello.magic, sizeof(hello.magic)) ||
	    answer.version != hello.version) {
		fail(conn, -EPROTONOSUPPORT, "");
		return;
	}
	rc = shm_begin(conn);
	if (rc)
		fail(conn, rc, "");
	else
		conn->cb(conn->cb_data, 0, &conn->base);
}

int shm_hello_send(struct shm_conn *conn)
{
	uint32_t ring_size = shm_ring_size(shm_settings(&conn->where)->ring_size, conn->where.mtu);
	int memfd, rc;

	conn->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	conn->peer_bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (conn->bell < 0 || conn->peer_bell < 0)
		return -errno;
	memfd = shm_memory_make(conn, ring_size);
	if (memfd < 0)
		return memfd;
	rc = send_all(conn, memfd, ring_size);
	close(memfd);
	if (rc)
		return rc;
	uv_timer_start(&conn->timer, on_timeout, GREETING_MS, 0);
	return uv_poll_start(&conn->socket, UV_READABLE, on_answer);
}

static int take_offer(struct shm_conn *conn, const struct greeting *greeting, ssize_t n,
		      int fds[static GREETING_FDS], const char **why)
{
	*why = "it has gone without a word";
	if (n <= 0)
		return n < 0 ? (int)n : -ECONNRESET;
	*why = "it does not use TRANSPORT = shm";
	if (n != sizeof(*greeting) || memcmp(greeting->magic, hello.magic, sizeof(hello.magic)) ||
	    greeting->version != hello.version)
		return -EPROTO;
	*why = "its descriptors are not those that belong to shared memory";
	if (!greeting_complete(fds))
		return -EPROTO;
	return shm_memory_take(conn, fds[0], greeting->ring_size, why);
}

static void on_offer(uv_poll_t *poll, int status, int events)
{
	struct shm_conn *conn = poll->data;
	struct socket_listener *listener = conn->listener;
	struct greeting greeting;
	int fds[GREETING_FDS], rc;
	const char *why;
	ssize_t n = greeting_receive(conn->fd, &greeting, sizeof(greeting), fds);

	(void)events;
	if (n == -EAGAIN && !status)
		return;
	rc = take_offer(conn, &greeting, n, fds, &why);
	greeting_keep_bells(fds, !rc, &conn->bell, &conn->peer_bell);
	if (!rc) {
		why = "it cannot be answered";
		rc = shm_begin(conn);
	}
	if (!rc)
		rc = greeting_answer(conn->fd, &hello, sizeof(hello));
	if (rc || listener->stopped) {
		fail(conn, rc, why);
		return;
	}
	conn->listener = NULL;
	socket_guest_remove(listener, &conn->guest);
	listener->base.on_connection(&listener->base, &conn->base);
	socket_listener_release(listener);
}

static void give_way(void *data, const char *why)
{
	fail(data, -ECONNABORTED, why);
}

void shm_hello_wait(struct shm_conn *conn)
{
	conn->guest.give_way = give_way;
	conn->guest.data = conn;
	socket_guest_add(conn->listener, &conn->guest);
	uv_timer_start(&conn->timer, on_timeout, GREETING_MS, 0);
	uv_poll_start(&conn->socket, UV_READABLE, on_offer);
}
