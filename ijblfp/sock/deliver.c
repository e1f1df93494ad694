/* SPDX-License-Identifier: Apache-2.0 */
/* deliver.c - data on its way from the path to a program */
#include "ijblfp/sock/deliver.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "ijblfp/sock/connect.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/peek.h"
#include "ijblfp/sock/stopper.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"
#include "ijblfp/sock/watch.h"
#include "lfp/window.h"
#include "transport/path.h"
#include "transport/pipes.h"

/*
 * Theory of operation
 *
 * Data that the far end does not take is queued, at most a window. When the program's end is
 * closed, all data counts as consumed. Urgent data is a byte of its own in the stream and goes out
 * with MSG_OOB; as in TCP only the last pending byte is urgent.
 *
 * If writing fails although the program may read, data is missing, and an end of file would hide
 * that. So the connection is reset (READER_BROKEN).
 *
 * If the kernel lacks memory for the data, the socket joins `starved` until the timer of
 * descriptors.c lets it try again. Its far end has room all the time, so waiting for an event of it
 * would be a busy loop.
 */

static void set_in_end(struct vsock *vs, enum in_end to)
{
	vs->stream.in_end = lfp_transition(&in_end_states, vs->stream.in_end, to);
}

static void set_in_reader(struct vsock *vs, enum in_reader to)
{
	vs->stream.in_reader = lfp_transition(&in_reader_states, vs->stream.in_reader, to);
}

void deliver_renew(struct vsock *vs)
{
	vs->stream.in_end = IN_OPEN; /* both past their tables */
	vs->stream.in_reader = READER_READS;
}

void deliver_forget_mark(struct vsock *vs)
{
	vs->stream.has_mark = false;
}

static void consumed(struct instance *inst, struct vsock *vs, size_t len)
{
	struct lfp_frame frame = {.code = LFP_WINDOW, .sock = vs->id};

	if (!lfp_window_consume(&vs->recv, (uint32_t)len) || vs->stream.in_end != IN_OPEN)
		return;
	frame.window.consumed = vs->recv.consumed;
	(void)link_send(inst, &frame);
}

/* Handles @n, the result of a write of @len bytes to the far end: a count or a negative errno.
 * Returns the bytes that the far end took, or @len if the program will never read them. */
static size_t taken_of(struct instance *inst, struct vsock *vs, ssize_t n, size_t len)
{
	if (n >= 0)
		return (size_t)n;
	if (n == -EAGAIN || n == -EINTR)
		return 0;
	if (n == -ENOMEM || n == -ENOBUFS) {
		descriptors_say_short(inst, (int)n);
		lfp_list_append(&inst->streams->starved, &vs->stream.starved);
		return 0;
	}
	if (n != -EPIPE && n != -ECONNRESET) {
		/* Such as EPERM of a security module. */
		set_in_reader(vs, READER_BROKEN);
		stream_look_again(inst, vs);
		return len;
	}
	/* The error may come from a close with data unread; the kernel reports it only once
	 * (sock_error()). */
	if (n == -ECONNRESET)
		stream_abort(vs);
	set_in_reader(vs, READER_GONE);
	return len;
}

/* Both return the bytes that the far end took, or all bytes if the program will never read them. */
static size_t write_far(struct instance *inst, struct vsock *vs, const uint8_t *data, size_t len,
			bool urgent)
{
	int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (urgent ? MSG_OOB : 0);
	ssize_t n;

	if (vs->stream.in_reader != READER_READS)
		return len;
	n = send(vs->far, data, len, flags);
	if (n < 0)
		n = -errno;
	peek_note_answer(vs);
	return taken_of(inst, vs, n, len);
}

static size_t write_pipe(struct instance *inst, struct vsock *vs, struct held_pipe *pipe)
{
	size_t len = pipe->held;
	ssize_t n;

	if (vs->stream.in_reader != READER_READS)
		return len;
	/* A supervisor with a copy of the far end can make it blocking, and splice() has no
	 * MSG_DONTWAIT. */
	if (vs->guarding != GUARD_NONE)
		n = pipe_send(pipe, vs->far, false);
	else
		n = pipe_drain(pipe, vs->far, false);
	peek_note_answer(vs);
	return taken_of(inst, vs, n, len);
}

