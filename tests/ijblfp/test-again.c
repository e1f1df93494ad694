/* SPDX-License-Identifier: Apache-2.0 */
/* test-again.c - refused requests wait for closers, and the loop does not */
#include "bystander.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/ctl/again.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/log.h"
#include "tests/transport/lingering.h"
#include "transport/closers.h"
#include "tests/qemu-user.h"

#define CALLS 40
#define BATCH 30

static long waits;

/* A turn does not sleep for events, so each voluntary switch is a wait within it. */
static void count_waits(bool begins)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
	waits += begins ? -usage.ru_nvcsw : usage.ru_nvcsw;
}

/* While a test has this, closers wait as if they had no processor. */
static pthread_mutex_t processor = PTHREAD_MUTEX_INITIALIZER;
static pthread_t loop_thread;

int __real_close(int fd);
int __wrap_close(int fd);

int __wrap_close(int fd)
{
	int rc;

	if (pthread_equal(pthread_self(), loop_thread))
		return __real_close(fd);
	pthread_mutex_lock(&processor);
	rc = __real_close(fd);
	pthread_mutex_unlock(&processor);
	return rc;
}

static int send_bind(struct host *host, int fd)
{
	const struct lfp_addr addr = some_addr(80);

	return call_send(host, LFP_CTL_BIND, 0, 0, 0, 0, &addr, sizeof(addr), fd);
}

static void refused_loop(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id);

	QEMU_USER_LACKS("threads that wait apart from the emulator's");
	begin_bystander(host);
	host_on_turn = count_waits;
	waits = 0;
	for (int i = 0; i < CALLS; i++) {
		int conn, keep[2];

		/* A closer works for longer than requests wait for it. */
		closers_close(lingering_make(keep), CLOSING_SOCKET, CLOSERS_NOBODY);
		conn = send_bind(host, fd);
		host_answer(host, host_expect(host, LFP_BIND), EADDRINUSE);
		bystander_lives(host);
		assert_int_equal(call_wait(host, conn, NULL, NULL), EADDRINUSE);
		close(keep[0]);
		close(keep[1]);
	}
	host_on_turn = NULL;
	/* Few of them are for locks that another thread had. */
	assert_in_range(waits, 0, CALLS / 4);
	assert_int_equal(host->inst->again->nr_waiting, 0);
	close(fd);
	close(other);
}

static void one_look_a_batch(void **state)
{
	struct host *host = *state;
	int fds[BATCH], conns[BATCH];
	struct got got[BATCH];
	uint64_t id;
	uint32_t looks;

	for (int i = 0; i < BATCH; i++)
		fds[i] = new_socket(host, &id);
	looks = host->inst->link->requests.looks;
	for (int i = 0; i < BATCH; i++)
		conns[i] = send_bind(host, fds[i]);
	for (int i = 0; i < BATCH; i++)
		got[i] = host_expect(host, LFP_BIND);
	for (int i = 0; i < BATCH; i++) {
		host_answer(host, got[i], EADDRINUSE);
		host_turn(host);
	}
	for (int i = 0; i < BATCH; i++)
		assert_int_equal(call_wait(host, conns[i], NULL, NULL), EADDRINUSE);
	assert_int_equal(host->inst->link->requests.looks, looks + 1);
	for (int i = 0; i < BATCH; i++)
		close(fds[i]);
}

/* The next look is not due: the request waits, and others do not. */
static void looks_have_a_share(void **state)
{
	struct host *host = *state;
	uint64_t id, due = uv_hrtime() + UINT64_C(30000000);
	int fd = new_socket(host, &id), conn;

	begin_bystander(host);
	host->inst->again->next_look = due;
	conn = send_bind(host, fd);
	host_answer(host, host_expect(host, LFP_BIND), EADDRINUSE);
	bystander_lives(host);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EADDRINUSE);
	assert_true(uv_hrtime() >= due);
	close(fd);
	close(other);
}

