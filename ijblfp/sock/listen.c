/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c - listeners: credits, accept records */
#include "ijblfp/sock/listen.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/base/refusal.h"
#include "ijblfp/link/link.h"
#include "ijblfp/near/near-names.h"
#include "ijblfp/near/near-network.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/connect.h"
#include "ijblfp/sock/deliver.h"
#include "ijblfp/sock/disagree.h"
#include "ijblfp/sock/early.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/listener.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"
#include "ijblfp/sock/waiter.h"
#include "ijblfp/sock/watch.h"
#include "lfp/addr.h"
#include "lfp/window.h"

/*
 * Theory of operation
 *
 * lfpd accepts as many connections as it has credits. A connection is handed over when its record
 * is in the listener's near end. Until then it waits in `records` of its listener, or in the
 * instance's list `late` if there was no descriptor or memory for its pair, no memory to watch its
 * far end, or no room for one more descriptor in flight. Its credit is free again when the program
 * has taken the record: the far end reports that with an edge. So the connections that wait here,
 * in a near end, on the path or for lfpd are never more than half of the program's backlog, and the
 * host's backlog is smaller by that number.
 */

/* Returns the number of connections, of the @backlog, that wait outside of the host's queue. */
static unsigned int credits(int backlog)
{
	unsigned int half =
		(unsigned int)backlog / 2; /* a negative backlog is a huge one, as in the kernel */

	if (half < 1)
		return 1;
	return half < NEAR_RECORDS_MAX ? half : NEAR_RECORDS_MAX;
}

int listen_host_backlog(int backlog)
{
	return backlog > 0 ? backlog - (int)credits(backlog) : backlog;
}

/* Makes the far end and the gate. A non-blocking connect() at the same time may have made both. */
static int make_far(struct instance *inst, struct vsock *vs, int near)
{
	int64_t filled;
	int rc;

	if (vs->far >= 0)
		return 0;
	rc = near_size(inst->near, near);
	if (!rc)
		rc = connect_make_far(inst, vs, near);
	if (rc)
		return rc;
	filled = near_gate_fill(near);
	if (filled < 0)
		return (int)filled;
	vs->gate = (uint64_t)filled;
	return stream_watch(inst, vs);
}

/* Makes the near end a listener's: never writable, readable with each record. */
static int become_listener(struct instance *inst, struct vsock *vs, int near)
{
	int size = NEAR_RECORD_BUFFER;
	int rc = make_far(inst, vs, near);

	if (rc)
		return rc;
	/* Writing fails with EPIPE, as on a TCP listener, instead of waiting for ever
	 * (net/unix/af_unix.c, unix_stream_sendmsg(): RCV_SHUTDOWN of the peer). */
	if (setsockopt(vs->far, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) ||
	    shutdown(vs->far, SHUT_RD))
		return -errno;
	listener_begin(vs);
	vsock_set_state(inst->socks, vs, VSOCK_LISTENING);
	stream_want_out(inst, vs, true);
	/* A connect() that was sent after LISTEN finds a listener at lfpd. */
	vsock_drop_copy(vs);
	waiters_answer(vs, EISCONN);
	return 0;
}

/* lfpd listens, but the socket has changed since LISTEN was sent: makes lfpd stop listening. */
static void undo(struct instance *inst, struct vsock *vs)
{
	struct lfp_frame frame = {
		.code = LFP_SHUTDOWN,
		.sock = vs->id,
		.shutdown = {.how = SHUT_RDWR, .position = vs->send.sent},
	};

	listener_stop(vs);
	if (!link_send(inst, &frame))
		vsock_next_life(inst, vs);
}

/* Returns true if @fd is still the near end of @vs. RENEW may have made another one since LISTEN
 * was sent. */
static bool is_near_end(struct instance *inst, const struct vsock *vs, int fd)
{
	struct near_id id;
	bool now = false;

	return !near_identify(inst->near, fd, &id) &&
	       vsock_find_near(inst->socks, &id, &now) == vs && now;
}

/* Ends a socket that cannot listen. The program gets another near end by RENEW. Returns EBADFD. */
static int end_unfit(struct instance *inst, struct vsock *vs)
{
	end_connection(inst, vs, 0);
	connect_spend(vs);
	return EBADFD;
}

