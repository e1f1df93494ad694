/* SPDX-License-Identifier: Apache-2.0 */
/* parked.c - connections that programs keep, in order to hand over others through them */
#include "ijblfp/ctl/parked.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/share.h"
#include "ijblfp/ctl/speak.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/sock/connect.h"

/* At most this number, and at most a quarter of the descriptors. */
#define PARKED_MAX 16384u

void parked_init(struct instance *inst)
{
	unsigned int quarter = inst->descriptors->limit / 4;

	lfp_list_init(&inst->ctl->parked);
	inst->ctl->parked_max = quarter < PARKED_MAX ? quarter : PARKED_MAX;
	inst->ctl->calls_max = inst->ctl->parked_max;
}

static struct ctl_conn *oldest(struct instance *inst)
{
	return lfp_list_first_entry(&inst->ctl->parked, struct ctl_conn, place);
}

/* Returns the connection of a user that makes room. A program that waits for an answer would ask
 * again, so its connection is the last choice. */
static struct ctl_conn *oldest_idle(struct lfp_list *crowd)
{
	struct ctl_conn *conn;

	lfp_list_each(conn, crowd, mine)
		if (!conn->borrower)
			return conn;
	return lfp_list_first_entry(crowd, struct ctl_conn, mine);
}

/* A CONNECT that is still kept for its task will not wait for the connection. */
static void will_not_wait(struct ctl_conn *conn)
{
	if (conn->request)
		conn->request->flags &= (uint16_t)~LFP_CTL_BLOCKING;
}

static void drop(struct ctl_conn *conn)
{
	struct ctl_conn *borrower = conn->borrower;

	if (borrower) {
		borrower->lender = NULL;
		borrower->fd = -1;
		/* No program waits for the connection through it any more. */
		if (borrower->waiter.vs) {
			connect_leave(borrower->inst, &borrower->waiter);
			ctl_drop(borrower);
		} else {
			will_not_wait(borrower);
		}
	}
	conn->inst->ctl->nr_parked--;
	ctl_drop(conn);
}

void parked_begin(struct ctl_conn *conn)
{
	struct instance *inst = conn->inst;
	struct ctl_server *ctl = inst->ctl;
	struct lfp_list *crowd;

	/* Its program then uses the path of the control channel. */
	if (descriptors_are_short(inst, conn->fd, KEEP_FOR_CALLS) || conn->left) {
		ctl_drop(conn);
		return;
	}
	crowd = share_crowded(conn, SHARE_PARKED, ctl->nr_parked, ctl->parked_max);
	if (crowd)
		drop(oldest_idle(crowd));
	conn->parked = true;
	lfp_list_append(&ctl->parked, &conn->place);
	share_enter(conn, SHARE_PARKED);
	ctl->nr_parked++;
	ctl_watch(conn);
	if (!conn->watched)
		drop(conn);
	else if (ctl->paused)
		watch_stop(&conn->watch);
}

/* Returns true for a UNIX socket without a name: socketpair() gives none, and the end that calls
 * connect() always has one here. */
static bool is_nameless(int (*get)(int, struct sockaddr *restrict, socklen_t *restrict), int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	return !get(fd, (struct sockaddr *)&addr, &len) && addr.sun_family == AF_UNIX &&
	       len == offsetof(struct sockaddr_un, sun_path);
}

/* Returns true if the descriptor is one end of a socketpair for calls. A socket from connect() or
 * accept() is not accepted: its peer may be this instance itself, or a process that knows nothing
 * of LFP, and the peer's data would become calls in its name. */
static bool is_pair(int fd)
{
	int domain = 0, type = 0;
	socklen_t len = sizeof(int);

	return !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) && domain == AF_UNIX &&
	       !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) && type == SOCK_SEQPACKET &&
	       is_nameless(getsockname, fd) && is_nameless(getpeername, fd);
}

void parked_returned(struct ctl_conn *conn)
{
	struct ctl_conn *lender = conn->lender;

	if (!lender)
		return;
	lender->borrower = NULL;
	if (!conn->answered)
		drop(lender);
}

/* Makes a connection for the request alone. It takes over the descriptor that came along. */
static struct ctl_conn *lend(struct ctl_conn *parked)
{
	struct ctl_conn *conn = calloc(1, sizeof(*conn));

