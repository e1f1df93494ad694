/* SPDX-License-Identifier: Apache-2.0 */
/* stopper.c - a byte behind the program's data that lets it see a reset after shutdown(SHUT_WR) */
#include "ijblfp/sock/stopper.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/near/near-stopper.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"

/* Takes accept()'s byte if it is still there: a read of no bytes passes over it. */
static void pass_token(const struct near_maker *maker, struct vsock *vs)
{
	char c;

	if (vs->stream.accept_mark != MARK_LEFT)
		return;
	if (stream_is_at_urgent(vs)) {
		(void)!recv(vs->far, &c, 0, MSG_DONTWAIT);
		if (stream_is_at_urgent(vs))
			return;
		stream_pass_mark(maker, vs);
	} else {
		stream_drop_mark(vs);
	}
}

int stopper_leave(const struct near_maker *maker, struct vsock *vs, int near)
{
	int64_t at;

	if (vs->guarding != GUARD_HAS || !maker->finds_stopper || vs->stream.has_stopper ||
	    vs->stream.in_end == IN_END_GIVEN || vs->stream.in_reader != READER_READS)
		return 0;
	/* Reading leaves no bytes in a guarded far end (peek.h), so all bytes there are unread. */
	pass_token(maker, vs);
	if (vs->stream.accept_mark == MARK_LEFT)
		return 0;
	at = near_stopper_leave(near, vs->far, stream_waiting(vs));
	if (at < 0)
		return at == -EAGAIN ? 0 : (int)at;
	vs->stream.has_stopper = true;
	vs->stream.stopper = vs->stream.taken + (uint64_t)at;
	return 1;
}

size_t stopper_distance(const struct vsock *vs)
{
	return (size_t)(vs->stream.stopper - vs->stream.taken);
}

void stopper_forget(struct vsock *vs)
{
	vs->stream.has_stopper = false;
}

void stopper_take(struct vsock *vs)
{
	char c;

	(void)!recv(vs->far, &c, 1, MSG_DONTWAIT);
	stopper_forget(vs);
}

void stopper_drop(struct vsock *vs)
{
	if (vs->stream.has_stopper && !stopper_distance(vs))
		stopper_take(vs);
}

bool stopper_is_next(struct vsock *vs, size_t *want)
{
	struct pollfd pfd = {.fd = vs->far};
	size_t before;

	if (!vs->stream.has_stopper)
		return false;
	before = stopper_distance(vs);
	if (before) {
		if (*want > before)
			*want = before;
		return false;
	}
	if (vs->stream.in_end == IN_END_GIVEN || vs->stream.in_reader != READER_READS ||
	    stream_waiting(vs)) {
		stopper_take(vs);
		return false;
	}
	/* recv() would report the error, if no event has. */
	if (poll(&pfd, 1, 0) > 0 && (pfd.revents & POLLERR))
		stream_abort(vs);
	return true;
}
