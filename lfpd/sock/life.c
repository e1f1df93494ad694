/* SPDX-License-Identifier: Apache-2.0 */
/* life.c - SOCKET, TAKEN, CLOSE: how a socket begins, changes its owner and ends */
#include "lfpd/sock/life.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "lfp/interface.h"
#include "lfpd/policy/limits.h"
#include "lfpd/sock/datagram.h"
#include "lfpd/log/log.h"
#include "lfpd/sock/joined.h"
#include "lfpd/sock/logged.h"
#include "lfpd/sock/metered.h"
#include "lfpd/sock/paused.h"
#include "lfpd/users/refusal.h"
#include "lfpd/users/share.h"
#include "lfpd/users/task.h"

/*
 * Theory of operation
 *
 * CLOSE ends the id at once. Data queued for the host then belongs to an orphan, which only sends.
 * The orphan survives the path, because its program has closed it in order.
 */

/* Kinds of the message SOCKET. */
#define KIND_STREAM      1
#define KIND_DATAGRAM    2
#define SOCKET_KIND_LAST 10 /* SOCK_PACKET; above it the kernel says EINVAL */

/* Spare sockets take at most this part of what the others leave. More of them might keep out a
 * connection, or another user. */
#define SPARE_PART 4u

/* @used: with @spares */
static bool has_room(unsigned int spares, unsigned int used, unsigned int most)
{
	unsigned int others = used - spares;

	return others < most && spares < (most - others) / SPARE_PART;
}

/* Returns true if there is room for a socket that no program may ever need. */
static bool has_room_for_spare(const struct instance *inst, uint32_t uid)
{
	const struct share *share = (struct share *)lfp_share_find(&inst->shares, uid);

	if (!has_room(inst->nr_spares, inst->nr_sockets, inst->config.max_sockets))
		return false;
	return !uid || !share ||
	       has_room(share->spares, share->base.used[SHARE_SOCKETS],
			share_most(inst, SHARE_SOCKETS));
}

static int open_socket(struct session *session, const struct lfp_frame *frame)
{
	struct instance *inst = session->instance;
	int family = lfp_family_to(frame->socket.family), type, protocol, fd;
	const struct task *task;
	const int on = 1;
	int rc;
	bool spare = frame->socket.kind == LFP_KIND_SPARE;
	struct socket *sock;

	if (family < 0)
		return family;
	if (frame->socket.kind > SOCKET_KIND_LAST && !spare)
		return -EINVAL;
	if (frame->socket.kind != KIND_STREAM && frame->socket.kind != KIND_DATAGRAM && !spare)
		return -ESOCKTNOSUPPORT;
	type = frame->socket.kind == KIND_DATAGRAM ? SOCK_DGRAM : SOCK_STREAM;
	protocol = type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP;
	if (type == SOCK_DGRAM && frame->socket.protocol == IPPROTO_UDPLITE)
		protocol = IPPROTO_UDPLITE;
	if (frame->socket.protocol && frame->socket.protocol != protocol)
		return -EPROTONOSUPPORT;
	task = task_find(session, frame->task);
	if (!task)
		return -EAGAIN;
	if (spare && !has_room_for_spare(inst, task->uid))
		return -EBUSY;
	if (inst->nr_sockets >= inst->config.max_sockets) {
		refusal_of_socket(inst, 0);
		return -ENFILE;
	}
	/* Only this user's sockets make room. To the program it is ENFILE, too. */
	if (refusal_if_spent(inst, task->uid, SHARE_SOCKETS))
		return -EDQUOT;
	fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
	if (fd < 0 && errno != EMFILE && errno != ENFILE)
		return -errno;
	if (fd < 0 || limits_is_short(fd, instance_hosts(inst))) {
		/* EMFILE would be of the program's own descriptors. */
		refusal_of_socket(inst, fd < 0 ? errno : EMFILE);
		if (fd >= 0)
			close(fd);
		return -ENFILE;
	}
	rc = lfp_interface_bind(fd, inst->policy.interface);
	if (rc) {
		refusal_of_interface(inst, rc);
		close(fd);
		return -ENETDOWN;
	}
	/* Urgent data keeps its place in the stream up to the program, which chooses. Accepted
	 * connections inherit this from their listener. */
	if (type == SOCK_STREAM)
		(void)setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on));
	sock = socket_adopt(session, frame->sock, fd, family, task->uid);
	if (!sock)
		return -errno;
	socket_set_spare(sock, spare);
	socket_note_at_close(sock, AT_CLOSE_ENDS);
	socket_take_owner(sock, frame->task);
	if (type == SOCK_DGRAM && datagram_init(sock)) {
		socket_release(sock, false);
		return -ENOMEM;
	}
	return 0;
}