	if (!conn)
		return NULL;
	conn->inst = parked->inst;
	conn->fd = parked->fd;
	conn->passed = parked->passed;
	conn->pid = parked->pid;
	conn->uid = parked->uid;
	conn->inode = parked->inode;
	conn->borrowed = true;
	conn->lender = parked;
	lfp_list_init(&conn->place);
	lfp_list_init(&conn->later);
	lfp_list_init(&conn->mine);
	parked->passed = -1;
	parked->borrower = conn;
	return conn;
}

static bool is_direct(const struct ctl_conn *conn, const struct lfp_ctl_request *request)
{
	return (request->flags & LFP_CTL_DIRECT) && !conn->borrower && !request->task &&
	       lfp_ctl_is_direct(request->op);
}

/* The caller of CONNECT leaves. Its answer may already have been on the way. */
static void detach(struct ctl_conn *parked)
{
	struct ctl_conn *conn = parked->borrower;

	if (!conn)
		return;
	if (conn->waiter.vs)
		connect_go_on(conn->inst, &conn->waiter);
	else
		will_not_wait(conn);
}

static void use(struct ctl_conn *conn)
{
	lfp_list_del(&conn->place);
	lfp_list_append(&conn->inst->ctl->parked, &conn->place);
	share_renew(conn);
}

static void serve_direct(struct ctl_conn *parked, struct lfp_ctl_request *request)
{
	struct instance *inst = parked->inst;
	struct ctl_conn *conn = lend(parked);

	if (!conn) {
		drop(parked);
		return;
	}
	use(parked);
	/* The request may begin the task. */
	if (!ijblfp_task_find(inst->tasks, conn->pid))
		speak_renew(conn);
	request->flags &= (uint16_t)~LFP_CTL_DIRECT;
	inst->ctl->starved =
		conn->passed >= 0 && descriptors_are_short(inst, conn->passed, KEEP_FOR_REPLIES);
	ctl_dispatch(conn, request);
	if (inst->ctl->starved)
		descriptors_say_short(inst, -EMFILE);
	ctl_server_check(inst);
}

/* Returns true for a new call: not the end of the connection, and not a message from the caller of
 * CONNECT. */
static bool is_call(const struct ctl_conn *conn)
{
	struct lfp_ctl_request_head head;
	ssize_t n = recv(conn->fd, &head, sizeof(head), MSG_PEEK | MSG_DONTWAIT);

	return n == sizeof(head) && head.op != LFP_CTL_DETACH;
}

void parked_hear(struct ctl_conn *conn)
{
	struct instance *inst = conn->inst;
	struct lfp_ctl_request *request = &inst->ctl->request;
	ssize_t n;
	int fd;

	if (inst->ctl->paused && is_call(conn)) {
		watch_stop(&conn->watch);
		return;
	}
	n = ctl_receive(conn, request);
	fd = conn->passed;
	if (n == -EAGAIN || n == -EINTR)
		return;
	if (n > 0 && is_direct(conn, request)) {
		serve_direct(conn, request);
		return;
	}
	if (n > 0 && request->op == LFP_CTL_DETACH && fd < 0) {
		detach(conn);
		return;
	}
	if (n <= 0 || request->op != LFP_CTL_HAND || fd < 0 || !is_pair(fd)) {
		drop(conn);
		return;
	}
	conn->passed = -1;
	use(conn);
	inst->ctl->starved = descriptors_are_short(inst, fd, KEEP_FOR_REPLIES);
	ctl_take(inst, fd, true);
	if (inst->ctl->starved)
		descriptors_say_short(inst, -EMFILE);
	ctl_server_check(inst);
}

void parked_pause(struct instance *inst, bool pause)
{
	struct ctl_conn *conn;

	lfp_list_each(conn, &inst->ctl->parked, place) {
		/* A program that waits for connect() may leave. */
		if (pause && !conn->borrower)
			watch_stop(&conn->watch);
		else
			ctl_watch(conn);
	}
}

void parked_finish(struct instance *inst)
{
	struct ctl_conn *conn;

	while ((conn = oldest(inst)))
		drop(conn);
}
