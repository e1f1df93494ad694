/* SPDX-License-Identifier: Apache-2.0 */
/* peek.c - reading a far end without waking the program, which waits for an answer */
#include "ijblfp/sock/peek.h"

#include <sys/socket.h>
#include <uv.h>

#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"

/*
 * Theory of operation
 *
 * A program that sleeps in recv() is woken by whatever happens at its near end, also when the far
 * end has taken what the program has sent (net/unix/af_unix.c: unix_write_space() wakes with a key,
 * which unix_stream_data_wait() does not look at). In a conversation the program waits for its
 * answer just then, finds none, and sleeps again: a wake-up and two switches for nothing.
 *
 * So in a conversation, where reads and answers take turns, the instance reads with MSG_PEEK. The
 * bytes are left in the far end until right after the answer, when the program does not wait, or
 * until the next read.
 *
 * What is left takes room in the near end's send buffer: a write of one byte as much as one of some
 * hundred. So each answer gives the room back. A program that needs it before the answer gets it
 * from the timer, and nothing is left there any more.
 *
 * A program with an event loop is woken, too, if its set asks for EPOLLOUT, as that of Go and of
 * tokio does. One that asks for EPOLLIN alone is not; then what is left only costs a call.
 *
 * If several sockets are ready in one turn, their program is probably awake: then nothing is left.
 *
 * Whatever else reads the far end, or closes it, takes the bytes first. FIONREAD counts them.
 */

#define PEEK_TURNS  2u    /* reads in a row that each followed an answer */
#define PEEK_MOST   4096u /* bytes of a read */
#define PEEK_LEAST  2048u /* with less than this nothing is left */
#define PEEK_SHARE  16u   /* of a window: the near end's buffer holds twice that */
#define PEEK_END_MS 20

static size_t most(const struct instance *inst)
{
	size_t share = inst->near->window / PEEK_SHARE;

	return share < PEEK_MOST ? share : PEEK_MOST;
}

size_t peek_room(const struct instance *inst, const struct vsock *vs)
{
	const struct peek *peek = &vs->stream.peek;

	/* Bytes that are left would be read again. */
	if (peek->left || peek->never || !peek->answered || peek->turns < PEEK_TURNS ||
	    most(inst) < PEEK_LEAST)
		return 0;
	if (lfp_list_has(&inst->streams->runnable, 2))
		return 0;
	/* A read of one byte more is no part of a conversation. */
	return most(inst) + 1;
}

static void on_end(uv_timer_t *timer)
{
	struct instance *inst = timer->data;
	struct vsock *vs;

	while ((vs = lfp_list_first_entry(&inst->peeked, struct vsock, stream.peek.place))) {
		vs->stream.peek.expired = true;
		peek_settle(vs);
	}
}

void peek_note_read(struct instance *inst, struct vsock *vs, size_t n, bool peeked)
{
	struct peek *peek = &vs->stream.peek;
	bool small = n <= most(inst);

	/* It has written on without an answer, perhaps as soon as it had room again. */
	if (peek->expired && !peek->answered)
		peek->never = true;
	if (!peek->answered || !small)
		peek->turns = 0;
	else if (peek->turns < PEEK_TURNS)
		peek->turns++;
	peek->answered = peek->expired = false;
	if (!peeked)
		return;
	peek->left = n;
	if (!small) {
		peek_settle(vs);
		return;
	}
	lfp_list_del(&peek->place);
	lfp_list_append(&inst->peeked, &peek->place);
	if (!uv_is_active((uv_handle_t *)&inst->peek_end))
		uv_timer_start(&inst->peek_end, on_end, PEEK_END_MS, 0);
}

void peek_note_answer(struct vsock *vs)
{
	vs->stream.peek.answered = true;
	peek_settle(vs);
}

void peek_settle(struct vsock *vs)
{
	struct peek *peek = &vs->stream.peek;
	char bytes[PEEK_MOST + 1];

	while (peek->left) {
		ssize_t n = recv(vs->far, bytes, peek->left, MSG_DONTWAIT);

		/* Only a program that sends descriptors or urgent bytes by itself gets here. */
		if (n <= 0)
			break;
		peek->left -= (size_t)n;
	}
	peek->left = 0;
	lfp_list_del(&peek->place);
}

void peek_renew(struct vsock *vs)
{
	lfp_list_del(&vs->stream.peek.place);
	vs->stream.peek = (struct peek){0};
	lfp_list_init(&vs->stream.peek.place);
}

void peek_init(struct instance *inst)
{
	lfp_list_init(&inst->peeked);
	uv_timer_init(inst->loop, &inst->peek_end);
	inst->peek_end.data = inst;
	handle_open(inst);
}

void peek_finish(struct instance *inst)
{
	uv_timer_stop(&inst->peek_end);
	handle_close(inst, (uv_handle_t *)&inst->peek_end);
}
