/* SPDX-License-Identifier: Apache-2.0 */
/* test-early.c - options that a program has set at its near end: when lfpd gets them */
#include "host.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/link/request.h"
#include "lfp/early.h"
#include "tests/qemu-user.h"

static unsigned int fails; /* the request for which there is no memory; 0: none */

void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);

void *__wrap_calloc(size_t nr, size_t size)
{
	if (fails && size == sizeof(struct request) && --fails == 0) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_calloc(nr, size);
}

static int place(int option)
{
	return lfp_early_at(option)->place;
}

/* What a program does at its near end. */
static void put(int fd, int name, int value)
{
	assert_int_equal(setsockopt(fd, SOL_SOCKET, name, &value, sizeof(value)), 0);
}

static void put_early(int fd, int option, int value)
{
	put(fd, place(option), value);
	put(fd, LFP_EARLY_MARK, 1);
}

static uint64_t look_wide(int fd, int name)
{
	uint64_t value;
	socklen_t len = sizeof(value);

	assert_int_equal(getsockopt(fd, SOL_SOCKET, name, &value, &len), 0);
	assert_int_equal(len, sizeof(value));
	return value;
}

static void put_control(int fd, int number)
{
	int at = place(LFP_EARLY_CONGESTION);
	uint64_t value = lfp_early_put_control(look_wide(fd, at), number);

	assert_int_equal(setsockopt(fd, SOL_SOCKET, at, &value, sizeof(value)), 0);
	put(fd, LFP_EARLY_MARK, 1);
}

static int look(int fd, int name)
{
	int value = -2;
	socklen_t len = sizeof(value);

	assert_int_equal(getsockopt(fd, SOL_SOCKET, name, &value, &len), 0);
	return value;
}

static int ask_connect(struct host *host, int fd, unsigned int flags)
{
	struct lfp_addr peer = some_addr(80);

	return call_send(host, LFP_CTL_CONNECT, flags, 0, 0, 0, &peer, sizeof(peer), fd);
}

/* The next frame of lfpd sets this option. */
static void expect_option(struct host *host, int option, uint32_t number)
{
	struct got got = host_expect(host, LFP_SETSOCKOPT);

	assert_int_equal(got.level, lfp_early_at(option)->level);
	assert_int_equal(got.name, lfp_early_at(option)->name);
	assert_int_equal(got.number, number);
	host_answer(host, got, 0);
}

/* lfpd gets @code, and no option before. */
static struct got expect_next(struct host *host, uint8_t code)
{
	host_until(host, host->nr_got > host->seen);
	assert_int_equal(host->got[host->seen].code, code);
	return host_expect(host, code);
}

static void end_attempt(struct host *host, uint64_t id, uint16_t status)
{
	host_send(host, (struct lfp_frame){.code = LFP_CONNECTED, .sock = id, .status = status});
}

static void before_connect(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), conn;
	struct got got;

	put_early(fd, LFP_EARLY_NODELAY, 1);
	put_control(fd, lfp_early_find_control("cubic", 5));
	conn = ask_connect(host, fd, 0);
	expect_option(host, LFP_EARLY_NODELAY, 1);
	got = host_expect(host, LFP_SETSOCKOPT);
	assert_int_equal(got.name, TCP_CONGESTION);
	assert_string_equal(got.text, "cubic");
	host_answer(host, got, 0);
	host_answer(host, expect_next(host, LFP_CONNECT), EINPROGRESS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	assert_int_equal(look(fd, LFP_EARLY_MARK), 0);
	end_attempt(host, id, 0);
	host_until(host, poll_now(fd) == POLLOUT);
	close(fd);
}

/* Another thread sets an option while a caller waits for the connection. */
static void while_a_caller_waits(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), conn = ask_connect(host, fd, LFP_CTL_BLOCKING);

	host_answer(host, expect_next(host, LFP_CONNECT), EINPROGRESS);
	host_turn(host);
	put_early(fd, LFP_EARLY_KEEPALIVE, 1);
	end_attempt(host, id, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(write(fd, "x", 1), 1);
	expect_option(host, LFP_EARLY_KEEPALIVE, 1);
	expect_next(host, LFP_DATA);
	close(fd);
}

/* Only what has changed is sent; after a failure the socket is as new but for its options. */
static void changes(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), conn;

	put_early(fd, LFP_EARLY_NODELAY, 1);
	put_early(fd, LFP_EARLY_KEEPALIVE, 0);
	conn = ask_connect(host, fd, LFP_CTL_BLOCKING);
	expect_option(host, LFP_EARLY_NODELAY, 1);
	host_answer(host, expect_next(host, LFP_CONNECT), ECONNREFUSED);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ECONNREFUSED);
	put_early(fd, LFP_EARLY_NODELAY, 1);
	conn = ask_connect(host, fd, LFP_CTL_BLOCKING);
	host_answer(host, expect_next(host, LFP_CONNECT), ECONNREFUSED);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ECONNREFUSED);
	put_early(fd, LFP_EARLY_NODELAY, 0);
	conn = ask_connect(host, fd, 0);
	expect_option(host, LFP_EARLY_NODELAY, 0);
	host_answer(host, expect_next(host, LFP_CONNECT), EINPROGRESS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	close(fd);
}

