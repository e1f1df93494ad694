/* SPDX-License-Identifier: Apache-2.0 */
/* meet.c - two processes meet on a UNIX socket, share memory, and wake each other */
#include "transport/meet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "transport/passed.h"

#define VERSION 1

struct greeting {
	char magic[8];
	uint32_t version;
	uint32_t words[MEET_WORDS];
};

struct meet_listener {
	struct socket_listener socket;
	const struct meet_kind *kind;
};

static void on_bell(struct watch *watch, int status, int events)
{
	struct meet_conn *conn = watch->data;

	(void)status;
	(void)events;
	conn->base.counts.wakeups_in++;
}

static void on_socket(struct watch *watch, int status, int events)
{
	struct meet_conn *conn = watch->data;

	(void)events;
	if (!bell_peer_is_gone(conn->fd, status))
		return;
	conn->gone = true;
	if (conn->kind->on_gone)
		conn->kind->on_gone(conn);
	watch_stop(watch);
}

static void on_part_closed(void *data)
{
	struct meet_conn *conn = data;

	if (--conn->handles)
		return;
	if (conn->base.on_closed)
		conn->base.on_closed(&conn->base);
	conn->kind->drop(conn);
	free(conn);
}

static void on_handle_closed(uv_handle_t *handle)
{
	on_part_closed(handle->data);
}

void meet_close(struct meet_conn *conn)
{
	int bells[] = {conn->bell, conn->peer_bell};

	conn->events = 0;
	/* The memory stays until the handles are closed: the caller may look at a packet in it. */
	watch_close(&conn->socket, on_part_closed);
	uv_close((uv_handle_t *)&conn->timer, on_handle_closed);
	if (conn->state == MEET_OPENING || conn->state == MEET_OPEN) {
		watch_close(&conn->bells, on_part_closed);
		turn_hook_close(&conn->hook, on_part_closed);
	}
	conn->state = MEET_CLOSED;
	passed_end(conn->fd);
	for (size_t i = 0; i < sizeof(bells) / sizeof(bells[0]); i++)
		if (bells[i] >= 0)
			close(bells[i]);
}

int meet_create(uv_loop_t *loop, int fd, const struct transport_where *where,
		const struct meet_kind *kind, struct meet_conn **out)
{
	struct meet_conn *conn = calloc(1, kind->size);
	int rc = -ENOMEM;

	if (conn)
		rc = watch_init(loop, &conn->socket, fd);
	if (rc) {
		passed_close(fd);
		free(conn);
		return rc;
	}
	conn->base.transport = kind->transport;
	conn->kind = kind;
	conn->where = *where;
	conn->fd = fd;
	conn->bell = conn->peer_bell = -1;
	uv_timer_init(loop, &conn->timer);
	conn->socket.data = conn->timer.data = conn;
	conn->handles = 2;
	kind->init(conn);
	*out = conn;
	return 0;
}

int meet_begin(struct meet_conn *conn)
{
	uv_loop_t *loop = conn->timer.loop;
	int rc;

	conn->bells.data = conn;
	rc = watch_init(loop, &conn->bells, conn->bell);
	if (rc)
		return rc;
	conn->hook = (struct turn_hook){
		.data = conn, .before = conn->kind->before, .after = conn->kind->after};
	rc = turn_hook_init(loop, &conn->hook);
	if (rc) {
		conn->handles++;
		watch_close(&conn->bells, on_part_closed);
		return rc;
	}
	conn->state = MEET_OPENING;
	if (conn->kind->begin)
		conn->kind->begin(conn);
	watch_start(&conn->socket, UV_READABLE | UV_DISCONNECT, on_socket);
	conn->handles += 2;
	watch_start(&conn->bells, UV_READABLE | WATCH_EDGES, on_bell);
	return 0;
}

void meet_done(struct meet_conn *conn)
{
	struct socket_listener *listener = conn->listener;

	conn->state = MEET_OPEN;
	uv_timer_stop(&conn->timer);
	if (!listener) {
		conn->cb(conn->cb_data, 0, &conn->base);
		return;
	}
	conn->listener = NULL;
	socket_guest_remove(listener, &conn->guest);
	listener->base.on_connection(&listener->base, &conn->base);
	socket_listener_release(listener);
}

void meet_fail(struct meet_conn *conn, int error, const char *why)
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
	conn->listener = NULL;
	meet_close(conn);
	if (listener)
		socket_listener_release(listener);
	else
		conn->cb(conn->cb_data, error, NULL);
}

static void on_timeout(uv_timer_t *timer)
{
	struct meet_conn *conn = timer->data;

	meet_fail(conn, -ETIMEDOUT, conn->kind->late);
}

static size_t greeting_len(const struct meet_conn *conn)
{
	return offsetof(struct greeting, words) + conn->kind->nr_words * sizeof(uint32_t);
}

static struct greeting hello_of(const struct meet_conn *conn)
{
	struct greeting greeting = {.version = VERSION};

	memcpy(greeting.magic, conn->kind->magic, sizeof(greeting.magic));
	return greeting;
}

static bool is_hello(const struct meet_conn *conn, const struct greeting *greeting, ssize_t n)
{
	return n == (ssize_t)greeting_len(conn) &&
	       !memcmp(greeting->magic, conn->kind->magic, sizeof(greeting->magic)) &&
	       greeting->version == VERSION;
}

