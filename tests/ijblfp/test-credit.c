/* SPDX-License-Identifier: Apache-2.0 */
/* test-credit.c - near ends that programs make themselves, and the sockets that wait for them */
#include "host.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ijblfp/ctl/credit.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/datagram.h"
#include "tests/qemu-user.h"

#define SPARES 3u

static int marked(int family, int type, const char *nn)
{
	uint64_t mark = lfp_fresh_mark(nn, AF_INET);
	int fd = socket(family, type, 0);

	assert_true(fd >= 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &mark, sizeof(mark)), 0);
	return fd;
}

static int fresh(void)
{
	return marked(AF_UNIX, SOCK_STREAM, "07");
}

static bool has_name(int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	return !getsockname(fd, (struct sockaddr *)&addr, &len) && lfp_near_path(&addr, len);
}

/* Asks for credit, for a process that has made a call. */
static struct lfp_credit *earn(struct host *host)
{
	struct lfp_credit *page;
	int fd, conn;

	host->inst->config.st.near_credit = SPARES;
	conn = call_send(host, LFP_CTL_CREDIT, 0, AF_INET, 0, 0, "", 0, -1);
	assert_int_equal(call_wait(host, conn, NULL, &fd), 0);
	page = mmap(NULL, LFP_CREDIT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(ftruncate(fd, 0), -1);
	close(fd);
	return page;
}

/* The same, and lfpd makes the sockets. */
static struct lfp_credit *earn_all(struct host *host, struct got got[SPARES])
{
	struct lfp_credit *page = earn(host);

	for (unsigned int i = 0; i < SPARES; i++)
		got[i] = host_expect(host, LFP_SOCKET);
	assert_int_equal(page->left, 0);
	for (unsigned int i = 0; i < SPARES; i++)
		host_answer(host, got[i], 0);
	host_until(host, page->left == SPARES);
	return page;
}

static unsigned int spares(const struct host *host)
{
	return host->inst->socks->by_state[VSOCK_SPARE];
}

static int bind_send(struct host *host, int fd)
{
	struct lfp_addr addr = some_addr(0);

	return call_send(host, LFP_CTL_BIND, 0, 0, 0, 0, &addr, sizeof(addr), fd);
}

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
	host_until(host, page->left == SPARES);
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

		for (size_t j = 0; j < sizeof(ops) / sizeof(ops[0]); j++) {
			int conn = call_send(host, ops[j], 0, 0, 0, 0, &addr, sizeof(addr), fd);

			assert_int_equal(call_wait(host, conn, NULL, NULL), EBADF);
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

/* Its mark stays; but what has a name is no fresh socket. */
static void one_that_is_over_gets_no_other(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_reply reply;
	unsigned int before;
	int fd = fresh(), conn;

	conn = call_send(host, LFP_CTL_TASK, 0, LFP_CTL_TASK_BEGIN, 0, 0, "", 0, -1);
	assert_int_equal(call_wait(host, conn, &reply, NULL), 0);
	memcpy(&host_as, reply.data, sizeof(host_as));
	conn = bind_send(host, fd);
	host_answer(host, host_expect(host, LFP_SOCKET), 0);
	host_answer(host, host_expect(host, LFP_BIND), 0);
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

static void spare_sockets_make_room(void **state)
{
	struct host *host = *state;
	struct got got[SPARES], refused;
	struct lfp_credit *page = earn_all(host, got);
	int conn, fd;

	/* One is promised to a fresh socket, which the program has not used yet. */
	page->left--;
	page->live++;
	conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, -1);
	refused = host_expect(host, LFP_SOCKET);
	host_answer(host, refused, ENFILE);
	for (unsigned int i = 0; i < SPARES - 1; i++)
		assert_int_equal(host_expect(host, LFP_CLOSE).sock, got[i].sock);
	host_answer(host, host_expect(host, LFP_SOCKET), 0);
	assert_int_equal(call_wait(host, conn, NULL, &fd), 0);
	assert_int_equal(page->left, 0);
	assert_int_equal(spares(host), 1);
	close(fd);
}

static void a_wrong_page_deceives_its_program_alone(void **state)
{
	static const uint32_t wrong[] = {UINT32_MAX, SPARES + 1, 0x80000000};
	struct host *host = *state;
	struct got got[SPARES];
	struct lfp_credit *page = earn_all(host, got);
	int conn, fd = -1;

	page->live = UINT32_MAX;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		page->left = wrong[i];
		conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, -1);
		host_answer(host, host_expect(host, LFP_SOCKET), ENFILE);
		/* Three spare sockets were closed. */
		if (i == 0)
			host_answer(host, host_expect(host, LFP_SOCKET), 0);
		assert_int_equal(call_wait(host, conn, NULL, i ? NULL : &fd), i ? ENFILE : 0);
		assert_int_equal(page->left, 0);
		assert_int_equal(spares(host), 0);
	}
	close(fd);
}

