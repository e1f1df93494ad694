/* SPDX-License-Identifier: Apache-2.0 */
/* dial.c - one attempt to connect a stream socket, through a VMM where its first line says to whom
 */
#include "transport/dial.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "transport/passed.h"
#include "transport/reactor.h"

#define DIAL_MS 10000 /* to connect */

/* For the VMM's answer, which is the guest's. An emulated guest on a busy host may
 * stand for seconds. Keep the connection meanwhile: if it is gone when the guest answers,
 * vhost-device-vsock 0.3.0 panics (send_pkt() in its vsock_conn.rs), and all connections of the
 * guest hang. A guest where nothing listens answers at once. */
#define HEAR_MS 60000

enum dial_state {
	DIAL_CONNECTING, /* waits until connect() is done */
	DIAL_HEARING,    /* the line was sent: waits for the answer */
	DIAL_OVER,       /* done() was called, or never will be */
};

struct dial {
	struct watch watch;
	uv_timer_t timer;
	int handles; /* not yet closed */
	enum dial_state state;
	int fd;
	char line[DIAL_LINE];
	char answer[DIAL_LINE];
	size_t heard;
	dial_done done;
	void *data;
};

void dial_line(char line[static DIAL_LINE], uint32_t port)
{
	*line = '\0';
	if (port)
		snprintf(line, DIAL_LINE, "CONNECT %u\n", (unsigned int)port);
}

static void on_part_closed(void *data)
{
	struct dial *dial = data;

	if (--dial->handles == 0)
		free(dial);
}

static void on_timer_closed(uv_handle_t *handle)
{
	on_part_closed(handle->data);
}

/* Closes everything but the socket. */
static void end(struct dial *dial)
{
	dial->state = DIAL_OVER;
	watch_close(&dial->watch, on_part_closed);
	uv_close((uv_handle_t *)&dial->timer, on_timer_closed);
}

void dial_cancel(struct dial *dial)
{
	end(dial);
	passed_end(dial->fd);
}

static void fail(struct dial *dial, int error, const char *why)
{
	dial_cancel(dial);
	dial->done(dial->data, error, why);
}

static void succeed(struct dial *dial)
{
	end(dial);
	dial->done(dial->data, dial->fd, "");
}

static void on_timeout(uv_timer_t *timer)
{
	struct dial *dial = timer->data;

	fail(dial, -ETIMEDOUT,
	     dial->state == DIAL_HEARING ? "no answer to CONNECT for 60 seconds" : "");
}

/* Takes one byte at a time: those behind the line are the peer's packets. Returns 1 after the whole
 * line, 0 if more of it has to come, or a negative errno. */
static int hear(struct dial *dial, const char **why)
{
	for (;;) {
		char *at = dial->answer + dial->heard;
		ssize_t n = passed_receive(dial->fd, at, 1);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n < 0 && errno != ECONNRESET)
			return -errno;
		if (n <= 0) {
			*why = "nothing listens at this port of the guest";
			return -ECONNREFUSED;
		}
		if (*at == '\n') {
			*why = "the answer to CONNECT is not OK";
			return strncmp(dial->answer, "OK ", 3) ? -EPROTO : 1;
		}
		if (++dial->heard == sizeof(dial->answer)) {
			*why = "the answer to CONNECT is too long";
			return -EPROTO;
		}
	}
}

/* Returns 0 if the socket is connected and the line was sent, or a negative errno. */
static int say(const struct dial *dial)
{
	size_t len = strlen(dial->line);
	socklen_t size = sizeof(int);
	int error = 0;
	ssize_t n;

	if (getsockopt(dial->fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
		return -errno;
	/* AF_VSOCK says ECONNRESET where nothing listens. */
	if (error == ECONNRESET)
		return -ECONNREFUSED;
	if (error || !len)
		return -error;
	/* The buffer of a new socket has room for a line. */
	n = send(dial->fd, dial->line, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -ENOBUFS;
}

static void on_event(struct watch *watch, int status, int events)
{
	struct dial *dial = watch->data;
	const char *why = "";
	int rc;

	(void)events;
	/* After an error the calls tell it. */
	if (dial->state == DIAL_CONNECTING) {
		rc = say(dial);
		if (!rc && *dial->line) {
			dial->state = DIAL_HEARING;
			uv_timer_start(&dial->timer, on_timeout, HEAR_MS, 0);
			watch_start(&dial->watch, UV_READABLE, on_event);
			return;
		}
		rc = rc ? rc : 1;
	} else {
		rc = hear(dial, &why);
	}
	if (rc > 0)
		succeed(dial);
	else if (rc < 0)
		fail(dial, rc, why);
	else if (status < 0)
		fail(dial, status, "");
}

int dial_start(uv_loop_t *loop, int fd, const char *line, dial_done done, void *data,
	       struct dial **out)
{
	struct dial *dial = calloc(1, sizeof(*dial));
	int rc = -ENOMEM;

	if (dial)
		rc = watch_init(loop, &dial->watch, fd);
	if (rc) {
		passed_close(fd);
		free(dial);
		return rc;
	}
	uv_timer_init(loop, &dial->timer);
	dial->watch.data = dial->timer.data = dial;
	dial->handles = 2;
	dial->fd = fd;
	dial->done = done;
	dial->data = data;
	snprintf(dial->line, sizeof(dial->line), "%s", line);
	uv_timer_start(&dial->timer, on_timeout, DIAL_MS, 0);
	watch_start(&dial->watch, UV_WRITABLE, on_event);
	*out = dial;
	return 0;
}
