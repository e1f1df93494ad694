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
#include "tests/transport/streaming.h"

#define SMALL 100u

/* As path_on_readable() does */
static void on_readable(struct transport_conn *conn)
{
	struct streaming *f = conn->data;
	struct iovec packets[16];

	f->calls++;
	for (int left = (int)f->most; left > 0;) {
		int n = streamsock_receive(conn, packets, 4);

		if (n == -EAGAIN)
			break;
		if (n <= 0) {
			f->result = n;
			streamsock_watch(conn, 0);
			return;
		}
		for (int i = 0; i < n; i++)
			streaming_expect(&packets[i], ++f->read);
		left -= n;
		if (conn->drained)
			break;
	}
	streamsock_watch(conn, TRANSPORT_READ);
}

static int setup(void **state)
{
	struct streaming *f;

	streaming_set_up(state, true);
	f = *state;
	f->base->on_readable = on_readable;
	f->most = 64;
	streamsock_watch(f->base, TRANSPORT_READ);
	uv_run(&f->loop, UV_RUN_NOWAIT);
	return 0;
}

/* Says @nr packets of @len bytes in one piece. */
static void say(struct streaming *f, unsigned int nr, uint32_t len)
{
	uint8_t *buf = malloc((size_t)nr * len);

	assert_non_null(buf);
	for (unsigned int i = 0; i < nr; i++)
		streaming_packet(f, buf + (size_t)i * len, len);
	assert_int_equal(send(f->peer, buf, (size_t)nr * len, 0), (size_t)nr * len);
	free(buf);
}

static int unread(const struct streaming *f)
{
	int bytes = -1;

	assert_int_equal(ioctl(f->conn->fd, FIONREAD, &bytes), 0);
	return bytes;
}

static void run(struct streaming *f)
{
	for (int i = 0; i < 50; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
}

static void test_small_stay(void **state)
{
	struct streaming *f = *state;
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
	struct streaming *f = *state;

	srandom(7);
	for (unsigned int i = 0; i < 3000; i++) {
		const unsigned int nr = random() % 8 ? 1 + (unsigned int)random() % 3 : 55;

		f->most = 1 + (unsigned int)random() % 70;
		if (random() % 10 == 0)
			streamsock_watch(f->base, 0);
		say(f, nr,
		    LFP_PACKET_HEADER + 1 + (uint32_t)random() % (random() % 2 ? 100 : 3000));
		if (random() % 3)
			uv_run(&f->loop, UV_RUN_NOWAIT);
		streamsock_watch(f->base, TRANSPORT_READ);
		run(f);
		assert_int_equal(f->read, f->said);
	}
	assert_int_equal(f->result, 1);
}

/* The last packets and the end are there when the loop looks. */
static void test_end_with_last(void **state)
{
	struct streaming *f = *state;

	say(f, 1, SMALL);
	run(f);
	assert_int_equal(unread(f), SMALL);
	say(f, 2, SMALL);
	close(f->peer);
	f->peer = -1;
	run(f);
	assert_int_equal(f->read, 3);
	assert_int_equal(f->result, 0);
}

/* The end comes later, or as a reset because the peer has not read everything. */
static void test_end_later(void **state)
{
	struct streaming *f = *state;

	say(f, 1, SMALL);
	run(f);
	assert_int_equal(send(f->conn->fd, "unread", 6, 0), 6);
	close(f->peer);
	f->peer = -1;
	run(f);
	assert_int_equal(f->read, 1);
	assert_true(f->result <= 0);
}

/* A wait for room would end at once by bytes that stay. */
static void test_wait_for_room(void **state)
{
	struct streaming *f = *state;
	char block[4096] = "";
	unsigned int calls;

	say(f, 3, SMALL);
	run(f);
	assert_int_equal(unread(f), 3 * SMALL);
	while (send(f->conn->fd, block, sizeof(block), 0) > 0)
		;
	streamsock_watch(f->base, TRANSPORT_READ | TRANSPORT_WRITE);
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
	streamsock_watch(f->base, TRANSPORT_READ | TRANSPORT_WRITE);
	run(f);
	assert_true(f->writable > 0);
	assert_int_equal(f->read, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_small_stay, setup, streaming_tear_down),
		cmocka_unit_test_setup_teardown(test_any_amount, setup, streaming_tear_down),
		cmocka_unit_test_setup_teardown(test_end_with_last, setup, streaming_tear_down),
		cmocka_unit_test_setup_teardown(test_end_later, setup, streaming_tear_down),
		cmocka_unit_test_setup_teardown(test_wait_for_room, setup, streaming_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
