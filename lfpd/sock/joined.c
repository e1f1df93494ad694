/* SPDX-License-Identifier: Apache-2.0 */
/* joined.c - the data of connections between two sockets of this lfpd */
#include "lfpd/sock/joined.h"

#include <errno.h>
#include <string.h>

#include "lfpd/sock/metered.h"
#include "transport/pipes.h"

#define VECTORS 16

/* Returns true if data may come to this end, now or when it has room. */
static bool takes(const struct socket *sock)
{
	return sock->state == SOCKET_ESTABLISHED && !session_rests(sock->session) &&
	       !sock->stream.broken && !from_host_ended(sock->from_host) &&
	       !from_host_is_shut(sock->from_host);
}

bool joined_holds(const struct socket *sock)
{
	const struct joined *joined = &sock->stream.joined;

	return joined->other && !joined->stalled && !sock->stream.has_urgent &&
	       sock->state == SOCKET_ESTABLISHED && takes(joined->other);
}

bool joined_rests(const struct socket *sock)
{
	return joined_holds(sock) && !lfp_list_empty(&sock->stream.joined.held);
}

bool joined_waits(const struct socket *sock)
{
	const struct socket *other = sock->stream.joined.other;

	return other && other->stream.queue.len && !other->stream.gated &&
	       !other->stream.joined.in_tcp && joined_holds(other);
}

static void forget_held(struct socket *sock)
{
	lfp_list_del(&sock->stream.joined.held);
}

/* Sends to TCP what was held for too long. */
static void on_timer(uv_timer_t *timer)
{
	struct instance *inst = timer->data;
	struct lfp_list looked_at;
	struct socket *sock;

	lfp_list_init(&looked_at);
	while ((sock = lfp_list_first_entry(&inst->held, struct socket, stream.joined.held))) {
		struct joined *joined = &sock->stream.joined;

		forget_held(sock);
		if (!sock->stream.queue.len || !joined_holds(sock))
			continue;
		if (uv_now(inst->loop) - joined->since < JOINED_PATIENCE_MS) {
			lfp_list_append(&looked_at, &joined->held);
			continue;
		}
		joined->stalled = true;
		/* This may lose sockets, which then leave either list. */
		inst->sock_ops->go_on(sock, false);
	}
	while ((sock = lfp_list_first_entry(&looked_at, struct socket, stream.joined.held))) {
		forget_held(sock);
		lfp_list_append(&inst->held, &sock->stream.joined.held);
	}
	if (lfp_list_empty(&inst->held))
		uv_timer_stop(timer);
}

/*
 * The other end has no room for what is queued. A program that writes more than the windows before
 * its peer reads must not wait for ever: TCP would take the bytes. So they are held for a moment
 * only, unless the other end goes on meanwhile.
 */
static void hold(struct socket *sock)
{
	struct instance *inst = sock->instance;
	struct joined *joined = &sock->stream.joined;

	if (!lfp_list_empty(&joined->held))
		return;
	joined->since = uv_now(inst->loop);
	lfp_list_append(&inst->held, &joined->held);
	if (!uv_is_active((uv_handle_t *)&inst->held_timer))
		uv_timer_start(&inst->held_timer, on_timer, JOINED_PATIENCE_MS, JOINED_PATIENCE_MS);
}

void joined_push(struct socket *sock)
{
	struct socket *other = sock->stream.joined.other;

	if (other->from_host == FROM_READS && joined_waits(other))
		sock->instance->sock_ops->go_on(other, true);
	/* The other end may be lost by now. */
	if (sock->stream.queue.len && joined_holds(sock) && !metered_waits(sock, METER_OUT))
		hold(sock);
}

/* Copies queued bytes from buffers; returns their number. */
static size_t copy_bytes(const struct byte_queue *queue, uint8_t *to, size_t want)
{
	struct iovec vector[VECTORS];
	size_t done = 0, len, nr = queue_vector(queue, vector, VECTORS, &len);

	for (size_t i = 0; i < nr && done < want; i++) {
		size_t part = vector[i].iov_len;

		if (part > want - done)
			part = want - done;
		memcpy(to + done, vector[i].iov_base, part);
		done += part;
	}
	return done;
}

static struct moved copy(struct socket *sock, const struct byte_queue *queue, size_t most)
{
	struct path *path = sock->session->path;
	struct held_pipe *pipe = queue_pipe(queue);
	size_t want = queue->len < most ? queue->len : most;
	uint8_t *at;
	ssize_t n;

	want = path_data_reserve(path, want, &at);
	if (!want)
		return (struct moved){.no_room = true};
	n = pipe ? pipe_take(pipe, at, want) : (ssize_t)copy_bytes(queue, at, want);
	path_data_commit(path, lfp_sock_join(sock->node.key, sock->epoch), sock->out.sent,
			 n > 0 ? (size_t)n : 0, 0);
	/* A pipe that lacks bytes which it had may say EAGAIN. */
	return (struct moved){.n = n > 0 ? n : -EIO};
}

struct moved joined_move(struct socket *sock, size_t most)
{
	struct socket *other = sock->stream.joined.other;
	struct byte_queue *queue = &other->stream.queue;
	struct held_pipe *pipe = queue_pipe(queue);
	size_t may = metered_may(other, METER_OUT), held = pipe ? pipe->held : 0, n = 0;

	if (!may)
		return (struct moved){.n = -EAGAIN};
	if (most > may)
		most = may;
	/* A part that is worth no pipe is copied. */
	if (pipe && (held <= most || most >= PIPE_WORTH))
		n = path_data_pass(sock->session->path, pipe, most,
				   lfp_sock_join(sock->node.key, sock->epoch), sock->out.sent);
	if (!n)
		return copy(sock, queue, most);
	if (n == held)
		queue_shift_pipe(queue, held);
	return (struct moved){.n = (ssize_t)n, .shifted = n == held};
}

void joined_came(struct socket *sock, size_t n, bool directly)
{
	struct socket *other = sock->stream.joined.other;
	struct joined *joined;

	if (!other)
		return;
	joined = &other->stream.joined;
	joined->stalled = false;
	joined->since = uv_now(sock->instance->loop);
	if (!directly) {
		joined->in_tcp -= n;
		return;
	}
	joined->out += n;
	sock->stream.joined.in += n;
	sock->instance->counters.bytes_joined += n;
}

static void leave(struct socket *sock)
{
	sock->stream.joined.other = NULL;
	sock->stream.joined.stalled = false;
	forget_held(sock);
}

void joined_renew(struct socket *sock)
{
	struct joined *joined = &sock->stream.joined;

	joined_part(sock);
	joined->in_tcp = joined->out = joined->in = 0;
	joined->was = false;
}

void joined_part(struct socket *sock)
{
	struct socket *other;

	if (sock->is_datagram)
		return;
	if (sock->stream.joined.listed)
		lfp_table_remove(&sock->instance->unjoined, &sock->stream.joined.by_names);
	sock->stream.joined.listed = false;
	other = sock->stream.joined.other;
	if (!other)
		return;
	leave(sock);
	leave(other);
	/* Queued data waits for TCP from now on. */
	if (sock->stream.queue.len)
		socket_arm(sock);
	if (other->stream.queue.len)
		socket_arm(other);
}
