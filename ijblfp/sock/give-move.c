/* SPDX-License-Identifier: Apache-2.0 */
/* give-move.c - a connected stream socket gets another near end, with all that is in the old one */
#include "ijblfp/sock/stream.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/near/near-names.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/peek.h"
#include "ijblfp/sock/stopper.h"
#include "ijblfp/sock/vsock.h"
#include "ijblfp/sock/watch.h"
#include "transport/passed.h"

/*
 * Theory of operation
 *
 * Data on its way lies in two buffers of the kernel: bytes that the program has not read in the
 * near end, and bytes that the instance has not read in the far end. Each part is read there and
 * written to the other end of the new pair, where it lies as before. So windows and positions on
 * the path do not change, and the taker reads and sends on where the giver has stopped. An urgent
 * byte that was not read becomes an ordinary one.
 */

#define PIECE 65536

/* Moves @most bytes that can be read from @from to @to, or all. Returns 0 or a negative errno. */
static int move(int from, int to, size_t most)
{
	static uint8_t buf[PIECE];

	while (most) {
		size_t want = most < sizeof(buf) ? most : sizeof(buf);
		ssize_t n = passed_receive(from, buf, want), done = 0;

		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		while (done < n) {
			ssize_t m = send(to, buf + done, (size_t)(n - done),
					 MSG_DONTWAIT | MSG_NOSIGNAL);

			if (m < 0 && errno == EINTR)
				continue;
			if (m < 0)
				return -errno;
			done += m;
		}
		most -= (size_t)n;
	}
	return 0;
}

/* Moves the data that the program has written, without a stopper. Returns 0 or a negative errno. */
static int move_written(struct vsock *vs, int new_near)
{
	int rc;

	if (vs->stream.has_stopper) {
		rc = move(vs->far, new_near, stopper_distance(vs));
		if (rc)
			return rc;
		stopper_take(vs);
	}
	return move(vs->far, new_near, SIZE_MAX);
}

static void set_buffer(int fd, uint32_t bytes)
{
	const int size = (int)bytes;

	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

/* Returns true if the program has ended its direction. */
static bool has_ended(int far)
{
	struct pollfd pollfd = {.fd = far, .events = POLLRDHUP};

	return poll(&pollfd, 1, 0) > 0 && (pollfd.revents & POLLRDHUP);
}

/* Moves both directions. Returns 0 or a negative errno. */
static int move_both(struct vsock *vs, int near, int new_near, int new_far)
{
	const int on = 1;
	bool ended = has_ended(vs->far);
	int rc;

	/* Nothing more comes in during the move. */
	shutdown(vs->far, SHUT_RD);

	/* Then urgent data has its place in the rest. */
	(void)setsockopt(near, SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on));
	rc = move(near, new_far, SIZE_MAX);
	if (rc)
		return rc;
	/* accept()'s mark is passed over. */
	stream_drop_mark(vs);
	rc = move_written(vs, new_near);
	if (rc)
		return rc;
	if (ended)
		shutdown(new_near, SHUT_WR);
	if (vs->stream.in_reader != READER_READS)
		shutdown(new_near, SHUT_RD);
	if (vs->stream.in_end == IN_END_GIVEN)
		shutdown(new_far, SHUT_WR);
	return 0;
}

int give_move(struct instance *inst, struct vsock *vs, int near, int *old_far)
{
	uint32_t window = inst->near->window;
	struct near_id id;
	int new_near, new_far, rc;

	peek_settle(vs);
	rc = near_create_pair(inst->near, &id, &new_near, &new_far);
	if (rc)
		return descriptors_lack(inst, rc);
	/* The same bytes may take more room in the new buffer. */
	set_buffer(new_near, 2 * window);
	set_buffer(new_far, 2 * window);
	if (vs->stream.tells_unread)
		(void)near_tell_unread(new_near, true);
	rc = move_both(vs, near, new_near, new_far);
	set_buffer(new_near, window);
	set_buffer(new_far, window);
	if (rc) {
		close(new_near);
		close(new_far);
		near_names_forget(&inst->near->names, id.name);
		end_bury(inst, vs, ECONNRESET);
		return -ECONNRESET;
	}
	inst->watch->ends(inst, vs, false);
	stream_unwatch(inst, vs);
	*old_far = vs->far;
	vsock_hold_far(vs, inst->near, new_far);
	vs->copy = new_near;
	vsock_set_near(inst->socks, vs, &id);
	stream_renew_near(vs);
	stream_note_use(vs);
	lfp_list_del(&vs->swept);
	lfp_list_del(&vs->place);
	rc = stream_watch(inst, vs);
	if (rc) {
		close(*old_far);
		end_bury(inst, vs, ECONNRESET);
		return -ECONNRESET;
	}
	stream_go(inst, vs, true);
	return 0;
}