/* The instance notes what a call sets, before the connection and after. */
static void by_a_call(void **state)
{
	struct host *host = *state;
	const int option = LFP_EARLY_NODELAY, known = LFP_EARLY_KNOWN(option);
	int fd, on = 1, off = 0;
	uint64_t id;

	fd = new_socket(host, &id);
	assert_int_equal(call_wait(host,
				   call_send(host, LFP_CTL_SETSOCKOPT, 0, IPPROTO_TCP, TCP_NODELAY,
					     0, &on, sizeof(on), fd),
				   NULL, NULL),
			 0);
	expect_option(host, option, 1);
	assert_int_equal(look(fd, place(option)), 1);
	assert_true(look(fd, LFP_EARLY_WORD) < 0);
	close(fd);

	fd = connected_socket(host, &id);
	assert_int_equal(call_wait(host,
				   call_send(host, LFP_CTL_SETSOCKOPT, 0, IPPROTO_TCP, TCP_NODELAY,
					     0, &on, sizeof(on), fd),
				   NULL, NULL),
			 0);
	expect_option(host, option, 1);
	assert_int_equal(look(fd, place(option)), 1);
	assert_int_equal(look(fd, LFP_EARLY_WORD), known | LFP_EARLY_VALUE(option, 1));
	assert_int_equal(call_wait(host,
				   call_send(host, LFP_CTL_SETSOCKOPT, 0, IPPROTO_TCP, TCP_NODELAY,
					     0, &off, sizeof(off), fd),
				   NULL, NULL),
			 0);
	expect_option(host, option, 0);
	assert_int_equal(look(fd, place(option)), 0);
	assert_int_equal(look(fd, LFP_EARLY_WORD), known);
	close(fd);
}

/* The near end is shut, so the socket needs another one, which is not connected any more than the
 * first. */
static void set_before_renew(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_reply reply;
	uint64_t id;
	int fd = new_socket(host, &id), conn, other;

	(void)call(host, LFP_CTL_SHUTDOWN, SHUT_WR, 0, fd);
	shutdown(fd, SHUT_WR);
	conn = ask_connect(host, fd, LFP_CTL_BLOCKING);
	host_answer(host, expect_next(host, LFP_CONNECT), ECONNREFUSED);
	assert_int_equal(call_wait(host, conn, &reply, NULL), EBADFD);
	put_early(fd, LFP_EARLY_NODELAY, 1);
	conn = call_send(host, LFP_CTL_RENEW, 0, 0, 0, 0, "", 0, fd);
	assert_int_equal(call_wait(host, conn, NULL, &other), 0);
	expect_option(host, LFP_EARLY_NODELAY, 1);
	assert_int_equal(look(other, place(LFP_EARLY_NODELAY)), 1);
	close(fd);
	close(other);
}

/* The near end for another attempt shows the options that lfpd's socket has. */
static void renewed(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), conn, fresh;

	put_early(fd, LFP_EARLY_NODELAY, 1);
	conn = ask_connect(host, fd, 0);
	expect_option(host, LFP_EARLY_NODELAY, 1);
	host_answer(host, expect_next(host, LFP_CONNECT), EINPROGRESS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	end_attempt(host, id, ECONNREFUSED);
	host_until(host, poll_now(fd) & POLLOUT);
	assert_int_equal(call_wait(host, ask_connect(host, fd, 0), NULL, NULL), EBADFD);
	conn = call_send(host, LFP_CTL_RENEW, 0, 0, 0, 0, "", 0, fd);
	assert_int_equal(call_wait(host, conn, NULL, &fresh), 0);
	assert_int_equal(look(fresh, place(LFP_EARLY_NODELAY)), 1);
	assert_int_equal(look(fresh, place(LFP_EARLY_KEEPALIVE)), 0);
	conn = ask_connect(host, fresh, 0);
	host_answer(host, expect_next(host, LFP_CONNECT), EINPROGRESS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	close(fd);
	close(fresh);
}

static void before_listen(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), conn;

	put_early(fd, LFP_EARLY_KEEPALIVE, 1);
	conn = call_send(host, LFP_CTL_LISTEN, 0, 5, 0, 0, "", 0, fd);
	expect_option(host, LFP_EARLY_KEEPALIVE, 1);
	host_answer(host, expect_next(host, LFP_LISTEN), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	close(fd);
}

/* A program may put anything into its near end: only options that it may set come out. */
static void hostile_places(void **state)
{
	static const int numbers[] = {17, 4711, 254, -1};
	struct host *host = *state;
	uint64_t id;
	int fd, conn, on = 1;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		fd = new_socket(host, &id);
		put_control(fd, numbers[i]);
		put(fd, LFP_EARLY_WORD, numbers[i]);
		conn = ask_connect(host, fd, 0);
		host_answer(host, expect_next(host, LFP_CONNECT), EINPROGRESS);
		assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
		end_attempt(host, id, 0);
		host_until(host, poll_now(fd) == POLLOUT);
		conn = call_send(host, LFP_CTL_SETSOCKOPT, 0, SOL_SOCKET, SO_KEEPALIVE, 0, &on,
				 sizeof(on), fd);
		assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
		expect_option(host, LFP_EARLY_KEEPALIVE, 1);
		assert_true(look(fd, LFP_EARLY_WORD) > 0);
		close(fd);
	}
}