/* Everything is delivered: handles the end that follows the data. */
static void queue_is_empty(struct instance *inst, struct vsock *vs)
{
	stream_want_out(inst, vs, false);
	if (vs->stream.in_reader == READER_BROKEN) {
		stream_look_again(inst, vs);
		return;
	}
	if (vs->state == VSOCK_RESET) {
		end_connection(inst, vs, vs->reset);
		return;
	}
	if (vs->stream.in_end == IN_END_CAME) {
		set_in_end(vs, IN_END_GIVEN);
		shutdown(vs->far, SHUT_WR);
		stopper_drop(vs);
	}
}

/* Cuts *@len, bytes from @position on, to the part that may be written at once. Returns true if
 * that is the urgent byte. */
static bool cut_at_mark(const struct vsock *vs, uint64_t position, size_t *len)
{
	uint64_t before = vs->stream.mark - position;

	if (!vs->stream.has_mark)
		return false;
	if (*len > (before ? before : 1))
		*len = before ? (size_t)before : 1;
	return !before;
}

/* Data is left in the queue. @again: the far end may have room now. */
static void wait_for_room(struct instance *inst, struct vsock *vs, bool again)
{
	if (!lfp_list_empty(&vs->stream.starved))
		return; /* deliver_retry() */
	if (again)
		stream_want_out_again(inst, vs);
	else
		stream_want_out(inst, vs, true);
}

void deliver_retry(struct instance *inst)
{
	struct vsock *vs;

	while ((vs = lfp_list_first_entry(&inst->streams->starved, struct vsock, stream.starved))) {
		lfp_list_del(&vs->stream.starved);
		stream_want_out_again(inst, vs);
	}
}

void deliver_flush(struct instance *inst, struct vsock *vs)
{
	struct chunk *chunk;
	size_t done = 0;

	lfp_list_del(&vs->stream.starved);
	while ((chunk = vsock_first_chunk(vs))) {
		size_t len = chunk->to - chunk->from, n;
		bool urgent = cut_at_mark(vs, vs->recv.consumed + done, &len);

		n = chunk->pipe ? write_pipe(inst, vs, chunk->pipe)
				: write_far(inst, vs, chunk->data + chunk->from, len, urgent);
		if (urgent && n)
			deliver_forget_mark(vs);
		done += n;
		chunk->from += n;
		if (n < len)
			break;
		if (chunk->from < chunk->to)
			continue;
		vsock_chunk_free(chunk);
	}
	if (done)
		consumed(inst, vs, done);
	if (!chunk)
		queue_is_empty(inst, vs);
	else
		/* splice() may stop before the far end is full: then there would be no edge. */
		wait_for_room(inst, vs, chunk->pipe);
}

uint64_t deliver_held(const struct vsock *vs)
{
	const struct chunk *chunk;
	uint64_t bytes = 0;

	if (vs->is_datagram)
		return 0;
	lfp_list_each(chunk, &vs->stream.queue, place)
		bytes += chunk->to - chunk->from;
	return bytes;
}

void deliver_stop(struct instance *inst, struct vsock *vs)
{
	if (vs->stream.in_reader == READER_READS)
		set_in_reader(vs, READER_SHUT);
	if (vs->far >= 0)
		deliver_flush(inst, vs);
}

/* Takes @pipe. */
static int deliver_pipe(struct instance *inst, struct vsock *vs, struct held_pipe *pipe)
{
	size_t len = pipe->held, n = 0;

	if (vs->far >= 0 && lfp_list_empty(&vs->stream.queue)) {
		n = write_pipe(inst, vs, pipe);
		if (vs->stream.in_reader == READER_GONE)
			stream_look_again(inst, vs);
		if (n)
			consumed(inst, vs, n);
	}
	if (n == len) {
		pipe_put(pipe);
		return 0;
	}
	if (vsock_queue_pipe(vs, pipe)) {
		pipe_put(pipe);
		end_bury(inst, vs, ENOBUFS);
		return 0;
	}
	if (vs->far >= 0)
		wait_for_room(inst, vs, false);
	return 0;
}

