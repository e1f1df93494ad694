/* SPDX-License-Identifier: Apache-2.0 */
/* ctl-conn.c - one connection of the control channel: its request, its answer, its end */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/parked.h"
#include "ijblfp/ctl/share.h"
#include "lfp/rights.h"
#include "transport/passed.h"

static void on_conn_closed(void *data)
{
	struct ctl_conn *conn = data;
	struct instance *inst = conn->inst;

	free(conn);
	handle_gone(inst);
}

/* Returns the user of the process that sends on @conn: its descriptors are closed as this user's.
 */
static uid_t sender(const struct ctl_conn *conn)
{
	return conn->voice ? conn->voice_uid : conn->uid;
}

static void end_conn(const struct ctl_conn *conn)
{
	if (conn->left)
		passed_end_answered(conn->fd, sender(conn));
	else if (conn->shared) /* parked.c has checked it */
		passed_close_unix(conn->fd, sender(conn));
	else
		passed_end_of(conn->fd, sender(conn));
}

void ctl_drop(struct ctl_conn *conn)
{
	lfp_list_del(&conn->place);
	lfp_list_del(&conn->later);
	share_leave(conn);
	free(conn->request);
	conn->request = NULL;
	if (conn->passed >= 0 && conn->known)
		close(conn->passed);
	else if (conn->passed >= 0 && conn->is_near)
		passed_close_unix(conn->passed, sender(conn));
	else if (conn->passed >= 0)
		passed_close_of(conn->passed, sender(conn));
	if (conn->borrowed) {
		parked_returned(conn);
		free(conn);
		return;
	}
	if (!conn->watched) {
		end_conn(conn);
		free(conn);
		return;
	}
	conn->closed = true;
	/* End the watch before the descriptor is closed, possibly in a thread: the descriptor
	 * leaves the epoll set by number. */
	watch_close(&conn->watch, on_conn_closed);
	end_conn(conn);
}

int ctl_answer(struct ctl_conn *conn, int error, int value, const void *data, size_t len, int fd)
{
	struct lfp_ctl_reply head = {
		.magic = LFP_CTL_REPLY_MAGIC,
		.error = error,
		.value = value,
		.len = (uint32_t)len,
	};
	struct iovec iov[2] = {
		{.iov_base = &head, .iov_len = LFP_CTL_REPLY_HEAD},
		{.iov_base = (void *)(uintptr_t)data, .iov_len = len},
	};
	int rc;

	/* A fresh connection has room for one answer. */
	rc = lfp_rights_send(conn->fd, iov, len ? 2 : 1, &fd, fd >= 0);
	conn->answered = !rc;
	ctl_drop(conn);
	return rc;
}

/*
 * Takes the descriptor out of a message and closes any further ones. A connection that was handed
 * over is also the program's own socket. The program can enable more control data about the sender
 * (SO_PASSPIDFD), with descriptors of another kind; then @bad is set.
 */
static int take_fd(struct msghdr *msg, uid_t uid, bool *bad)
{
	struct lfp_rights_place place = {.msg = msg};
	int fd = -1, one;

	*bad = false;
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg))
		*bad |= cmsg->cmsg_type != SCM_RIGHTS;
	while (lfp_rights_next(&place, &one)) {
		if (fd < 0 && place.header->cmsg_type == SCM_RIGHTS)
			fd = one;
		else
			passed_close_of(one, uid);
	}
	return fd;
}

/* Returns true if the message has the form of a request. */
static bool is_request(const struct lfp_ctl_request *request, ssize_t n)
{
	return (size_t)n >= LFP_CTL_REQUEST_HEAD && request->magic == LFP_CTL_MAGIC &&
	       request->len == (size_t)n - LFP_CTL_REQUEST_HEAD;
}

/* The program may read as well, so another message than the peeked one might be taken. So none is
 * taken. That makes sense for a single request only: it would come again. */
static ssize_t look_at_request(struct ctl_conn *conn, struct msghdr *msg)
{
	ssize_t n = conn->parked || conn->waiter.vs ? -EMFILE : passed_look(conn->fd, msg, 1);

	conn->left = n >= 0;
	return n;
}

static ssize_t receive(struct ctl_conn *conn, struct msghdr *msg)
{
	ssize_t n = -EMFILE;

	if (!passed_is_crowded(sender(conn)))
		n = conn->shared && numbers_are_short() ? look_at_request(conn, msg)
							: passed_take(conn->fd, msg, 1);
	if (n != -EMFILE)
		return n;
	conn->left = true;
	return -ENFILE;
}

ssize_t ctl_receive(struct ctl_conn *conn, struct lfp_ctl_request *request)
{
	union {
		struct cmsghdr align;
		char buf[PASSED_ROOM + PASSED_MORE];
	} control;
	struct iovec iov = {.iov_base = request, .iov_len = sizeof(*request)};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	ssize_t n = receive(conn, &msg);
	bool bad;
	int fd;

	if (n < 0)
		return n;
	fd = take_fd(&msg, sender(conn), &bad);
	if (conn->passed >= 0)
		passed_close_of(conn->passed, sender(conn));
	conn->passed = fd;
	conn->known = conn->is_near = false;
	numbers_note(fd);
	if ((msg.msg_flags & MSG_TRUNC) || bad)
		return -EINVAL;
	/* The kernel dropped the descriptor, since this process had no number free for it. */
	if ((msg.msg_flags & MSG_CTRUNC) && fd < 0)
		return -ENFILE;
	if (n && !is_request(request, n))
		return -EINVAL;
	return n;
}
