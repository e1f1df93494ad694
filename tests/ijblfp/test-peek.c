/* SPDX-License-Identifier: Apache-2.0 */
/* test-peek.c - in a conversation what was read is left in the far end for a while */
#include "host.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/near/near.h"
#include "ijblfp/sock/deliver.h"
#include "ijblfp/sock/vsock.h"
#include "transport/pipes.h"

#define MESSAGE 100
#define AGREED  6      /* messages until the instance leaves something */
#define BUFFER  262144 /* of the near end, so the rest of a window always fits */
#define ROUNDS  40

static unsigned int peeks; /* reads that have left something */

ssize_t __real_recv(int fd, void *data, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *data, size_t len, int flags);

ssize_t __wrap_recv(int fd, void *data, size_t len, int flags)
{
	ssize_t n = __real_recv(fd, data, len, flags);

	peeks += (flags & MSG_PEEK) && n > 0;
	return n;
}

struct talk {
	struct host *host;
	struct vsock *vs;
	uint64_t id, sent, got;
	int fd;
};

/* Returns the bytes of the kernel's memory that hold what the near end has sent. */
static int held_back(const struct talk *t)
{
	int bytes = 0;

	assert_int_equal(ioctl(t->fd, SIOCOUTQ, &bytes), 0);
	return bytes;
}

static void ask(struct talk *t, size_t len)
{
	static char block[8192];
	struct got got;

	memset(block, 'a' + (char)(t->sent % 26), sizeof(block));
	assert_int_equal(write(t->fd, block, len), len);
	for (size_t done = 0; done < len; done += got.count) {
		got = host_expect(t->host, LFP_DATA);
		assert_int_equal(got.first, 'a' + (char)(t->sent % 26));
	}
	t->sent += len;
	host_send(t->host, (struct lfp_frame){
				   .code = LFP_WINDOW, .sock = t->id, .window.consumed = t->sent});
}

static void answer(struct talk *t)
{
	char byte;

	host_data(t->host, t->id, t->got++, "y");
	host_until(t->host, recv(t->fd, &byte, 1, MSG_DONTWAIT) == 1);
	assert_int_equal(byte, 'y');
}

/* Returns a connection on which requests and answers have taken turns. */
static struct talk talk_with(struct host *host)
{
	struct talk t = {.host = host};

	if (!host->inst->near->takes_no_rights) {
		print_message("skipped: the kernel has no SO_PASSRIGHTS\n");
		skip();
	}
	host->inst->near->window = BUFFER;
	t.fd = connected_socket(host, &t.id);
	t.vs = vsock_find(host->inst->socks, t.id);
	for (int i = 0; i < AGREED; i++) {
		ask(&t, MESSAGE);
		answer(&t);
	}
	peeks = 0;
	return t;
}

/* Returns a connection that the instance takes for a conversation. */
static struct talk begin(struct host *host)
{
	struct talk t = talk_with(host);

	ask(&t, MESSAGE);
	assert_int_equal(peeks, 1);
	return t;
}

/* The bytes are few, and each comes once. */
static void conversation(void **state)
{
	struct talk t = begin(*state);

	for (int i = 0; i < ROUNDS; i++) {
		answer(&t);
		assert_int_equal(t.vs->stream.peek.left, 0);
		ask(&t, MESSAGE);
		assert_true(t.vs->stream.peek.left <= MESSAGE);
		assert_int_equal(t.vs->stream.taken, t.sent);
	}
	assert_int_equal(peeks, ROUNDS + 1);
	assert_int_equal(shutdown(t.fd, SHUT_WR), 0);
	assert_int_equal(host_expect(t.host, LFP_SHUTDOWN).how, SHUT_WR);
	assert_int_equal(t.host->bytes, t.sent);
	assert_int_equal(held_back(&t), 0);
	close(t.fd);
}

/* An answer gives the room back: a program with full buffers may wait for just that. */
static void answered_tiny_writes(void **state)
{
	struct talk t = begin(*state);

	answer(&t);
	while (send(t.fd, "t", 1, MSG_DONTWAIT) == 1)
		t.sent++;
	host_until(t.host, t.host->bytes == t.sent);
	assert_int_equal(peeks, 2);
	answer(&t);
	assert_int_equal(t.vs->stream.taken, t.sent);
	assert_int_equal(held_back(&t), 0);
	close(t.fd);
}

/* Nobody answers. */
static void nothing_is_left_for_long(void **state)
{
	struct talk t = begin(*state);

	host_until(t.host, held_back(&t) == 0);
	/* It writes on: perhaps it has waited for room. */
	ask(&t, MESSAGE);
	for (int i = 0; i < 2 * AGREED; i++) {
		answer(&t);
		ask(&t, MESSAGE);
	}
	assert_int_equal(peeks, 1);
	close(t.fd);
}

/* A slow answer is no reason to stop. */
static void late_answer(void **state)
{
	struct talk t = begin(*state);

	host_until(t.host, held_back(&t) == 0);
	answer(&t);
	ask(&t, MESSAGE);
	assert_int_equal(peeks, 2);
	close(t.fd);
}