int deliver_on_data(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		    const char **why)
{
	const struct lfp_bytes *payload = &frame->data.payload;
	bool urgent = frame->flags & LFP_FRAME_URGENT;
	struct held_pipe *pipe;
	size_t n = 0;

	*why = "data for a socket that is not connected";
	if (!vsock_has_stream(vs))
		return -EPROTO;
	*why = "data after the end of the stream";
	if (vs->stream.in_end != IN_OPEN)
		return -EPROTO;
	*why = "urgent data that is not one byte";
	if (urgent && payload->len != 1)
		return -EPROTO;
	*why = "data at the wrong position or beyond the window";
	if (lfp_window_arrive(&vs->recv, frame->data.position, payload->len))
		return -EPROTO;
	pipe = path_take_pipe(inst->link->path);
	if (pipe)
		return deliver_pipe(inst, vs, pipe);
	if (vs->far >= 0 && lfp_list_empty(&vs->stream.queue)) {
		n = write_far(inst, vs, payload->ptr, payload->len, urgent);
		if (vs->stream.in_reader == READER_GONE)
			stream_look_again(inst, vs);
		if (n)
			consumed(inst, vs, n);
	}
	if (n == payload->len)
		return 0;
	if (vsock_queue(vs, payload->ptr + n, payload->len - n)) {
		/* A stream cannot go on with a gap. */
		end_bury(inst, vs, ENOBUFS);
		return 0;
	}
	if (urgent) {
		vs->stream.has_mark = true;
		vs->stream.mark = frame->data.position;
	}
	if (vs->far >= 0)
		wait_for_room(inst, vs, false);
	return 0;
}

int deliver_on_late_data(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
			 const char **why)
{
	*why = "data at the wrong position or beyond the window";
	if (lfp_window_arrive(&vs->recv, frame->data.position, frame->data.payload.len))
		return -EPROTO;
	consumed(inst, vs, frame->data.payload.len);
	return 0;
}

int deliver_on_shutdown(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
			const char **why)
{
	*why = "end of an unknown stream";
	if (!vsock_has_stream(vs))
		return -EPROTO;
	if (frame->shutdown.how == 0)
		return 0; /* lfpd throws away data that the program writes */
	*why = "end of a stream at the wrong position, or a second end";
	if (vs->stream.in_end != IN_OPEN || frame->shutdown.position != vs->recv.received)
		return -EPROTO;
	set_in_end(vs, IN_END_CAME);
	if (vs->far >= 0 && lfp_list_empty(&vs->stream.queue))
		queue_is_empty(inst, vs);
	return 0;
}

int deliver_on_reset(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		     const char **why)
{
	*why = "reset without a reason, or a second one";
	if (!frame->status || vs->state == VSOCK_RESET || vs->state == VSOCK_OVER ||
	    vs->state == VSOCK_OPENING)
		return -EPROTO;
	if (vs->state == VSOCK_SPARE) {
		end_close(inst, vs, true);
		return 0;
	}
	if (vs->state == VSOCK_CONNECTING)
		return connect_on_connected(inst, vs, frame->status, why);
	if (vs->state == VSOCK_ARRIVING && vs->far < 0) {
		end_close(inst, vs, true);
		return 0;
	}
	if (vs->state == VSOCK_ARRIVING || vs->is_datagram || lfp_list_empty(&vs->stream.queue)) {
		/* A connection that waits for its listener is handed over as it is: accept() works,
		 * and the next call gets the error. */
		if (vs->state == VSOCK_ARRIVING)
			vsock_set_error(vs, frame->status);
		else
			end_connection(inst, vs, frame->status);
		return 0;
	}
	vsock_set_error(vs, frame->status);
	stream_rest(vs);
	vsock_set_state(inst->socks, vs, VSOCK_RESET);
	/* The program's writes fail from now on. */
	if (!inst->watch->prime(inst, vs))
		shutdown(vs->far, SHUT_RD);
	return 0;
}