static void lost_credit_comes_back(void **state)
{
	struct host *host = *state;
	struct got got[SPARES];
	struct lfp_credit *page = earn_all(host, got);
	uint64_t id;

	page->left = 0;
	page->live = 1;
	close(new_socket(host, &id));
	assert_int_equal(page->left, SPARES - 1);
}

static void credit_ends_with_its_process(void **state)
{
	struct host *host = *state;
	pid_t child = fork();

	host->inst->config.st.near_credit = SPARES;
	if (!child) {
		(void)call_send(host, LFP_CTL_CREDIT, 0, AF_INET, 0, 0, "", 0, -1);
		pause();
		_exit(0);
	}
	assert_true(child > 0);
	for (unsigned int i = 0; i < SPARES; i++)
		host_answer(host, host_expect(host, LFP_SOCKET), 0);
	host_until(host, spares(host) == SPARES);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	for (unsigned int i = 0; i < SPARES; i++)
		host_expect(host, LFP_CLOSE);
	host_until(host, host->inst->socks->by_id.count == 0);
}

static void unused_spare_sockets_are_closed(void **state)
{
	struct host *host = *state;
	struct got got[SPARES];
	struct lfp_credit *page = earn_all(host, got);

	page->left--; /* promised */
	for (unsigned int i = 0; i < SPARES - 1; i++)
		assert_int_equal(host_expect(host, LFP_CLOSE).sock, got[i].sock);
	assert_int_equal(page->left, 0);
	assert_int_equal(spares(host), 1);
}

/* The program has closed the fresh sockets without a call. */
static void promises_end_after_some_time(void **state)
{
	struct host *host = *state;
	struct got got[SPARES];
	struct lfp_credit *page = earn_all(host, got);
	int fd, conn;

	page->left = 0;
	for (unsigned int i = 0; i < SPARES; i++)
		assert_int_equal(host_expect(host, LFP_CLOSE).sock, got[i].sock);
	assert_int_equal(page->left, 0);
	/* One that was only late gets another socket. */
	fd = fresh();
	conn = bind_send(host, fd);
	host_answer(host, host_expect(host, LFP_SOCKET), 0);
	host_answer(host, host_expect(host, LFP_BIND), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	close(fd);
}

static void a_refused_spare_socket_is_no_credit(void **state)
{
	struct host *host = *state;
	struct lfp_credit *page = earn(host);

	for (unsigned int i = 0; i < SPARES; i++)
		host_answer(host, host_expect(host, LFP_SOCKET), EBUSY);
	host_until(host, host->inst->socks->by_id.count == 0);
	assert_int_equal(page->left, 0);
}

static void a_lost_path_takes_credit_back(void **state)
{
	struct host *host = *state;
	struct got got[SPARES];
	struct lfp_credit *page = earn_all(host, got);

	host_deafen(host);
	path_close(host->path, "the test");
	host->path = NULL;
	host_until(host, page->left == 0);
	assert_int_equal(host->inst->socks->by_id.count, 0);
}

static void another_page_replaces_the_first(void **state)
{
	struct host *host = *state;
	struct got got[SPARES];
	struct lfp_credit *first = earn_all(host, got), *second = earn(host);

	assert_int_equal(first->left, 0);
	assert_int_equal(second->left, SPARES);
}

static void without_the_statement_there_is_none(void **state)
{
	struct host *host = *state;

	assert_int_equal(call(host, LFP_CTL_CREDIT, AF_INET, 0, -1), EOPNOTSUPP);
	host->inst->config.st.near_credit = SPARES;
	assert_int_equal(call(host, LFP_CTL_CREDIT, AF_UNIX, 0, -1), EAFNOSUPPORT);
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
		TEST(spare_sockets_make_room),
		TEST(a_wrong_page_deceives_its_program_alone),
		TEST(lost_credit_comes_back),
		TEST(credit_ends_with_its_process),
		TEST(unused_spare_sockets_are_closed),
		TEST(promises_end_after_some_time),
		TEST(a_refused_spare_socket_is_no_credit),
		TEST(a_lost_path_takes_credit_back),
		TEST(another_page_replaces_the_first),
		TEST(without_the_statement_there_is_none),
	};

	QEMU_USER_CANNOT("SO_MAX_PACING_RATE and SO_INCOMING_CPU");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