/* Another program closes the socket that held the address. */
static void listen_works_again(void **state)
{
	struct host *host = *state;
	uint64_t id, old;
	int holder = new_socket(host, &old), fd = new_socket(host, &id);
	int conn = call_send(host, LFP_CTL_LISTEN, 0, 2, 0, 0, "", 0, fd);
	struct got got = host_expect(host, LFP_LISTEN);

	close(holder);
	host_answer(host, got, EADDRINUSE);
	assert_true(host_expect(host, LFP_CLOSE).sock == old);
	got = host_expect(host, LFP_LISTEN);
	assert_true(got.sock == id);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	close(fd);
}

/* Begins a bind() that waits for its port, and for a look that does not come. Returns the call. */
static int bind_that_waits(struct host *host, int fd)
{
	int conn;

	host->inst->again->next_look = uv_hrtime() + HOST_PATIENCE;
	conn = send_bind(host, fd);
	host_answer(host, host_expect(host, LFP_BIND), EADDRINUSE);
	host_until(host, host->inst->again->nr_waiting == 1);
	return conn;
}

static void path_ends_meanwhile(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), conn = bind_that_waits(host, fd);

	path_close(host->path, "test");
	host->path = NULL;
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENETDOWN);
	assert_int_equal(host->inst->again->nr_waiting, 0);
	host_until(host, host->path);
	close(fd);
}

/* The program closes the socket, and the instance notices, while its request waits. */
static void socket_ends_meanwhile(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), conn = bind_that_waits(host, fd);

	end_close(host->inst, vsock_find(host->inst->socks, id), false);
	host_expect(host, LFP_CLOSE);
	host->inst->again->next_look = 0;
	uv_timer_set_repeat(&host->inst->again->timer, 1);
	uv_timer_again(&host->inst->again->timer);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EADDRINUSE);
	assert_int_equal(host->seen, host->nr_got);
	close(fd);
}

/* The socket has another near end when LISTEN is sent again: the old one does not listen. */
static void renewed_meanwhile(void **state)
{
	struct host *host = *state;
	const struct lfp_addr peer = some_addr(81);
	uint64_t id, old;
	int holder = new_socket(host, &old), fd = new_socket(host, &id), fresh = -1;
	int listens, connects, ends, conn;
	struct got first, second;

	host->inst->again->next_look = uv_hrtime() + HOST_PATIENCE;
	listens = call_send(host, LFP_CTL_LISTEN, 0, 2, 0, 0, "", 0, fd);
	host_answer(host, host_expect(host, LFP_LISTEN), EADDRINUSE);
	host_until(host, host->inst->again->nr_waiting == 1);
	connects = call_send(host, LFP_CTL_CONNECT, LFP_CTL_BLOCKING, 0, 0, 0, &peer, sizeof(peer),
			     fd);
	first = host_expect(host, LFP_CONNECT);
	ends = call_send(host, LFP_CTL_SHUTDOWN, 0, SHUT_RDWR, 0, 0, "", 0, fd);
	second = host_expect(host, LFP_CONNECT);
	host_answer(host, first, EINPROGRESS);
	host_answer(host, second, 0);
	assert_int_equal(call_wait(host, connects, NULL, NULL), ECONNABORTED);
	assert_int_equal(call_wait(host, ends, NULL, NULL), EBADFD);
	conn = call_send(host, LFP_CTL_RENEW, 0, 0, 0, 0, "", 0, fd);
	assert_int_equal(call_wait(host, conn, NULL, &fresh), 0);
	close(holder);
	assert_true(host_expect(host, LFP_CLOSE).sock == old);
	host->inst->again->next_look = 0;
	uv_timer_set_repeat(&host->inst->again->timer, 1);
	uv_timer_again(&host->inst->again->timer);
	first = host_expect(host, LFP_LISTEN);
	assert_true(first.sock == id);
	host_answer(host, first, 0);
	assert_int_equal(call_wait(host, listens, NULL, NULL), EBADFD);
	assert_int_equal(host_expect(host, LFP_SHUTDOWN).how, SHUT_RDWR);
	close(fd);
	close(fresh);
	assert_true(host_expect(host, LFP_CLOSE).sock == id);
}

