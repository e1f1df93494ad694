/* SPDX-License-Identifier: Apache-2.0 */
/* ctl-server.c - the server of the control channel */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/base/refusal.h"
#include "ijblfp/ctl/calls.h"
#include "ijblfp/ctl/credit.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/guard.h"
#include "ijblfp/ctl/parked.h"
#include "ijblfp/ctl/peer.h"
#include "ijblfp/ctl/share.h"
#include "ijblfp/ctl/speak.h"
#include "ijblfp/link/hold.h"
#include "ijblfp/link/link.h"
#include "ijblfp/sock/connect.h"
#include "lfp/endpoint.h"
#include "transport/passed.h"
#include "transport/path.h"

/*
 * Theory of operation
 *
 * A client connects, sends and waits. So its request has mostly arrived when the server accepts the
 * connection, and the server reads it at once, without an event. The loop watches only silent
 * connections: at most SILENT_MAX, each for at most SILENT_MS. All requests are read into one
 * buffer. Only a request that must wait for its task to begin is copied.
 */

#define BACKLOG        1024
#define ACCEPT_A_TURN  64
#define SILENT_MAX     256u
#define SILENT_MS      10000u
#define SILENT_LOOK_MS 1000u

static void on_listener(uv_poll_t *poll, int status, int events);

/* A kept connection holds nothing that came with its request: the descriptor may be the other end
 * of this connection, which would then never hang up. */
static void drop_passed(struct ctl_conn *conn)
{
	if (conn->passed >= 0)
		passed_close(conn->passed);
	conn->passed = -1;
}

void ctl_dispatch(struct ctl_conn *conn, const struct lfp_ctl_request *request)
{
	if (share_begin_call(conn, request))
		call_handle(conn->inst, conn, request);
}

bool ctl_keep(struct ctl_conn *conn, const struct lfp_ctl_request *request)
{
	size_t len = LFP_CTL_REQUEST_HEAD + request->len;

	conn->request = malloc(len);
	if (!conn->request) {
		ctl_fail(conn, ENOMEM);
		return false;
	}
	memcpy(conn->request, request, len);
	return true;
}

void ctl_resume(struct ctl_conn *conn)
{
	struct lfp_ctl_request *request = conn->request;

	conn->request = NULL;
	ctl_dispatch(conn, request);
	free(request);
}

/* Reads the request if it has arrived. Returns false if it has not. @conn may be gone. */
static bool try_request(struct ctl_conn *conn)
{
	struct lfp_ctl_request *request = &conn->inst->ctl->request;
	ssize_t n = ctl_receive(conn, request);
	int error = 0;

	if (n == -EAGAIN || n == -EINTR)
		return false;
	if (n > 0 && !conn->pid) {
		refusal_of_process(conn->inst, conn->uid);
		error = EPERM;
	} else if (n > 0 && request->task) {
		error = speak_for(conn, request);
	}
	if (conn->watched) {
		/* The connection is no longer silent. From now on its owner decides whether it is
		 * watched. */
		watch_stop(&conn->watch);
		lfp_list_del(&conn->place);
		share_leave(conn);
		conn->inst->ctl->nr_silent--;
	}
	if (n > 0 && (request->op == LFP_CTL_PARK || request->op == LFP_CTL_GUARD))
		drop_passed(conn);
	if (n == 0)
		ctl_drop(conn);
	else if (n < 0)
		ctl_fail(conn, (int)-n);
	else if (error)
		ctl_fail(conn, error);
	else if (request->op == LFP_CTL_PARK)
		parked_begin(conn);
	else if (request->op == LFP_CTL_GUARD)
		guard_begin(conn);
	else
		ctl_dispatch(conn, request);
	return true;
}

/* A client that waits for connect() has sent a message, or is gone. */
static void hear_waiter(struct ctl_conn *conn)
{
	struct lfp_ctl_request *request = &conn->inst->ctl->request;
	ssize_t n = ctl_receive(conn, request);

	if (n == -EAGAIN || n == -EINTR)
		return;
	if (n > 0 && request->op == LFP_CTL_DETACH) {
		connect_go_on(conn->inst, &conn->waiter);
		return;
	}
	connect_leave(conn->inst, &conn->waiter);
	ctl_drop(conn);
}

