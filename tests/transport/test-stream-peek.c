/* SPDX-License-Identifier: Apache-2.0 */
/* test-stream-peek.c - small amounts stay in the socket of a stream, and nothing is lost by that */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/frame.h"
#include "transport/stream-socket.h"

#define MTU   4096u
#define SMALL 100u

struct fixture {
	uv_loop_t loop;
	struct streamsock_conn *conn;
	int peer;
	uint32_t said, read; /* packets */
	unsigned int calls, most, writable;
	int end; /* of receive(); 1: not yet */
};

static const struct transport plain = {
	.name = "test",
	.send = streamsock_send,
	.receive = streamsock_receive,
	.release = streamsock_release,
	.watch = streamsock_watch,
	.close = streamsock_close,
};

/* As path_on_readable() does */
static void on_readable(struct transport_conn *conn)
{
	struct fixture *f = conn->data;
	struct iovec packets[16];

	f->calls++;
	for (int left = (int)f->most; left > 0;) {
		int n = streamsock_receive(conn, packets, 4);

		if (n == -EAGAIN)
			break;
		if (n <= 0) {
			f->end = n;
			streamsock_watch(conn, 0);
			return;
		}
		for (int i = 0; i < n; i++) {
			struct lfp_packet header;
			const char *why;
			const uint8_t *bytes = packets[i].iov_base;

			assert_int_equal(
				lfp_packet_decode(bytes, packets[i].iov_len, &header, &why), 0);
			assert_int_equal(header.sequence, ++f->read);
			assert_int_equal(bytes[packets[i].iov_len - 1], f->read % 251);
		}
		left -= n;
		if (conn->drained)
			break;
	}
	streamsock_watch(conn, TRANSPORT_READ);
}

static void on_writable(struct transport_conn *conn)
{
	((struct fixture *)conn->data)->writable++;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	uv_loop_init(&f->loop);
	assert_int_equal(streamsock_create(&f->loop, &plain, ends[0], MTU, true, &f->conn), 0);
	f->conn->base.data = f;
	f->conn->base.on_readable = on_readable;
	f->conn->base.on_writable = on_writable;
	f->peer = ends[1];
	f->most = 64;
	f->end = 1;
	streamsock_watch(&f->conn->base, TRANSPORT_READ);
	uv_run(&f->loop, UV_RUN_NOWAIT);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	streamsock_close(&f->conn->base);
	if (f->peer >= 0)
		close(f->peer);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	free(f);
	return 0;
}

/* Says @nr packets of @len bytes in one piece. */
static void say(struct fixture *f, unsigned int nr, uint32_t len)
{
	uint8_t *buf = malloc((size_t)nr * len);

	assert_non_null(buf);
	for (unsigned int i = 0; i < nr; i++) {
		struct lfp_packet header = {.length = len, .sequence = ++f->said};

		memset(buf + (size_t)i * len, (int)(f->said % 251), len);
		lfp_packet_encode(&header, buf + (size_t)i * len);
	}
	assert_int_equal(send(f->peer, buf, (size_t)nr * len, 0), (size_t)nr * len);
	free(buf);
}

static int unread(const struct fixture *f)
{
	int bytes = -1;

	assert_int_equal(ioctl(f->conn->fd, FIONREAD, &bytes), 0);
	return bytes;
}

static void run(struct fixture *f)
{
	for (int i = 0; i < 50; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
}

static void test_small_stay(void **state)
{
	struct fixture *f = *state;
	bool emptied = false;

	for (unsigned int i = 1; i <= 500; i++) {
		const unsigned int calls = f->calls;

		say(f, 1, SMALL);
		run(f);
		assert_int_equal(f->read, i);
		assert_int_equal(f->calls, calls + 1); /* they do not wake the loop again */
		assert_in_range(unread(f), 0, 4096);
		emptied = emptied || !unread(f);
		assert_true(unread(f) || i > 10);
	}
	assert_true(emptied);
}

/* Any amounts, with pauses of the owner and with fewer packets taken in a turn than there are */
static void test_any_amount(void **state)
{
	struct fixture *f = *state;

	srandom(7);
	for (unsigned int i = 0; i < 3000; i++) {
		const unsigned int nr = random() % 8 ? 1 + (unsigned int)random() % 3 : 55;

		f->most = 1 + (unsigned int)random() % 70;
		if (random() % 10 == 0)
			streamsock_watch(&f->conn->base, 0);
		say(f, nr,
		    LFP_PACKET_HEADER + 1 + (uint32_t)random() % (random() % 2 ? 100 : 3000));
		if (random() % 3)
			uv_run(&f->loop, UV_RUN_NOWAIT);
		streamsock_watch(&f->conn->base, TRANSPORT_READ);
		run(f);
		assert_int_equal(f->read, f->said);
	}
	assert_int_equal(f->end, 1);
}

/* The last packets and the end are there when the loop looks. */
static void test_end_with_last(void **state)
{
	struct fixture *f = *state;

	say(f, 1, SMALL);
	run(f);
	assert_int_equal(unread(f), SMALL);
	say(f, 2, SMALL);
	close(f->peer);
	f->peer = -1;
	run(f);
	assert_int_equal(f->read, 3);
	assert_int_equal(f->end, 0);
}

/* The end comes later, or as a reset because the peer has not read everything. */
static void test_end_later(void **state)
{
	struct fixture *f = *state;

	say(f, 1, SMALL);
	run(f);
	assert_int_equal(send(f->conn->fd, "unread", 6, 0), 6);
	close(f->peer);
	f->peer = -1;
	run(f);
	assert_int_equal(f->read, 1);
	assert_true(f->end <= 0);
}

/* A wait for room would end at once by bytes that stay. */
static void test_wait_for_room(void **state)
{
	struct fixture *f = *state;
	char block[4096] = "";
	unsigned int calls;

	say(f, 3, SMALL);
	run(f);
	assert_int_equal(unread(f), 3 * SMALL);
	while (send(f->conn->fd, block, sizeof(block), 0) > 0)
		;
	streamsock_watch(&f->conn->base, TRANSPORT_READ | TRANSPORT_WRITE);
	calls = f->calls;
	run(f);
	assert_int_equal(f->calls, calls);
	assert_int_equal(f->writable, 0);
	assert_int_equal(unread(f), 0);
	say(f, 1, SMALL);
	uv_run(&f->loop, UV_RUN_NOWAIT);
	assert_int_equal(f->read, 4);
	assert_int_equal(unread(f), 0);
	while (recv(f->peer, block, sizeof(block), 0) > 0)
		;
	streamsock_watch(&f->conn->base, TRANSPORT_READ | TRANSPORT_WRITE);
	run(f);
	assert_true(f->writable > 0);
	assert_int_equal(f->read, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_small_stay, setup, teardown),
		cmocka_unit_test_setup_teardown(test_any_amount, setup, teardown),
		cmocka_unit_test_setup_teardown(test_end_with_last, setup, teardown),
		cmocka_unit_test_setup_teardown(test_end_later, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wait_for_room, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
