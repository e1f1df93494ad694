/* SPDX-License-Identifier: Apache-2.0 */
/* test-near-arrivals.c - the sockets of a maker that this test plays */
#include "ijblfp/near/near-arrivals.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/near/near-network.h"
#include "lfp/rights.h"
#include "tests/transport/descriptors.h"

struct fixture {
	uv_loop_t loop;
	struct near_network network;
	struct instance inst;
	int maker[NEAR_SOCKETS]; /* the maker's ends of the queues */
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int fds[2];

	assert_non_null(f);
	assert_int_equal(uv_loop_init(&f->loop), 0);
	for (int i = 0; i < NEAR_SOCKETS; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
		f->network.stocks[i].from = fds[0];
		f->maker[i] = fds[1];
	}
	f->network.batch = NEAR_BATCH;
	f->inst.loop = &f->loop;
	f->inst.config.network = &f->network;
	near_arrivals_begin(&f->inst);
	assert_int_equal(f->inst.handles, NEAR_SOCKETS);
	*state = f;
	return 0;
}

/* The loop ends, and no handle of the instance is left. */
static int teardown(void **state)
{
	struct fixture *f = *state;

	near_arrivals_end(&f->inst);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(f->inst.handles, 0);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	near_network_finish(&f->network);
	for (int i = 0; i < NEAR_SOCKETS; i++)
		close(f->maker[i]);
	free(f);
	return 0;
}

/* Sends a batch as the maker does, which closes its own copies then. */
static void send_batch(const struct fixture *f, enum near_socket kind, unsigned int nr)
{
	char byte = 'b';
	struct iovec iov = {&byte, 1};
	int fds[NEAR_BATCH] = {0};

	for (unsigned int i = 0; i < nr; i++) {
		fds[i] = socket(AF_UNIX, SOCK_STREAM, 0);
		assert_true(fds[i] >= 0);
	}
	assert_int_equal(lfp_rights_send(f->maker[kind], &iov, 1, fds, nr), 0);
	while (nr)
		close(fds[--nr]);
}

static void say(const struct fixture *f, enum near_socket kind, const char *text, size_t len)
{
	assert_int_equal(send(f->maker[kind], text, len, 0), len);
}