int listen_check(struct instance *inst, struct vsock *vs, int near)
{
	int rc = 0;

	if (vs->state != VSOCK_NEW && vs->state != VSOCK_LISTENING)
		return EINVAL;
	/* A shut near end gets no records. RENEW makes the socket NEW again. */
	if (vs->stream.shut)
		return end_unfit(inst, vs);
	if (vs->far < 0)
		rc = descriptors_check_room(inst, near);
	return rc ? -rc : -listener_make(vs);
}

int listen_start(struct instance *inst, struct vsock *vs, uint16_t epoch, int near, int backlog)
{
	int rc;

	/* Another call has ended that life, and so lfpd's listening. */
	if (vs->epoch != epoch)
		return vs->state == VSOCK_OVER ? EBADFD : 0;
	/* shutdown() came in between, as in listen_check(); or RENEW did, and a far end of the old
	 * near end would not report the close of the new one. */
	if (vs->state == VSOCK_NEW && (vs->stream.shut || !is_near_end(inst, vs, near))) {
		undo(inst, vs);
		return end_unfit(inst, vs);
	}
	if (vs->state != VSOCK_NEW && vs->state != VSOCK_CONNECTING &&
	    vs->state != VSOCK_LISTENING) {
		undo(inst, vs);
		return EINVAL;
	}
	if (vs->state != VSOCK_LISTENING) {
		/* A socket that connects has a copy of its near end, or a far end. */
		rc = become_listener(inst, vs, vs->copy >= 0 ? vs->copy : near);
		if (rc) {
			rc = descriptors_lack(inst, rc);
			end_bury(inst, vs, 0);
			return -rc;
		}
	}
	vs->as_listener->credits_wanted = credits(backlog);
	credits_grant(inst, vs);
	return 0;
}

/* The record of @conn is in the near end's queue: the connection is the program's. */
static void is_handed_over(struct instance *inst, struct vsock *conn)
{
	lfp_list_del(&conn->place);
	credits_end_arrival(inst, conn);
	vsock_set_state(inst->socks, conn, VSOCK_ESTABLISHED);
	inst->watch->accepted(inst, conn, conn->copy);
	vsock_drop_copy(conn);
	if (conn->reset) {
		/* Data from before the reset is still delivered. */
		vsock_set_state(inst->socks, conn, VSOCK_RESET);
		deliver_flush(inst, conn);
		return;
	}
	/* Nobody but the instance has had the near end, so the far end still has its edges. */
	stream_go(inst, conn, false);
}

/* Returns the cookie by which the program may remember the addresses in a record, or 0. */
static uint64_t cookie_for_names(const struct instance *inst, const struct vsock *conn)
{
	return inst->near->unique_cookies && !conn->isolated ? conn->near[0].id.cookie : 0;
}

/* Sends the records that wait, as far as there is room for them. */
static void hand_over(struct instance *inst, struct vsock *vs)
{
	struct vsock_listener *own = vs->as_listener;
	struct lfp_list *first;

	while ((first = lfp_list_first(&own->records))) {
		struct vsock *conn = lfp_list_entry(first, struct vsock, place);
		const struct lfp_accept_record record = {
			.magic = LFP_CTL_RECORD_MAGIC,
			.owner = inst->watch->poster(inst, conn),
			.peer = conn->peer,
			.local = conn->local,
			.cookie = cookie_for_names(inst, conn),
			.merges_pages = inst->near->merges_pages,
		};
		int rc = near_send_record(vs->far, &record, conn->copy);

		if (rc == -EAGAIN)
			break;
		if (descriptors_lack_passes(rc)) {
			/* No event of this socket reports the end of the lack. */
			descriptors_say_short(inst, rc);
			lfp_list_del(first);
			lfp_list_append(&inst->late, first);
			continue;
		}
		if (rc) {
			/* The near end is closed or shut down. Its own event ends the listener. */
			end_close(inst, conn, true);
			continue;
		}
		if (!own->record_size)
			(void)ioctl(vs->far, SIOCOUTQ, &own->record_size);
		is_handed_over(inst, conn);
	}
}

void listen_hand_over(struct instance *inst, struct vsock *vs)
{
	hand_over(inst, vs);
	credits_grant(inst, vs);
}

/* Returns true if another try to make a near end may succeed after @rc. */
static bool near_lack_passes(const struct instance *inst, int rc)
{
	return descriptors_lack_passes(rc) &&
	       !(rc == -ENOBUFS && near_network_has_ended(inst->near->network));
}

/* Watches the far end of @conn, if that was not done, and adds @conn to the records. Returns false
 * if there is no memory. */
