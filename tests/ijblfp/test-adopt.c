/* SPDX-License-Identifier: Apache-2.0 */
/* test-adopt.c - the first call on a near end that a program has made itself */
#include "crediting.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/sock/vsock.h"
#include "tests/qemu-user.h"

static void the_first_call_takes_a_spare_socket(void **state)
{
	struct host *host = *state;
	struct got got[SPARES], bound;
	struct lfp_credit *page = earn_all(host, got);
	int fd = fresh(), conn;

	assert_int_equal(vsock_active(host->inst->socks), 0);
	conn = bind_send(host, fd);
	bound = host_expect(host, LFP_BIND);
	assert_int_equal(bound.sock, got[0].sock);
	host_answer(host, bound, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_true(has_name(fd));
	/* Another one takes the place of the spare socket. */
	assert_int_equal(spares(host), SPARES - 1);
	page->left--;
	host_answer(host, host_expect(host, LFP_SOCKET), 0);
	host_until(host, left_in(page) == SPARES);
	assert_int_equal(vsock_active(host->inst->socks), 1);
	close(fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, got[0].sock);
}

static void without_a_spare_socket_lfpd_is_asked(void **state)
{
	struct host *host = *state;
	int fd = fresh(), conn = bind_send(host, fd);
	struct got got = host_expect(host, LFP_SOCKET), bound;

	assert_false(has_name(fd));
	host_answer(host, got, 0);
	bound = host_expect(host, LFP_BIND);
	assert_int_equal(bound.sock, got.sock);
	host_answer(host, bound, EACCES);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EACCES);
	assert_true(has_name(fd));
	close(fd);
}

static void its_refusal_is_the_call_s(void **state)
{
	struct host *host = *state;
	int fd = fresh(), conn = bind_send(host, fd);

	host_answer(host, host_expect(host, LFP_SOCKET), EACCES);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EACCES);
	assert_false(has_name(fd));
	assert_int_equal(host->inst->socks->by_id.count, 0);
	/* It may try again. */
	conn = bind_send(host, fd);
	host_answer(host, host_expect(host, LFP_SOCKET), 0);
	host_answer(host, host_expect(host, LFP_BIND), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	close(fd);
}

static void two_first_calls_make_one_socket(void **state)
{
	struct host *host = *state;
	int fd = fresh(), first = bind_send(host, fd), second = bind_send(host, fd);
	struct got got[2] = {host_expect(host, LFP_SOCKET), host_expect(host, LFP_SOCKET)}, bound;

	host_answer(host, got[0], 0);
	host_answer(host, got[1], 0);
	for (int i = 0; i < 2; i++) {
		bound = host_expect(host, LFP_BIND);
		assert_int_equal(bound.sock, got[0].sock);
		host_answer(host, bound, 0);
	}
	assert_int_equal(call_wait(host, first, NULL, NULL), 0);
	assert_int_equal(call_wait(host, second, NULL, NULL), 0);
	assert_int_equal(vsock_active(host->inst->socks), 1);
	close(fd);
}

/* Binds to an abstract name that the kernel chooses. */
static int bound_by_itself(void)
{
	const struct sockaddr addr = {.sa_family = AF_UNIX};
	int fd = fresh();

	assert_int_equal(bind(fd, &addr, sizeof(addr.sa_family)), 0);
	return fd;
}

static int one_that_listens(void)
{
	int fd = bound_by_itself();

	assert_int_equal(listen(fd, 1), 0);
	return fd;
}

static int one_of_a_pair(void)
{
	uint64_t mark = lfp_fresh_mark("07", AF_INET);
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_MAX_PACING_RATE, &mark, sizeof(mark)),
			 0);
	close(ends[1]);
	return ends[0];
}

static int without_a_mark(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

static int of_another_instance(void)
{
	return marked(AF_UNIX, SOCK_STREAM, "08");
}

static int of_another_type(void)
{
	return marked(AF_UNIX, SOCK_SEQPACKET, "07");
}

static int of_datagrams(void)
{
	return marked(AF_UNIX, SOCK_DGRAM, "07");
}

static int of_the_internet(void)
{
	return marked(AF_INET, SOCK_STREAM, "07");
}

static int of_a_pipe(void)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	close(ends[1]);
	return ends[0];
}