/* Runs the loop for longer than requests wait for closers of other users. */
static void outlast_others(struct host *host)
{
	uint64_t end = uv_hrtime() + 3 * CLOSERS_SETTLE_MS * UINT64_C(1000000);

	while (uv_hrtime() < end)
		host_turn(host);
}

/* A closer has the last copy of the near end that holds the address, and lacks the processor. The
 * request waits for it, and the loop does not. */
static void closer_without_processor(void **state)
{
	struct host *host = *state;
	uint64_t id, old, third_id;
	int holder = new_socket(host, &old), fd = new_socket(host, &id);
	int third = new_socket(host, &third_id), conn, others;
	struct got got, third_got;

	begin_bystander(host);
	pthread_mutex_lock(&processor);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, holder), ENOTCONN);
	close(holder);
	conn = send_bind(host, fd);
	host_answer(host, host_expect(host, LFP_BIND), EADDRINUSE);
	/* Another request is answered meanwhile. */
	outlast_others(host);
	others = send_bind(host, third);
	third_got = host_expect(host, LFP_BIND);
	assert_true(third_got.sock == third_id);
	host_answer(host, third_got, 0);
	assert_int_equal(call_wait(host, others, NULL, NULL), 0);
	bystander_lives(host);
	assert_int_equal(poll_now(conn) & POLLIN, 0);
	assert_int_equal(host->inst->again->nr_waiting, 1);
	pthread_mutex_unlock(&processor);
	assert_true(host_expect(host, LFP_CLOSE).sock == old);
	got = host_expect(host, LFP_BIND);
	assert_true(got.sock == id);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	close(fd);
	close(third);
	close(other);
}

/* What the user passes later, and what takes too long, hold up nothing. */
static void own_closes_that_do_not_count(void **state)
{
	struct host *host = *state;
	uint64_t id, old;
	int fd = new_socket(host, &id), holder = new_socket(host, &old), conn, keep[2];
	uint64_t begin, stuck;

	begin_bystander(host);
	/* Later. */
	host->inst->again->next_look = uv_hrtime() + HOST_PATIENCE;
	conn = send_bind(host, fd);
	host_answer(host, host_expect(host, LFP_BIND), EADDRINUSE);
	host_until(host, host->inst->again->nr_waiting == 1);
	pthread_mutex_lock(&processor);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, holder), ENOTCONN);
	host->inst->again->next_look = 0;
	uv_timer_set_repeat(&host->inst->again->timer, 1);
	uv_timer_again(&host->inst->again->timer);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EADDRINUSE);
	pthread_mutex_unlock(&processor);

	/* For ever. */
	closers_close(lingering_make(keep), CLOSING_SOCKET, getuid());
	stuck = closers_serial();
	assert_false(closers_are_done(getuid(), stuck));
	begin = uv_hrtime();
	conn = send_bind(host, fd);
	host_answer(host, host_expect(host, LFP_BIND), EADDRINUSE);
	bystander_lives(host);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EADDRINUSE);
	assert_true(uv_hrtime() - begin > CLOSERS_STUCK_MS * UINT64_C(900000));
	/* From then on it delays no other request. */
	host_until(host, closers_are_done(getuid(), stuck));
	close(keep[0]);
	close(keep[1]);
	close(holder);
	close(fd);
	close(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(refused_loop),
		TEST(one_look_a_batch),
		TEST(looks_have_a_share),
		TEST(listen_works_again),
		TEST(path_ends_meanwhile),
		TEST(socket_ends_meanwhile),
		TEST(renewed_meanwhile),
		TEST(closer_without_processor),
		TEST(own_closes_that_do_not_count),
	};

	loop_thread = pthread_self();
	lfp_log_set_info(false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
