/* SPDX-License-Identifier: Apache-2.0 */
/* test-bell.c - the eventfd that wakes the other end of shared memory: each ring is heard once */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "transport/meet.h"

#define RINGS 200u

struct fixture {
	uv_loop_t loop;
	uv_poll_t poll;
	struct transport_conn conn;
	int bell;
};

static void on_bell(uv_poll_t *poll, int status, int events)
{
	struct fixture *f = poll->data;

	assert_int_equal(status, 0);
	assert_int_equal(events, UV_READABLE);
	bell_hear(f->bell, poll->loop, &f->conn);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	assert_true(f->bell >= 0);
	assert_int_equal(uv_loop_init(&f->loop), 0);
	assert_int_equal(uv_poll_init(&f->loop, &f->poll, f->bell), 0);
	f->poll.data = f;
	uv_poll_start(&f->poll, UV_READABLE, on_bell);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	uv_close((uv_handle_t *)&f->poll, NULL);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	close(f->bell);
	free(f);
	return 0;
}

static void ring_all(struct fixture *f)
{
	for (unsigned int i = 1; i <= RINGS; i++) {
		bell_ring(f->bell, &f->conn);
		uv_run(&f->loop, UV_RUN_ONCE);
		assert_int_equal(f->conn.counts.wakeups_in, i);
	}
	assert_int_equal(f->conn.counts.wakeups_out, RINGS);
}

/* Each ring wakes, though its count is mostly left; without one nothing does. */
static void test_edges(void **state)
{
	struct fixture *f = *state;
	uint64_t count;

	ring_all(f);
	for (int i = 0; i < 3; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
	assert_int_equal(f->conn.counts.wakeups_in, RINGS);
	assert_int_equal(read(f->bell, &count, sizeof(count)), sizeof(count));
	assert_in_range(count, 2, RINGS - 1);
}

/* If the bell is watched for its level again, it does not keep the loop awake for ever. */
static void test_level(void **state)
{
	struct fixture *f = *state;
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)f->bell};
	uint64_t before;

	ring_all(f);
	assert_int_equal(epoll_ctl(uv_backend_fd(&f->loop), EPOLL_CTL_MOD, f->bell, &event), 0);
	do {
		before = f->conn.counts.wakeups_in;
		uv_run(&f->loop, UV_RUN_NOWAIT);
	} while (f->conn.counts.wakeups_in != before);
	assert_in_range(before, RINGS + 1, RINGS + 70000);
	bell_ring(f->bell, &f->conn);
	uv_run(&f->loop, UV_RUN_NOWAIT);
	uv_run(&f->loop, UV_RUN_NOWAIT);
	assert_int_equal(f->conn.counts.wakeups_in, before + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_edges, setup, teardown),
		cmocka_unit_test_setup_teardown(test_level, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