/* Runs the loop until the queue of @kind has been read. */
static void read_all(struct fixture *f, enum near_socket kind)
{
	char byte;

	while (recv(f->network.stocks[kind].from, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_int_equal(errno, EAGAIN);
}

/* A batch leaves its queue when it comes, and is used when the maker has closed its own copies. */
static void a_batch_comes(void **state)
{
	struct fixture *f = *state;
	const struct near_stock *stock = &f->network.stocks[NEAR_SOCKET_STREAM];
	int fds[2];

	send_batch(f, NEAR_SOCKET_STREAM, 3);
	read_all(f, NEAR_SOCKET_STREAM);
	assert_int_equal(stock->nr_held, 3);
	assert_int_equal(stock->nr, 0);
	f->network.late = true; /* no wait below */
	assert_int_equal(near_network_take(&f->network, NEAR_SOCKET_STREAM, fds), -ENOBUFS);
	say(f, NEAR_SOCKET_STREAM, "r", 1);
	read_all(f, NEAR_SOCKET_STREAM);
	assert_int_equal(stock->nr_held, 0);
	assert_int_equal(stock->nr, 3);
	assert_int_equal(near_network_take(&f->network, NEAR_SOCKET_STREAM, fds), 0);
	close(fds[0]);
}

/* A full batch beside the rest of an earlier one. */
static void two_batches(void **state)
{
	struct fixture *f = *state;
	int fds[2];
	unsigned int nr = 0;

	for (int i = 0; i < 2; i++) {
		send_batch(f, NEAR_SOCKET_STREAM, NEAR_BATCH);
		say(f, NEAR_SOCKET_STREAM, "r", 1);
		read_all(f, NEAR_SOCKET_STREAM);
	}
	f->network.late = true;
	while (!near_network_take(&f->network, NEAR_SOCKET_STREAM, fds)) {
		close(fds[0]);
		nr++;
	}
	assert_int_equal(nr, 2 * NEAR_BATCH);
}

/* One half of a pair is of no use. */
static void half_a_pair(void **state)
{
	struct fixture *f = *state;
	unsigned int before = descriptors();

	send_batch(f, NEAR_SOCKET_PAIR, 3);
	say(f, NEAR_SOCKET_PAIR, "r", 1);
	read_all(f, NEAR_SOCKET_PAIR);
	assert_int_equal(f->network.stocks[NEAR_SOCKET_PAIR].nr, 2);
	assert_int_equal(descriptors(), before + 2);
}

/* The maker had no room in its queue for the second message, and makes another batch. */
static void a_batch_without_its_end(void **state)
{
	struct fixture *f = *state;
	unsigned int before = descriptors();

	for (int i = 0; i < 3; i++) {
		send_batch(f, NEAR_SOCKET_STREAM, NEAR_BATCH);
		read_all(f, NEAR_SOCKET_STREAM);
	}
	assert_int_equal(descriptors(), before + NEAR_BATCH);
	say(f, NEAR_SOCKET_STREAM, "r", 1);
	read_all(f, NEAR_SOCKET_STREAM);
	assert_int_equal(f->network.stocks[NEAR_SOCKET_STREAM].nr, NEAR_BATCH);
	assert_int_equal(descriptors(), before + NEAR_BATCH);
}

/* A maker that fails says so again and again. That wakes the loop only until the next request. */
static void a_failure_wakes_once(void **state)
{
	struct fixture *f = *state;
	const struct watch *watch = &f->network.watches[NEAR_SOCKET_STREAM];
	const char failed[2] = {'f', ENOMEM};
	int fds[2];

	say(f, NEAR_SOCKET_STREAM, failed, sizeof(failed));
	read_all(f, NEAR_SOCKET_STREAM);
	assert_int_equal(f->network.error, ENOMEM);
	assert_int_equal(watch->events, 0);
	say(f, NEAR_SOCKET_STREAM, failed, sizeof(failed));
	f->network.late = true;
	assert_int_equal(near_network_take(&f->network, NEAR_SOCKET_STREAM, fds), -ENOBUFS);
	assert_int_not_equal(watch->events, 0);
	send_batch(f, NEAR_SOCKET_STREAM, 2);
	say(f, NEAR_SOCKET_STREAM, "r", 1);
	read_all(f, NEAR_SOCKET_STREAM);
	assert_int_equal(f->network.error, 0);
	assert_int_equal(near_network_take(&f->network, NEAR_SOCKET_STREAM, fds), 0);
	close(fds[0]);
}

/* Only the sockets that are there can be taken; no event of the end comes again. */
static void the_maker_ends(void **state)
{
	struct fixture *f = *state;
	int fds[2];

	send_batch(f, NEAR_SOCKET_STREAM, 1);
	say(f, NEAR_SOCKET_STREAM, "r", 1);
	close(f->maker[NEAR_SOCKET_STREAM]);
	f->maker[NEAR_SOCKET_STREAM] = -1;
	while (!f->network.ended)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_int_equal(f->network.watches[NEAR_SOCKET_STREAM].events, 0);
	assert_int_equal(near_network_take(&f->network, NEAR_SOCKET_STREAM, fds), 0);
	close(fds[0]);
	assert_int_equal(near_network_take(&f->network, NEAR_SOCKET_STREAM, fds), -ENOBUFS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_batch_comes, setup, teardown),
		cmocka_unit_test_setup_teardown(two_batches, setup, teardown),
		cmocka_unit_test_setup_teardown(half_a_pair, setup, teardown),
		cmocka_unit_test_setup_teardown(a_batch_without_its_end, setup, teardown),
		cmocka_unit_test_setup_teardown(a_failure_wakes_once, setup, teardown),
		cmocka_unit_test_setup_teardown(the_maker_ends, setup, teardown),
	};

	alarm(60); /* a loop that waits for ever is a failure */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