static void no_conversation(void **state)
{
	struct talk t = begin(*state);

	ask(&t, MESSAGE);
	assert_int_equal(held_back(&t), 0);
	for (int i = 0; i < AGREED; i++)
		ask(&t, MESSAGE);
	assert_int_equal(held_back(&t), 0);
	close(t.fd);
}

static void large_message(void **state)
{
	struct talk t = begin(*state);

	answer(&t);
	ask(&t, 8000);
	assert_int_equal(held_back(&t), 0);
	answer(&t);
	ask(&t, MESSAGE);
	assert_int_equal(held_back(&t), 0);
	close(t.fd);
}

/* Programs of sockets that are ready together are not asleep. */
static void requests_together(void **state)
{
	struct talk one = talk_with(*state), two = talk_with(*state);

	assert_int_equal(write(one.fd, "a", 1), 1);
	assert_int_equal(write(two.fd, "a", 1), 1);
	host_expect(one.host, LFP_DATA);
	host_expect(two.host, LFP_DATA);
	/* The second one is alone by then. */
	assert_true(peeks <= 1);
	assert_int_equal(held_back(&one), 0);
	close(one.fd);
	close(two.fd);
}

static void small_window(void **state)
{
	struct talk t = begin(*state);

	t.host->inst->near->window = 8192;
	for (int i = 0; i < AGREED; i++) {
		answer(&t);
		ask(&t, MESSAGE);
	}
	assert_int_equal(held_back(&t), 0);
	close(t.fd);
}

/* The place of urgent data is behind what was written, not behind what is left. */
static void urgent_data(void **state)
{
	struct talk t = begin(*state);
	struct got got;
	int conn = call_send(t.host, LFP_CTL_URGENT, 0, 0, 0, 0, "!", 1, t.fd);

	assert_int_equal(call_wait(t.host, conn, NULL, NULL), 0);
	assert_int_equal(write(t.fd, "z", 1), 1);
	got = host_expect(t.host, LFP_DATA);
	assert_int_equal(got.flags, LFP_FRAME_URGENT);
	assert_int_equal(got.first, '!');
	got = host_expect(t.host, LFP_DATA);
	assert_int_equal(got.first, 'z');
	close(t.fd);
}

static void program_closes(void **state)
{
	struct talk t = begin(*state);

	close(t.fd);
	assert_int_equal(host_expect(t.host, LFP_CLOSE).how, 0);
	assert_int_equal(t.host->bytes, t.sent);
}

/* The near end has no error that comes from what is left. */
static void peer_resets(void **state)
{
	struct talk t = begin(*state);
	char byte;

	host_send(t.host,
		  (struct lfp_frame){.code = LFP_RESET, .sock = t.id, .status = ECONNRESET});
	host_until(t.host, t.vs->state == VSOCK_OVER);
	assert_int_equal(recv(t.fd, &byte, 1, MSG_DONTWAIT), 0);
	close(t.fd);
}

static void instance_ends(void **state)
{
	begin(*state); /* the fixture ends it */
}

/* A program that sends urgent bytes past the shim harms itself alone. */
static void urgent_past_the_shim(void **state)
{
	struct talk t = begin(*state);

	answer(&t);
	assert_int_equal(write(t.fd, "k", 1), 1);
	assert_int_equal(send(t.fd, "!", 1, MSG_OOB), 1);
	assert_int_equal(write(t.fd, "l", 1), 1);
	host_until(t.host, t.vs->stream.taken >= t.sent + 2);
	close(t.fd);
	host_expect(t.host, LFP_CLOSE);
}

/* Bytes by reference are an answer, too. */
static void answers_by_reference(void **state)
{
	static char block[1000];
	struct talk t = begin(*state);

	for (unsigned int i = 1; i <= AGREED; i++) {
		struct held_pipe *pipe = pipe_get();

		assert_non_null(pipe);
		assert_int_equal(write(pipe->in, block, sizeof(block)), sizeof(block));
		pipe->held = sizeof(block);
		assert_int_equal(lfp_window_arrive(&t.vs->recv, t.got, sizeof(block)), 0);
		t.got += sizeof(block);
		assert_int_equal(vsock_queue_pipe(t.vs, pipe), 0);
		deliver_flush(t.host->inst, t.vs);
		assert_int_equal(t.vs->stream.peek.left, 0);
		assert_int_equal(held_back(&t), 0);
		assert_int_equal(recv(t.fd, block, sizeof(block), MSG_WAITALL), sizeof(block));
		ask(&t, MESSAGE);
		assert_int_equal(peeks, i + 1);
	}
	close(t.fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(conversation),
		TEST(answered_tiny_writes),
		TEST(nothing_is_left_for_long),
		TEST(late_answer),
		TEST(no_conversation),
		TEST(large_message),
		TEST(small_window),
		TEST(requests_together),
		TEST(urgent_data),
		TEST(program_closes),
		TEST(peer_resets),
		TEST(instance_ends),
		TEST(urgent_past_the_shim),
		TEST(answers_by_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