static void expect_control(struct host *host, const char *name)
{
	struct got got = host_expect(host, LFP_SETSOCKOPT);

	assert_int_equal(got.name, TCP_CONGESTION);
	assert_string_equal(got.text, name);
	host_answer(host, got, 0);
}

/* The call that needs the options fails, and the next one sends those that are missing. */
static void no_memory_before_a_call(void **state)
{
	struct host *host = *state;
	uint64_t id;

	for (unsigned int option = 0; option < LFP_EARLY_NR; option++) {
		int fd = new_socket(host, &id), conn;

		put_early(fd, LFP_EARLY_NODELAY, 1);
		put_early(fd, LFP_EARLY_KEEPALIVE, 1);
		put_control(fd, lfp_early_find_control("cubic", 5));
		fails = option + 1;
		assert_int_equal(
			call_wait(host, ask_connect(host, fd, LFP_CTL_BLOCKING), NULL, NULL),
			ENOMEM);
		assert_int_equal(fails, 0);
		conn = ask_connect(host, fd, LFP_CTL_BLOCKING);
		expect_option(host, LFP_EARLY_NODELAY, 1);
		expect_option(host, LFP_EARLY_KEEPALIVE, 1);
		expect_control(host, "cubic");
		host_answer(host, expect_next(host, LFP_CONNECT), 0);
		assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
		assert_int_equal(look(fd, LFP_EARLY_MARK), 0);
		close(fd);
		host_expect(host, LFP_CLOSE);
	}
}

/* Another thread has set an option meanwhile, and the connection cannot have it. */
static void no_memory_when_connected(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), conn = ask_connect(host, fd, LFP_CTL_BLOCKING);

	host_answer(host, expect_next(host, LFP_CONNECT), EINPROGRESS);
	host_turn(host);
	put_early(fd, LFP_EARLY_KEEPALIVE, 1);
	fails = 1;
	end_attempt(host, id, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENOMEM);
	assert_int_equal(fails, 0);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
	close(fd);
}

/* setsockopt() fails: nothing tells that the socket has the value. The next one sends it. */
static void no_memory_for_a_call(void **state)
{
	struct host *host = *state;
	const int option = LFP_EARLY_NODELAY, on = 1;
	uint64_t id;

	for (int connected = 0; connected < 2; connected++) {
		int fd = connected ? connected_socket(host, &id) : new_socket(host, &id), conn;

		fails = 1;
		conn = call_send(host, LFP_CTL_SETSOCKOPT, 0, IPPROTO_TCP, TCP_NODELAY, 0, &on,
				 sizeof(on), fd);
		assert_int_equal(call_wait(host, conn, NULL, NULL), ENOMEM);
		assert_int_equal(look(fd, place(option)), 0);
		assert_true(look(fd, LFP_EARLY_WORD) < 0);
		/* As a program does it whose near end is not connected. */
		if (!connected)
			put_early(fd, option, 1);
		conn = connected ? call_send(host, LFP_CTL_SETSOCKOPT, 0, IPPROTO_TCP, TCP_NODELAY,
					     0, &on, sizeof(on), fd)
				 : ask_connect(host, fd, 0);
		expect_option(host, option, 1);
		if (!connected)
			host_answer(host, expect_next(host, LFP_CONNECT), EINPROGRESS);
		assert_int_equal(call_wait(host, conn, NULL, NULL), connected ? 0 : EINPROGRESS);
		assert_int_equal(look(fd, place(option)), 1);
		close(fd);
		host_expect(host, LFP_CLOSE);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(set_before_renew),
		TEST(before_connect),
		TEST(while_a_caller_waits),
		TEST(changes),
		TEST(by_a_call),
		TEST(renewed),
		TEST(before_listen),
		TEST(hostile_places),
		TEST(no_memory_before_a_call),
		TEST(no_memory_when_connected),
		TEST(no_memory_for_a_call),
	};

	QEMU_USER_CANNOT("SO_MAX_PACING_RATE and SO_INCOMING_CPU");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