static void on_conn(struct watch *watch, int status, int events)
{
	struct ctl_conn *conn = watch->data;

	/* The watch has stopped if there was an error. The next receive ends the connection
	 * then. */
	(void)status;
	(void)events;
	if (conn->parked)
		parked_hear(conn);
	else if (conn->waiter.vs)
		hear_waiter(conn);
	else
		try_request(conn);
}

void ctl_watch(struct ctl_conn *conn)
{
	/* The handle would be readable all the time. */
	if (conn->left)
		return;
	if (conn->watched) {
		watch_start(&conn->watch, UV_READABLE, on_conn);
		return;
	}
	conn->watch.data = conn;
	if (watch_init(conn->inst->loop, &conn->watch, conn->fd))
		return; /* the answer then notices its end */
	conn->watched = true;
	handle_open(conn->inst);
	watch_start(&conn->watch, UV_READABLE, on_conn);
}

/* This hook is older than the path's, and so runs after it. */
static void on_soon(struct turn_hook *hook)
{
	struct instance *inst = hook->data;
	struct lfp_list *first;

	while ((first = lfp_list_first(&inst->ctl->later))) {
		lfp_list_del(first);
		ctl_watch(lfp_list_entry(first, struct ctl_conn, later));
	}
}

void ctl_watch_soon(struct ctl_conn *conn)
{
	lfp_list_append(&conn->inst->ctl->later, &conn->later);
}

static void drop_silent(struct ctl_conn *conn)
{
	conn->inst->ctl->nr_silent--;
	ctl_drop(conn);
}

static void on_silent(uv_timer_t *timer)
{
	struct instance *inst = timer->data;
	struct ctl_server *ctl = inst->ctl;
	struct lfp_list *first;

	while ((first = lfp_list_first(&ctl->silent)) &&
	       lfp_list_entry(first, struct ctl_conn, place)->since + SILENT_MS <=
		       uv_now(inst->loop))
		drop_silent(lfp_list_entry(first, struct ctl_conn, place));
	if (!first)
		uv_timer_stop(timer);
}

static void wait_for_request(struct ctl_conn *conn)
{
	struct instance *inst = conn->inst;
	struct ctl_server *ctl = inst->ctl;
	struct lfp_list *crowd;

	crowd = share_crowded(conn, SHARE_SILENT, ctl->nr_silent, SILENT_MAX);
	if (crowd)
		drop_silent(lfp_list_entry(lfp_list_first(crowd), struct ctl_conn, mine));
	conn->since = uv_now(inst->loop);
	lfp_list_append(&ctl->silent, &conn->place);
	share_enter(conn, SHARE_SILENT);
	ctl->nr_silent++;
	ctl_watch(conn);
	if (!uv_is_active((uv_handle_t *)&ctl->timer))
		uv_timer_start(&ctl->timer, on_silent, SILENT_LOOK_MS, SILENT_LOOK_MS);
}

/* There is no descriptor or memory to serve a connection: reads its request, if any, and answers it
 * with @error. */
static void refuse(int fd, int error)
{
	const struct lfp_ctl_reply_head head = {.magic = LFP_CTL_REPLY_MAGIC, .error = error};
	struct lfp_ctl_request_head request;

	(void)passed_receive(fd, &request, sizeof(request));
	(void)send(fd, &head, sizeof(head), MSG_DONTWAIT | MSG_NOSIGNAL);
	passed_close(fd);
}

void ctl_take(struct instance *inst, int fd, bool shared)
{
	struct ctl_conn *conn = calloc(1, sizeof(*conn));
	struct peer peer;
	int rc;

	if (!conn) {
		refuse(fd, ENOMEM);
		return;
	}
	rc = peer_read(fd, &peer);
	if (rc) {
		free(conn);
		refuse(fd, -descriptors_lack(inst, rc));
		return;
	}
	conn->inst = inst;
	conn->fd = fd;
	conn->shared = shared;
	conn->passed = -1;
	conn->pid = peer.pid;
	conn->uid = peer.uid;
	conn->inode = peer.inode;
	lfp_list_init(&conn->place);
	lfp_list_init(&conn->later);
	lfp_list_init(&conn->mine);
	if (!try_request(conn))
		wait_for_request(conn);
}

