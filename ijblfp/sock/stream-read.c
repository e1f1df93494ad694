/* SPDX-License-Identifier: Apache-2.0 */
/* stream-read.c - the events of far ends, and reading from them */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "ijblfp/near/near-names.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/deliver.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/listen.h"
#include "ijblfp/sock/peek.h"
#include "ijblfp/sock/stopper.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/sweep-timer.h"
#include "ijblfp/sock/urgent.h"
#include "ijblfp/sock/vsock.h"
#include "ijblfp/sock/watch.h"
#include "lfp/window.h"
#include "transport/passed.h"
#include "transport/path.h"
#include "transport/pipes.h"

/* stream.c has the theory of operation. */

/* Bytes of a turn. A piece by reference may be larger: its bytes are not touched. */
#define SOCKET_SHARE 65536u

/* A post is a request to lfpd, and takes as much of a turn as this many bytes. */
#define POST_COST 4096u

static void set_reading(struct vsock *vs, enum reading to)
{
	vs->stream.reading = lfp_transition(&reading_states, vs->stream.reading, to);
}

void stream_may_read(struct vsock *vs)
{
	if (vs->stream.reading == READ_RESTS)
		set_reading(vs, READ_SOME);
}

void stream_rest(struct vsock *vs)
{
	set_reading(vs, READ_RESTS);
	lfp_list_del(&vs->place);
}

static void set_out_end(struct vsock *vs, enum out_end to)
{
	vs->stream.out_end = lfp_transition(&out_end_states, vs->stream.out_end, to);
}

void stream_abort(struct vsock *vs)
{
	set_out_end(vs, OUT_ABORTED);
}

void stream_renew_near(struct vsock *vs)
{
	if (vs->stream.out_end == OUT_HUNG)
		set_out_end(vs, OUT_OPEN);
}

void stream_note_use(struct vsock *vs)
{
	vs->stream.quiet = false;
}

void stream_renew(struct vsock *vs)
{
	stream_note_use(vs);
	vs->stream.accept_mark = MARK_NONE; /* these two past their tables */
	vs->stream.out_end = OUT_OPEN;
}

static void set_accept_mark(struct vsock *vs, enum accept_mark to)
{
	vs->stream.accept_mark = lfp_transition(&accept_mark_states, vs->stream.accept_mark, to);
}

void stream_pass_mark(const struct near_maker *maker, struct vsock *vs)
{
	set_accept_mark(vs, maker->counts_passed ? MARK_PASSED : MARK_NONE);
}

void stream_drop_mark(struct vsock *vs)
{
	set_accept_mark(vs, MARK_NONE);
}

/* Returns true if every descriptor of the near end is closed. */
static bool is_closed(struct instance *inst, const struct vsock *vs)
{
	bool hung = vs->stream.out_end == OUT_HUNG;

	return near_is_gone(inst->near, &vs->near[0].id, hung ? -1 : vs->far);
}

void stream_on_gone(struct instance *inst, struct vsock *vs)
{
	/* A listener resets the connections that end with it, as in the kernel
	 * (inet_csk_listen_stop()). */
	bool untaken = vs->stream.quiet && end_is_past_listener(inst, vs->stream.listener);

	end_close(inst, vs,
		  vs->stream.out_end == OUT_ABORTED || vs->stream.in_reader == READER_GONE ||
			  !lfp_list_empty(&vs->stream.queue) || vs->discards || untaken);
}

/* A close with data unread, or with SO_LINGER 0, resets the connection. The reset does not wait for
 * a window for the remaining data, because the peer may stop reading before it learns of the
 * reset. */
static bool is_aborted(struct instance *inst, const struct vsock *vs)
{
	bool hung = vs->stream.out_end == OUT_HUNG &&
		    (vs->stream.in_reader == READER_GONE || !lfp_list_empty(&vs->stream.queue) ||
		     vs->discards);

	return (hung || vs->stream.out_end == OUT_ABORTED) && is_closed(inst, vs);
}

/* The far end reports end of file or an error: the program has closed, or only shut down. */
static void end_of_input(struct instance *inst, struct vsock *vs)
{
	struct lfp_frame frame = {
		.code = LFP_SHUTDOWN,
		.sock = vs->id,
		.shutdown = {.how = 1, .position = vs->send.sent},
	};

	stream_rest(vs);
	if (vs->stream.out_end == OUT_ABORTED || is_closed(inst, vs)) {
		stream_on_gone(inst, vs);
		return;
	}
	stream_note_use(vs);
	if (vs->stream.out_end != OUT_SHUT && !link_send(inst, &frame))
		set_out_end(vs, OUT_SHUT);
	/* An edge will report the close. But another process may have taken the name just then. */
	lfp_list_append(&inst->socks->swept, &vs->swept);
	sweep_timer_start(inst);
}

/*
 * accept() leaves an urgent byte, which is no data (lfp/ctl.h). Taking the byte would cause an edge
 * at the near end that TCP does not have. So the byte stays until recv() passes over it to read
 * other data. Returns true if nothing but the mark may be there.
 */