/* @error: ENETDOWN if HOST_INTERFACE is the reason, or another number if a limit is */
static void log_refusal(struct session *session, const struct lfp_frame *frame, int error)
{
	const struct task *task = task_find(session, frame->task);
	struct log_record *record;
	struct log_who who;

	task_who(task, task ? task->uid : UINT32_MAX, &who);
	record = log_begin(session->instance, LOG_SOCKET, &who);
	if (!record)
		return;
	record->protocol = frame->socket.kind == KIND_DATAGRAM ? LOG_UDP : LOG_TCP;
	record->result = error == EDQUOT ? ENFILE : error;
	record->decision.refused_by = error == ENETDOWN ? DECISION_INTERFACE : DECISION_LIMIT;
	log_end(session->instance);
}

int life_handle_socket(struct session *session, const struct lfp_frame *frame, const char **why)
{
	int rc;

	(void)why;
	if ((frame->sock & LFP_ID_LFPD) || frame->epoch || frame->sock <= session->last_id) {
		refusal_answer(session, frame, EPROTO, "its id is not higher than the one before");
		return 0;
	}
	session->last_id = frame->sock;
	rc = open_socket(session, frame);
	/* A spare socket is no program's call. */
	if (rc && rc != -EBUSY)
		session->instance->counters.sockets_refused++;
	else if (!rc)
		session->instance->counters.sockets++;
	if (rc == -ENFILE || rc == -EDQUOT || rc == -ENETDOWN)
		log_refusal(session, frame, -rc);
	session_answer(session, frame, -rc);
	return 0;
}

int life_handle_taken(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	if (!task_known(sock->session, frame->task)) {
		*why = "socket taken by an unknown task";
		return -EPROTO;
	}
	socket_drop_owner(sock);
	socket_take_owner(sock, frame->task);
	paused_move(sock, socket_owner(sock)->uid);
	metered_move(sock);
	logged_taken(sock);
	return 0;
}

static void make_orphan(struct socket *sock)
{
	lfp_table_remove(&sock->session->sockets, &sock->node);
	socket_drop_owner(sock);
	socket_wait_no_more(sock);
	joined_part(sock);
	sock->session = NULL;
	socket_set_state(sock, SOCKET_ORPHAN);
	sock->stream.progress = uv_now(sock->instance->loop);
	lfp_list_append(&sock->instance->orphans, &sock->stream.entry);
	socket_arm(sock);
	idle_tick(sock->instance);
}

/* Returns whether data from the host waits for z/VSE. */
static bool is_unread(const struct socket *sock)
{
	int len = 0;

	return !from_host_ended(sock->from_host) && !ioctl(sock->fd, FIONREAD, &len) && len > 0;
}

int life_handle_close(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	bool abort = frame->close.how || socket_aborts_on_close(sock) ||
		     sock->state == SOCKET_LOST || sock->state == SOCKET_DEAD;

	if (frame->close.received > sock->out.sent) {
		*why = "CLOSE counts more bytes than were sent";
		return -EPROTO;
	}
	if (sock->state == SOCKET_DATAGRAM)
		datagram_flush(sock);
	/* A close with data unread resets the connection, as in Linux (tcp_close()). The kernel
	 * does that itself for data in its own queue, unless the socket stays as an orphan. */
	if (sock->state == SOCKET_ESTABLISHED &&
	    (frame->close.received < sock->out.sent || joined_waits(sock) ||
	     (sock->stream.queue.len && is_unread(sock))))
		abort = true;
	/* What has not passed the gate by now never does. */
	if (sock->state == SOCKET_ESTABLISHED && sock->stream.gated && sock->stream.queue.len)
		abort = true;
	session_answer(sock->session, frame, 0);
	if (!abort && sock->state == SOCKET_ESTABLISHED && sock->stream.queue.len)
		make_orphan(sock);
	else
		socket_release(sock, abort);
	return 0;
}