static bool lacks_resources(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

static void on_listener(uv_poll_t *poll, int status, int events)
{
	struct instance *inst = poll->data;

	(void)status;
	(void)events;
	for (int i = 0; i < ACCEPT_A_TURN && !inst->stopping; i++) {
		int fd = accept4(inst->ctl->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		int error = fd < 0 ? errno : 0;

		if (fd < 0 && !lacks_resources(error))
			break;
		/* The kept descriptors serve this connection; the others wait. */
		inst->ctl->starved = fd < 0 || descriptors_are_short(inst, fd, KEEP_FOR_REPLIES);
		if (fd >= 0)
			ctl_take(inst, fd, false);
		if (inst->ctl->starved) {
			descriptors_say_short(inst, fd < 0 ? -error : -EMFILE);
			break;
		}
	}
	ctl_server_check(inst);
}

void ctl_server_check(struct instance *inst)
{
	struct ctl_server *ctl = inst->ctl;
	bool pause = ctl->starved || hold_keeps(&inst->link->hold) ||
		     (link_is_up(inst->link) && path_congested(inst->link->path));

	if (inst->stopping || ctl->listener < 0)
		return;
	if (pause == ctl->paused && uv_is_active((uv_handle_t *)&ctl->poll) == !pause)
		return;
	ctl->paused = pause;
	parked_pause(inst, pause);
	if (pause)
		uv_poll_stop(&ctl->poll);
	else
		uv_poll_start(&ctl->poll, UV_READABLE, on_listener);
}

void ctl_server_retry(struct instance *inst)
{
	inst->ctl->starved = false;
	ctl_server_check(inst);
}

int ctl_server_init(struct instance *inst, const char *path)
{
	struct ctl_server *ctl = inst->ctl;
	int fd, rc;

	*ctl = (struct ctl_server){.listener = -1};
	lfp_list_init(&ctl->silent);
	lfp_list_init(&ctl->later);
	ijblfp_shares_init(inst);
	parked_init(inst);
	lfp_list_init(&inst->ctl->guards.list);
	ctl->soon = (struct turn_hook){.data = inst, .before = on_soon};
	rc = turn_hook_init(inst->loop, &ctl->soon);
	if (rc)
		return rc;
	handle_open(inst);
	/* Programs of every user connect. */
	fd = lfp_listen(path, SOCK_SEQPACKET, 0666, BACKLOG);
	rc = fd < 0 ? fd : uv_poll_init(inst->loop, &ctl->poll, fd);
	if (rc) {
		if (fd >= 0)
			close(fd);
		turn_hook_close(&ctl->soon, handle_let_go);
		return rc;
	}
	ctl->listener = fd;
	snprintf(ctl->path, sizeof(ctl->path), "%s", path);
	ctl->poll.data = inst;
	handle_open(inst);
	uv_timer_init(inst->loop, &ctl->timer);
	ctl->timer.data = inst;
	handle_open(inst);
	credits_init(inst);
	return uv_poll_start(&ctl->poll, UV_READABLE, on_listener);
}

void ctl_server_finish(struct instance *inst)
{
	struct ctl_server *ctl = inst->ctl;
	struct lfp_list *first;

	if (ctl->listener < 0)
		return;
	while ((first = lfp_list_first(&ctl->silent)))
		drop_silent(lfp_list_entry(first, struct ctl_conn, place));
	parked_finish(inst);
	guards_finish(inst);
	uv_poll_stop(&ctl->poll);
	uv_timer_stop(&ctl->timer);
	/* In this order: libuv removes the descriptor from its epoll set by number. */
	handle_close(inst, (uv_handle_t *)&ctl->poll);
	passed_end(ctl->listener);
	unlink(ctl->path);
	ctl->listener = -1;
	handle_close(inst, (uv_handle_t *)&ctl->timer);
	credits_finish(inst);
	turn_hook_close(&ctl->soon, handle_let_go);
}