static void on_answer(struct watch *watch, int status, int events)
{
	struct meet_conn *conn = watch->data;
	struct greeting answer;
	int fds[GREETING_FDS], rc = 0;
	ssize_t n = greeting_receive(conn->fd, &answer, greeting_len(conn), fds);

	(void)events;
	greeting_drop(fds); /* none is wanted */
	if ((n == -EAGAIN || n == -EINTR) && !status)
		return;
	/* The peer has gone and has not read the greeting. */
	if (n == -ECONNRESET) {
		meet_fail(conn, -ECONNRESET, "");
		return;
	}
	if (!is_hello(conn, &answer, n)) {
		meet_fail(conn, -EPROTONOSUPPORT, "");
		return;
	}
	if (conn->kind->agree)
		rc = conn->kind->agree(conn, answer.words);
	if (!rc)
		rc = meet_begin(conn);
	if (!rc)
		rc = conn->kind->met(conn);
	if (rc)
		meet_fail(conn, rc, "");
}

int meet_offer(struct meet_conn *conn)
{
	struct greeting greeting = hello_of(conn);
	int memfd, rc;

	conn->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	conn->peer_bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (conn->bell < 0 || conn->peer_bell < 0)
		return -errno;
	memfd = conn->kind->make(conn, greeting.words);
	if (memfd < 0)
		return memfd;
	rc = greeting_send(conn->fd, &greeting, greeting_len(conn),
			   (int[GREETING_FDS]){memfd, conn->peer_bell, conn->bell});
	close(memfd);
	if (rc)
		return rc;
	uv_timer_start(&conn->timer, on_timeout, GREETING_MS, 0);
	watch_start(&conn->socket, UV_READABLE, on_answer);
	return 0;
}

int meet_answer(const struct meet_conn *conn)
{
	struct greeting greeting = hello_of(conn);

	if (conn->kind->answer)
		conn->kind->answer(conn, greeting.words);
	return greeting_answer(conn->fd, &greeting, greeting_len(conn));
}

static int take_offer(struct meet_conn *conn, const struct greeting *greeting, ssize_t n,
		      const int fds[static GREETING_FDS], const char **why)
{
	const struct meet_kind *kind = conn->kind;
	int rc = 0;

	*why = n == -EMFILE ? "this process has no free numbers for the descriptors that it sends"
			    : "it has disconnected without a message";
	if (n <= 0)
		return n < 0 ? (int)n : -ECONNRESET;
	*why = kind->other_transport;
	if (!is_hello(conn, greeting, n))
		return -EPROTO;
	if (kind->check)
		rc = kind->check(conn, greeting->words, why);
	if (rc)
		return rc;
	*why = kind->wrong_descriptors;
	if (!greeting_complete(fds))
		return -EPROTO;
	return kind->take(conn, fds[0], greeting->words, why);
}

static void on_offer(struct watch *watch, int status, int events)
{
	struct meet_conn *conn = watch->data;
	struct greeting greeting;
	int fds[GREETING_FDS], rc;
	const char *why;
	ssize_t n = greeting_receive(conn->fd, &greeting, greeting_len(conn), fds);

	(void)events;
	if (n == -EAGAIN && !status)
		return;
	rc = take_offer(conn, &greeting, n, fds, &why);
	greeting_keep_bells(fds, !rc, &conn->bell, &conn->peer_bell);
	conn->guest.heard = !rc;
	if (!rc) {
		why = "the answer to it cannot be sent";
		rc = meet_begin(conn);
	}
	if (!rc)
		rc = meet_answer(conn);
	if (!rc && !conn->listener->stopped)
		rc = conn->kind->met(conn);
	else if (!rc)
		rc = -ECONNABORTED;
	if (rc)
		meet_fail(conn, rc, why);
}

static void give_way(void *data, const char *why)
{
	meet_fail(data, -ECONNABORTED, why);
}

static int on_accept(struct socket_listener *socket, int fd)
{
	struct meet_listener *listener = (struct meet_listener *)socket;
	struct meet_conn *conn;
	int rc = meet_create(socket->poll.loop, fd, &socket->where, listener->kind, &conn);

	if (rc)
		return rc;
	conn->listener = socket;
	conn->guest.give_way = give_way;
	conn->guest.data = conn;
	socket_guest_add(socket, &conn->guest);
	uv_timer_start(&conn->timer, on_timeout, GREETING_MS, 0);
	watch_start(&conn->socket, UV_READABLE, on_offer);
	return 0;
}

int meet_listen(uv_loop_t *loop, const struct transport_where *where, const struct meet_kind *kind,
		struct transport_listener **out)
{
	struct meet_listener *listener = calloc(1, sizeof(*listener));
	int rc;

	if (!listener)
		return -ENOMEM;
	listener->kind = kind;
	listener->socket.base.transport = kind->transport;
	listener->socket.on_accept = on_accept;
	rc = socket_listen(loop, where, &listener->socket);
	if (!rc)
		*out = &listener->socket.base;
	return rc;
}

void meet_stop(struct transport_listener *listener)
{
	socket_stop((struct socket_listener *)listener);
}

int meet_connect(uv_loop_t *loop, const struct transport_where *where, const struct meet_kind *kind,
		 transport_connected_cb cb, void *data)
{
	struct meet_conn *conn;
	int fd = socket_connect(where->path), rc;

	if (fd < 0)
		return fd;
	rc = meet_create(loop, fd, where, kind, &conn);
	if (rc)
		return rc;
	conn->cb = cb;
	conn->cb_data = data;
	rc = meet_offer(conn);
	if (rc)
		meet_close(conn);
	return rc;
}