static bool add_record(struct instance *inst, struct vsock *vs, struct vsock *conn)
{
	int rc = conn->stream.unwatched ? stream_watch(inst, conn) : 0;

	conn->stream.unwatched = rc != 0;
	/* ENOSPC: fs.epoll.max_user_watches */
	if (rc == -ENOMEM || rc == -ENOSPC) {
		descriptors_say_short(inst, rc);
		lfp_list_append(&inst->late, &conn->place);
		return false;
	}
	if (rc)
		end_close(inst, conn, true);
	else
		lfp_list_append(&vs->as_listener->records, &conn->place);
	return true;
}

/* Makes a near end for @conn and adds @conn to the records. Returns false if there is no
 * descriptor or memory. */
static bool make_near(struct instance *inst, struct vsock *vs, struct vsock *conn)
{
	struct near_id id;
	int near, far;
	int family = lfp_family_to(conn->family), rc;

	/* A supervisor keeps the far end open: only a path shows the close then. */
	if (vs->guard)
		rc = near_create_pair(inst->near, &id, &near, &far);
	else
		rc = near_create_accepted(inst->near, conn->uid, family, &id, &near, &far);

	if (!rc && descriptors_are_short(inst, far, KEEP_FOR_CALLS)) {
		close(near);
		close(far);
		near_forget(inst->near, &id);
		rc = -EMFILE;
	}
	if (near_lack_passes(inst, rc)) {
		bool said = rc == -ENOBUFS && inst->near->network->error;

		descriptors_say_short(inst, said ? -inst->near->network->error : rc);
		lfp_list_append(&inst->late, &conn->place);
		return false;
	}
	if (rc) {
		end_close(inst, conn, true);
		return true;
	}
	vsock_set_near(inst->socks, conn, &id);
	conn->copy = near;
	vsock_hold_far(conn, inst->near, far);
	if (conn->stream.tells_unread)
		(void)near_tell_unread(near, true);
	conn->stream.unwatched = true;
	return add_record(inst, vs, conn);
}

void listen_retry(struct instance *inst)
{
	struct lfp_list todo, *first;

	/* Some connections may return to the list. */
	lfp_list_init(&todo);
	lfp_list_append_all(&todo, &inst->late);
	while ((first = lfp_list_first(&todo))) {
		struct vsock *conn = lfp_list_entry(first, struct vsock, place);
		struct vsock *vs = vsock_find(inst->socks, conn->stream.listener);

		lfp_list_del(first);
		if (!vs || vs->state != VSOCK_LISTENING) {
			end_close(inst, conn, true);
			continue;
		}
		if (conn->far >= 0 ? add_record(inst, vs, conn) : make_near(inst, vs, conn))
			listen_hand_over(inst, vs);
	}
}

int listen_on_accepted(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		       const char **why)
{
	bool listening = vs->state == VSOCK_LISTENING && frame->epoch == vs->epoch;
	struct vsock_listener *own = vs->as_listener;
	uint64_t id = frame->accepted.id;
	struct vsock *conn;

	*why = "connection with a socket id that is not lfpd's, or is in use";
	if (!(id & LFP_ID_LFPD) || (id & LFP_ID_EPOCH) || vsock_find(inst->socks, id))
		return -EPROTO;
	*why = "connection of a socket that does not listen, or more than were asked for";
	if (vs->is_datagram || vs->listened == LISTENER_NEVER || (listening && !own->credits_out)) {
		disagree_close(inst, id);
		return -EPROTO;
	}
	conn = vsock_create(inst->socks, id);
	if (!conn) {
		refusal_of_connection(inst);
		disagree_close(inst, id);
		if (listening) {
			own->credits_out--;
			credits_grant(inst, vs);
		}
		return 0;
	}
	vsock_inherit(conn, vs);
	conn->peer = frame->accepted.peer;
	conn->local = frame->accepted.local;
	conn->stream.listener = vs->id;
	connect_note_told(conn);
	early_inherit(conn, vs);
	stream_begin_accepted(inst, conn);
	vsock_set_state(inst->socks, conn, VSOCK_ARRIVING);
	own->arriving++;
	if (!listening) {
		/* The listener was closed or shut down while ACCEPTED was on its way. */
		end_close(inst, conn, true);
		return 0;
	}
	own->credits_out--;
	/* Its credit is free again with the event of the program taking the record. */
	if (make_near(inst, vs, conn))
		hand_over(inst, vs);
	return 0;
}
