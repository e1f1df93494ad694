/* SPDX-License-Identifier: Apache-2.0 */
/* test-answers.c - a client of shared memory gets a wrong answer */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/endpoint.h"
#include "transport/greeting.h"
#include "transport/choice.h"
#include "tests/transport/lingering.h"

struct fixture {
	const struct transport *transport;
	uv_loop_t loop;
	char dir[64], path[96];
	int listener;
	int status; /* 1: not yet known */
};

static void on_connected(void *data, int status, struct transport_conn *conn)
{
	assert_null(conn);
	((struct fixture *)data)->status = status;
}

static int begin(struct fixture *f, const struct transport *transport)
{
	struct transport_where where = {.path = f->path, .mtu = 8192};
	int fd;

	*f = (struct fixture){.transport = transport, .status = 1};
	snprintf(f->dir, sizeof(f->dir), "/tmp/test-answers-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/path", f->dir);
	uv_loop_init(&f->loop);
	f->listener = lfp_listen(f->path, SOCK_SEQPACKET, 0600, 1);
	assert_true(f->listener >= 0);
	assert_int_equal(transport->connect(&f->loop, &where, on_connected, f), 0);
	/* The socket does not block, and has a peer. */
	fd = accept(f->listener, NULL, NULL);
	assert_true(fd >= 0);
	return fd;
}

/* The connection has failed with this. */
static void expect(struct fixture *f, int status)
{
	uint64_t until = uv_hrtime() + UINT64_C(40000000000);

	while (f->status == 1 && uv_hrtime() < until)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_int_equal(f->status, status);
	assert_true(uv_hrtime() < until);
}

static void end(struct fixture *f, int fd)
{
	close(fd);
	close(f->listener);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	unlink(f->path);
	rmdir(f->dir);
}

static void test_nonsense(void **state)
{
	struct fixture f;
	int fd = begin(&f, *state);

	assert_int_equal(send(fd, "LF", 2, 0), 2);
	expect(&f, -EPROTONOSUPPORT);
	end(&f, fd);
}

/* A peer that goes before it has read the greeting does not count as one of another transport. */
static void test_gone(void **state)
{
	struct fixture f;
	int fd = begin(&f, *state);

	close(fd);
	expect(&f, -ECONNRESET);
	end(&f, -1);
}

/* Closing unwanted descriptors takes no time. */
static void test_lingering(void **state)
{
	int keep[2], fds[GREETING_FDS] = {lingering_make(keep), eventfd(0, 0), eventfd(0, 0)};
	struct fixture f;
	int fd = begin(&f, *state);

	assert_int_equal(greeting_send(fd, "nonsense", 8, fds), 0);
	for (int i = 0; i < GREETING_FDS; i++)
		close(fds[i]);
	expect(&f, -EPROTONOSUPPORT);
	close(keep[0]);
	close(keep[1]);
	end(&f, fd);
}

#define TEST(name, transport) cmocka_unit_test_prestate(name, (void *)(uintptr_t) & (transport))

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nonsense, transport_shm),  TEST(test_nonsense, transport_hipersockets),
		TEST(test_gone, transport_shm),      TEST(test_gone, transport_hipersockets),
		TEST(test_lingering, transport_shm), TEST(test_lingering, transport_hipersockets),
	};

	return cmocka_run_group_tests_name("answers to a connecting side", tests, NULL, NULL);
}