static bool only_mark_waits(struct vsock *vs)
{
	char c;
	ssize_t n;
	int error;

	if (vs->stream.accept_mark != MARK_LEFT)
		return false;
	if (!lfp_list_empty(&vs->stream.urgent))
		return false;
	n = recv(vs->far, &c, 1, MSG_PEEK | MSG_DONTWAIT);
	error = n < 0 ? errno : 0;
	/* Linux clears a reset on read (sock_error()), so note it here. Check for the urgent byte
	 * after recv(): if recv() has seen the end, the byte has arrived before. */
	if (error && error != EAGAIN)
		stream_abort(vs);
	if (stream_is_at_urgent(vs))
		stream_note_use(vs);
	return error == EAGAIN;
}

/* Returns true if more data waits behind the @n bytes that were read, even if it must wait for a
 * window. @waiting: the bytes that are known to wait, 0 if that was not asked. */
static bool more_follows(const struct vsock *vs, size_t n, size_t *waiting)
{
	*waiting = *waiting > n ? *waiting - n : stream_waiting(vs);
	return *waiting > 0;
}

/* Returns true if descriptors can come with the data. Any process with a copy of the far end can
 * allow that (SO_PASSRIGHTS). */
static bool takes_rights(const struct instance *inst, const struct vsock *vs)
{
	return vs->guarding != GUARD_NONE || !inst->near->takes_no_rights;
}

static void note_read(struct vsock *vs, size_t n, size_t *share, size_t *left)
{
	vs->send.sent += n;
	vs->stream.taken += n;
	stream_note_use(vs);
	*share -= n < *share ? n : *share;
	*left -= *left < n ? *left : n;
}

/* Programs write what no window divides: a small piece behind large ones is no end of them. */
static void note_piece(struct vsock *vs, bool large)
{
	if (large)
		vs->stream.bulk = 2;
	else if (vs->stream.bulk)
		vs->stream.bulk--;
}

/* Result of moving bytes from the far end to the path. */
struct moved {
	ssize_t n;    /* bytes; 0: the end of the stream; or a negative errno */
	bool no_room; /* the path takes no more, and nothing was tried */
	bool all;     /* the far end had less than there was room for */
	bool large;   /* a large piece, or as much as there was room for */
};

/* Moves bytes by reference, in a pipe. n is -ENOTSUP if they cannot go this way now. Only recv()
 * tells that nothing waits: after a wrong EAGAIN there would be no edge. */
static struct moved splice_far(struct instance *inst, struct vsock *vs, size_t want,
			       size_t *waiting)
{
	struct path *path = inst->link->path;
	ssize_t n;

	peek_settle(vs);
	n = path_data_splice(path, vs->far, want);

	if (!n || n == -EAGAIN)
		return (struct moved){.n = -ENOTSUP};
	if (n > 0)
		path_data_spliced(path, lfp_sock_join(vs->id, vs->epoch), vs->send.sent,
				  more_follows(vs, (size_t)n, waiting));
	/* A pipe may be full of small pieces, so a short count does not mean that this was all. */
	return (struct moved){.n = n, .large = n >= (ssize_t)PIPE_WORTH};
}

/* Returns how many bytes of @want may be left in the far end when they are read, or 0. */
static size_t may_leave(const struct instance *inst, const struct vsock *vs, size_t want)
{
	size_t room;

	if (vs->stream.reading != READ_SOME || vs->stream.accept_mark == MARK_LEFT ||
	    vs->stream.has_stopper || !lfp_list_empty(&vs->stream.urgent) || takes_rights(inst, vs))
		return 0;
	room = peek_room(inst, vs);
	return want < room ? want : room;
}

static struct moved copy_far(struct instance *inst, struct vsock *vs, size_t want, size_t *waiting)
{
	struct path *path = inst->link->path;
	bool rights = takes_rights(inst, vs);
	size_t leave = may_leave(inst, vs, want);
	uint8_t *at;
	ssize_t n;

	if (!leave)
		peek_settle(vs);
	want = path_data_reserve(path, leave ? leave : want, &at);
	if (!want)
		return (struct moved){.no_room = true};
	do
		n = rights ? passed_receive(vs->far, at, want)
			   : recv(vs->far, at, want, MSG_DONTWAIT | (leave ? MSG_PEEK : 0));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	if (n > 0)
		peek_note_read(inst, vs, (size_t)n, leave);
	else if (n != -EAGAIN)
		peek_settle(vs);
	path_data_commit(path, lfp_sock_join(vs->id, vs->epoch), vs->send.sent,
			 n > 0 ? (size_t)n : 0,
			 n > 0 && (size_t)n == want && more_follows(vs, want, waiting));
	/* After a short read they were not counted down. */
	if (n > 0 && (size_t)n < want)
		*waiting = 0;
	if (n > 0 && vs->stream.accept_mark == MARK_LEFT) {
		stream_pass_mark(inst->near, vs);
		*waiting = 0; /* the mark may be among them */
	}
	return (struct moved){.n = n,
			      .all = n > 0 && (size_t)n < want && !rights,
			      .large = n > 0 && (size_t)n == want && !rights};
}

