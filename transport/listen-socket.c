/* SPDX-License-Identifier: Apache-2.0 */
/* listen-socket.c - a socket that is listened on, and the UNIX socket by which two sides on one
 * machine meet */
#include "transport/listen-socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/endpoint.h"
#include "lfp/places.h"
#include "transport/passed.h"

#define BACKLOG  16
#define PAUSE_MS 100
#define LOOK_MS  1000

static void on_listener_poll(uv_poll_t *poll, int status, int events);
static void on_look(uv_timer_t *timer);

static void look_later(struct socket_listener *listener)
{
	if (listener->look)
		uv_timer_start(&listener->timer, on_look, LOOK_MS, 0);
}

static void on_pause_over(uv_timer_t *timer)
{
	struct socket_listener *listener = timer->data;

	uv_poll_start(&listener->poll, UV_READABLE, on_listener_poll);
	look_later(listener);
}

static bool lacks_resources(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static void pause_accepting(struct socket_listener *listener, int error)
{
	if (!listener->paused && listener->base.on_pause)
		listener->base.on_pause(&listener->base, error);
	listener->paused = true;
	uv_poll_stop(&listener->poll);
	uv_timer_start(&listener->timer, on_pause_over, PAUSE_MS, 0);
}

/* Accepts one connection. Returns 0 or a negative errno, -EAGAIN if none waits. */
static int take(struct socket_listener *listener)
{
	int rc = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (rc < 0)
		rc = -errno;
	else
		rc = listener->on_accept(listener, rc);
	if (rc < 0 && lacks_resources(-rc)) {
		pause_accepting(listener, rc);
	} else if (rc >= 0 && listener->paused) {
		listener->paused = false;
		if (listener->base.on_pause)
			listener->base.on_pause(&listener->base, 0);
	}
	return rc;
}

static void on_listener_poll(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	(void)take(poll->data);
}

static void on_look(uv_timer_t *timer)
{
	struct socket_listener *listener = timer->data;

	while (take(listener) >= 0 && !listener->stopped)
		;
	if (!listener->stopped && !uv_is_active((uv_handle_t *)timer))
		look_later(listener);
}

static void close_socket(struct socket_listener *listener)
{
	passed_close(listener->fd);
	if (*listener->path)
		unlink(listener->path);
}

int socket_listen(uv_loop_t *loop, const struct transport_where *where,
		  struct socket_listener *listener)
{
	int rc = lfp_listen(where->path, SOCK_SEQPACKET, 0660, BACKLOG);

	if (rc < 0) {
		free(listener);
		return rc;
	}
	return socket_listen_on(loop, where, rc, where->path, listener);
}

int socket_listen_on(uv_loop_t *loop, const struct transport_where *where, int fd, const char *path,
		     struct socket_listener *listener)
{
	int rc;

	listener->fd = fd;
	listener->where = *where;
	snprintf(listener->path, sizeof(listener->path), "%s", path);
	listener->where.path = listener->path;
	listener->base.file = *listener->path ? listener->path : NULL;
	rc = uv_poll_init(loop, &listener->poll, listener->fd);
	if (rc)
		goto error_close;
	uv_timer_init(loop, &listener->timer);
	listener->poll.data = listener->timer.data = listener;
	listener->handles = 2;
	lfp_list_init(&listener->guests);
	uv_poll_start(&listener->poll, UV_READABLE, on_listener_poll);
	look_later(listener);
	return 0;

error_close:
	close_socket(listener);
	free(listener);
	return rc;
}

static void make_room(struct socket_listener *listener)
{
	struct socket_guest *guest;

	lfp_list_each(guest, &listener->guests, entry)
		if (!guest->heard)
			break;
	if (!guest)
		guest = lfp_list_first_entry(&listener->guests, struct socket_guest, entry);
	guest->give_way(guest->data, listener->crowded
					     ? NULL
					     : "too many others connected while it sent nothing");
	listener->crowded = true;
}

void socket_guest_add(struct socket_listener *listener, struct socket_guest *guest)
{
	while (listener->nr_guests >= SOCKET_GUESTS)
		make_room(listener);
	lfp_list_init(&guest->entry);
	lfp_list_append(&listener->guests, &guest->entry);
	listener->nr_guests++;
	listener->handles++;
}

void socket_guest_remove(struct socket_listener *listener, struct socket_guest *guest)
{
	lfp_list_del(&guest->entry);
	listener->nr_guests--;
	if (listener->nr_guests < SOCKET_GUESTS / 2)
		listener->crowded = false;
}

void socket_listener_release(struct socket_listener *listener)
{
	if (--listener->handles == 0)
		free(listener);
}

static void on_listener_closed(uv_handle_t *handle)
{
	socket_listener_release(handle->data);
}

void socket_stop(struct socket_listener *listener)
{
	listener->stopped = true;
	uv_poll_stop(&listener->poll);
	/* In this order: libuv takes it out of its set by its number. */
	uv_close((uv_handle_t *)&listener->poll, on_listener_closed);
	close_socket(listener);
	uv_close((uv_handle_t *)&listener->timer, on_listener_closed);
}

int socket_connect(const char *path)
{
	struct sockaddr_un addr;
	int fd, rc = lfp_unix_addr(&addr, path);

	if (rc)
		return rc;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&addr, sizeof(addr))) {
		rc = -errno;
		close(fd);
		return rc;
	}
	return fd;
}

void socket_describe(int fd, struct transport_peer *out)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	memset(out, 0, sizeof(*out));
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0) {
		out->has_ucred = true;
		out->pid = cred.pid;
		out->uid = cred.uid;
		out->gid = cred.gid;
		len = sizeof(out->groups);
		if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, out->groups, &len) == 0)
			out->nr_groups = len / (socklen_t)sizeof(out->groups[0]);
		snprintf(out->text, sizeof(out->text), "process %d of user %u", (int)cred.pid,
			 (unsigned int)cred.uid);
	} else {
		snprintf(out->text, sizeof(out->text), "an unknown process");
	}
}