static void other_sockets_get_nothing(void **state)
{
	static int (*const make[])(void) = {
		bound_by_itself, one_that_listens,    one_of_a_pair,
		without_a_mark,  of_another_instance, of_another_type,
		of_datagrams,    of_a_pipe,           of_the_internet,
	};
	static const int ops[] = {LFP_CTL_CONNECT, LFP_CTL_LISTEN, LFP_CTL_IDENTIFY,
				  LFP_CTL_GETSOCKNAME, LFP_CTL_GIVE};
	struct lfp_addr addr = some_addr(80);
	struct host *host = *state;
	struct got got[SPARES];

	(void)earn_all(host, got);
	for (size_t i = 0; i < sizeof(make) / sizeof(make[0]); i++) {
		int fd = make[i]();
		/* With a mark and a peer it looks like a connection of an earlier instance. */
		int expected = make[i] == one_of_a_pair ? ENETDOWN : EBADF;

		for (size_t j = 0; j < sizeof(ops) / sizeof(ops[0]); j++) {
			int conn = call_send(host, ops[j], 0, 0, 0, 0, &addr, sizeof(addr), fd);

			assert_int_equal(call_wait(host, conn, NULL, NULL), expected);
		}
		assert_false(has_name(fd));
		close(fd);
	}
	assert_int_equal(spares(host), SPARES);
}

/* Options that the program may set on its near end at any time do no harm before. */
static void odd_options_are_the_program_s_own(void **state)
{
	const int on = 1, small = 1;
	struct lfp_addr peer = some_addr(80);
	struct host *host = *state;
	struct got got[SPARES];
	int fd, conn;

	(void)earn_all(host, got);
	fd = fresh();
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_PEEK_OFF, &on, sizeof(on)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	host_send(host,
		  (struct lfp_frame){.code = LFP_CONNECTED, .sock = got[0].sock, .status = 0});
	host_until(host, poll_now(fd) & POLLOUT);
	close(fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, got[0].sock);
}

static void a_question_makes_it_a_near_end(void **state)
{
	struct host *host = *state;
	struct got got[SPARES];
	int fd;

	(void)earn_all(host, got);
	fd = fresh();
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fd), 0);
	assert_true(has_name(fd));
	close(fd);
}

static uint64_t begin_cics(struct host *host)
{
	struct lfp_ctl_reply reply;
	uint64_t key;
	int conn = call_send(host, LFP_CTL_TASK, 0, LFP_CTL_TASK_BEGIN, 0, 0, "", 0, -1);

	assert_int_equal(call_wait(host, conn, &reply, NULL), 0);
	memcpy(&key, reply.data, sizeof(key));
	return key;
}

/* A mark stays; but what has a name is no fresh socket. */
static void one_that_is_over_gets_no_other(void **state)
{
	struct host *host = *state;
	unsigned int before;
	int fd = fresh(), conn;

	host_as = begin_cics(host);
	conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, fd);
	host_answer(host, host_expect(host, LFP_SOCKET), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(call(host, LFP_CTL_TASK, LFP_CTL_TASK_END, 0, -1), 0);
	host_expect(host, LFP_CLOSE);
	host_as = 0;
	before = host->nr_got;
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fd), EBADF);
	assert_int_equal(call(host, LFP_CTL_LISTEN, 0, 0, fd), EBADF);
	assert_int_equal(host->nr_got, before);
	close(fd);
}

/* A CICS-style task of the process makes the first call. */
static void it_is_the_process_s(void **state)
{
	struct host *host = *state;
	struct got got[SPARES];
	int fds[SPARES + 1], conn;

	(void)earn_all(host, got);
	host->inst->config.st.near_credit = 0;
	host_as = begin_cics(host);
	for (unsigned int i = 0; i < SPARES + 1; i++) {
		fds[i] = fresh();
		conn = bind_send(host, fds[i]);
		/* There is a spare socket for all but the last one. */
		if (i == SPARES)
			host_answer(host, host_expect(host, LFP_SOCKET), 0);
		host_answer(host, host_expect(host, LFP_BIND), 0);
		assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	}
	assert_int_equal(call(host, LFP_CTL_TASK, LFP_CTL_TASK_END, 0, -1), 0);
	host_as = 0;
	for (unsigned int i = 0; i < SPARES + 1; i++) {
		assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fds[i]), 0);
		close(fds[i]);
	}
}

/* HELD needs no task otherwise. */
static void each_call_about_a_socket_adopts(void **state)
{
	static const int ops[] = {LFP_CTL_HELD, LFP_CTL_WHY_EOF, LFP_CTL_WHY_EPIPE};
	struct host *host = *state;
	struct got got[SPARES];

	(void)earn_all(host, got);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		int fd = fresh();

		assert_int_not_equal(call(host, ops[i], 0, 0, fd), EBADF);
		assert_true(has_name(fd));
		close(fd);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_call_takes_a_spare_socket),
		TEST(without_a_spare_socket_lfpd_is_asked),
		TEST(its_refusal_is_the_call_s),
		TEST(two_first_calls_make_one_socket),
		TEST(other_sockets_get_nothing),
		TEST(odd_options_are_the_program_s_own),
		TEST(a_question_makes_it_a_near_end),
		TEST(one_that_is_over_gets_no_other),
		TEST(it_is_the_process_s),
		TEST(each_call_about_a_socket_adopts),
	};

	QEMU_USER_CANNOT("SO_MAX_PACING_RATE and SO_INCOMING_CPU");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