/* @want: bytes of the program that may go now; fewer than the window has room for if something
 * behind them needs a look. */
static struct moved move_far(struct instance *inst, struct vsock *vs, size_t want, bool whole,
			     size_t *waiting)
{
	struct moved moved = {.n = -ENOTSUP};

	if (vs->stream.bulk && whole && want >= PIPE_WORTH && vs->stream.accept_mark != MARK_LEFT &&
	    !takes_rights(inst, vs))
		moved = splice_far(inst, vs, want, waiting);
	return moved.n == -ENOTSUP ? copy_far(inst, vs, want, waiting) : moved;
}

/* Moves data to the path, up to the socket's share. Returns false if the path takes no more. @vs
 * may be gone. */
static bool read_far(struct instance *inst, struct vsock *vs, size_t *left)
{
	size_t share = SOCKET_SHARE, waiting = 0;
	struct moved moved = {0};
	size_t posts;

	if (vs->stream.in_reader == READER_BROKEN) {
		end_bury(inst, vs, ECONNRESET);
		return true;
	}
	posts = POST_COST * inst->watch->reads(inst, vs);
	*left -= posts < *left ? posts : *left;
	if (only_mark_waits(vs)) {
		stream_rest(vs);
		return true;
	}
	if (vs->discards && is_aborted(inst, vs)) {
		stream_on_gone(inst, vs);
		return true;
	}
	while (share) {
		size_t room = lfp_window_room(&vs->send), want = room;

		if (!room) {
			lfp_list_del(&vs->place);
			if (is_aborted(inst, vs))
				stream_on_gone(inst, vs);
			return true;
		}
		if (!lfp_list_empty(&vs->stream.urgent) && !urgent_send(inst, vs, &want))
			return false;
		if (!want && only_mark_waits(vs)) {
			stream_rest(vs);
			return true;
		}
		if (!want)
			continue;
		if (stopper_is_next(vs, &want)) {
			end_of_input(inst, vs);
			return true;
		}
		/* Only recv() tells that nothing waits. */
		moved = move_far(inst, vs, want, want == room && (waiting || !moved.n), &waiting);
		if (moved.no_room)
			return false;
		if (moved.n == -EAGAIN) {
			stream_rest(vs);
			return true;
		}
		if (moved.n <= 0) {
			if (moved.n)
				stream_abort(vs);
			end_of_input(inst, vs);
			return true;
		}
		note_read(vs, (size_t)moved.n, &share, left);
		note_piece(vs, moved.large && SOCKET_SHARE - share >= PIPE_WORTH);
		if (moved.all && vs->stream.reading != READ_TO_END) {
			stream_rest(vs);
			return true;
		}
	}
	lfp_list_append(&inst->streams->runnable, &vs->place);
	return true;
}

bool stream_read(struct instance *inst, struct vsock *vs, size_t *left)
{
	return vs->is_datagram ? datagram_read(inst, vs, left) : read_far(inst, vs, left);
}

void stream_on_event(struct instance *inst, struct vsock *vs, uint32_t events)
{
	bool hung = events & (EPOLLHUP | EPOLLERR);

	switch (vs->state) {
	case VSOCK_ESTABLISHED:
		if (events & EPOLLERR)
			stream_abort(vs);
		else if (hung && vs->stream.out_end == OUT_OPEN)
			set_out_end(vs, OUT_HUNG);
		if ((events & EPOLLOUT) && vs->stream.wants_out)
			deliver_flush(inst, vs);
		if (events & ~(uint32_t)EPOLLOUT) {
			stream_may_read(vs);
			if (events & (EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
				set_reading(vs, READ_TO_END);
			stream_run_later(inst, vs);
		}
		break;
	case VSOCK_RESET:
		if (hung && is_closed(inst, vs))
			end_close(inst, vs, true);
		else if (vs->stream.wants_out)
			deliver_flush(inst, vs);
		break;
	case VSOCK_CONNECTING:
		/* The gate is readable, and end of file waits behind it. */
		if (hung && is_closed(inst, vs))
			end_close(inst, vs, true);
		break;
	case VSOCK_LISTENING:
		if (hung && is_closed(inst, vs))
			end_close(inst, vs, false);
		else
			listen_hand_over(inst, vs);
		break;
	case VSOCK_DATAGRAM:
		ijblfp_datagram_on_event(inst, vs, events);
		break;
	default:
		break;
	}
}

void stream_read_to_end(struct instance *inst, struct vsock *vs)
{
	set_reading(vs, READ_TO_END);
	stream_look_again(inst, vs);
}

void stream_begin_accepted(struct instance *inst, struct vsock *vs)
{
	vs->stream.quiet = true;
	set_accept_mark(vs, MARK_LEFT);
	ijblfp_stream_begin(inst, vs);
}

void stream_go(struct instance *inst, struct vsock *vs, bool spent)
{
	if (spent)
		stream_read_to_end(inst, vs);
	deliver_flush(inst, vs);
}
