/* SPDX-License-Identifier: Apache-2.0 */
/* test-suspend-sockets.c - the next instance has listeners, orphans, dead sockets and datagrams,
 * too */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/datagram.h"
#include "lfpd/policy/rules.h"
#include "lfpd/policy/subject.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/datagrams.h"
#include "tests/lfpd/suspension.h"

/* Makes socket 1 a listener at 127.0.0.1, which is asked for one connection. Returns its address.
 */
static struct sockaddr_in listen_for_one(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};
	struct lfp_frame frame = {.code = LFP_BIND, .sock = 1};

	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	frame.bind.local = vse_addr("127.0.0.1", 0);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_LISTEN, .sock = 1, .listen.backlog = 8};
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = 1};
	addr.sin_port = htons(vse_ask(&vse, frame).name.addr.port);
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	frame = (struct lfp_frame){.code = LFP_ACCEPT, .sock = 1, .accept.count = 1};
	vse_send(&vse, &frame);
	return addr;
}

/* Returns a client of the host at this address. */
static int connect_client(const struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (const struct sockaddr *)addr, sizeof(*addr)), 0);
	return fd;
}

/* Connections that come meanwhile wait in the backlog, and what was asked for still is. */
static void test_listener(void **state)
{
	uint64_t session = start();
	struct sockaddr_in addr = listen_for_one();
	struct lfp_frame frame = {.code = LFP_ACCEPT, .sock = 1, .accept.count = 1};
	int first, second;

	(void)state;
	suspend();
	first = connect_client(&addr);
	settle();
	second = connect_client(&addr);
	assert_int_equal(take_over(), 0);
	hello(session);
	assert_int_equal(resume(1, 0, 0), 0);
	resumed();
	assert_true(vse_expect(&vse, LFP_ACCEPTED).accepted.id == (LFP_ID_LFPD | 1));
	vse_send(&vse, &frame);
	assert_true(vse_expect(&vse, LFP_ACCEPTED).accepted.id == (LFP_ID_LFPD | 2));
	close(first);
	close(second);
	vse_close(&vse);
}

/* Rules about listening, not about connecting, decide about a connection of a listener. What rules
 * hold back stays held. */
static void test_accepted(void **state)
{
	uint64_t session = start();
	struct sockaddr_in addr = listen_for_one();
	uint64_t id = LFP_ID_LFPD | 1;
	int fd = connect_client(&addr);

	(void)state;
	assert_true(vse_expect(&vse, LFP_ACCEPTED).accepted.id == id);
	get_socket(id)->stream.gated = RULES_BY_HTTP;
	hand_over(session);
	assert_int_equal(resume(1, 0, 0), 0);
	assert_int_equal(resume(id, 0, 0), 0);
	resumed();
	assert_true(get_socket(id)->stream.accepted);
	assert_int_equal(get_socket(id)->stream.gated, RULES_BY_HTTP);
	assert_false(get_socket(1)->stream.accepted);
	close(fd);
	vse_close(&vse);
}

/* A socket keeps the user that has made it, though its task began as another one. */
static void test_maker(void **state)
{
	uint64_t session = start();
	struct subject *who = subject_make(&(struct subject_facts){.uid = 33});

	(void)state;
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	assert_int_not_equal(socket_uid(get_socket(1)), 33);
	socket_set_who(get_socket(1), who);
	subject_drop(who);
	hand_over(session);
	assert_int_equal(resume(1, 0, 0), 0);
	resumed();
	assert_int_equal(socket_uid(get_socket(1)), 33);
	vse_close(&vse);
}

/* A listener that RESUME finds different is lost, and does not spoil what is saved next. */
static void test_listener_differs(void **state)
{
	uint64_t session = start();
	struct lfp_frame frame = {.code = LFP_LISTEN, .sock = 1, .listen.backlog = 8};
	int fd;

	(void)state;
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_ACCEPT, .sock = 1, .accept.count = 1};
	vse_send(&vse, &frame);
	fd = connect_socket(2);
	hand_over(session);
	assert_int_equal(resume(1, 5, 0), ECONNRESET);
	assert_int_equal(resume(2, 0, 0), 0);
	resumed();
	nr_done = 0;
	hand_over(session);
	assert_int_equal(resume(2, 0, 0), 0);
	resumed();
	close(fd);
	vse_close(&vse);
}

/* Socket 1, closed in order by its program, and not yet all sent. Returns its other end. */
static int make_orphan(uint64_t *sent)
{
	static char block[8000];
	int fd = connect_narrow_socket(1);

	*sent = 0;
	for (uint64_t consumed = 0; *sent - consumed + sizeof(block) <= 65536;) {
		struct lfp_frame frame = {.code = LFP_OUTQ, .sock = 1, .request = 99};

		vse_data(&vse, 1, *sent, block, sizeof(block));
		*sent += sizeof(block);
		vse_send(&vse, &frame);
		while (vse_next(&vse, &frame) && frame.code == LFP_WINDOW)
			consumed = frame.window.consumed;
		assert_int_equal(frame.code, LFP_OUTQ_REPLY);
	}
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	return fd;
}

/* It is sent by the next lfpd, session or not. */
static void test_orphan(void **state)
{
	static char got[65536];
	uint64_t sent, read_ = 0;
	ssize_t n;
	int fd;

	(void)state;
	start();
	fd = make_orphan(&sent);
	suspend();
	settle();
	assert_int_equal(take_over(), 0);
	assert_int_equal(host.inst.nr_sockets, 1);
	while ((n = tcp_read(&host, fd, got, sizeof(got))) > 0)
		read_ += (uint64_t)n;
	assert_int_equal(n, 0);
	assert_true(read_ == sent);
	close(fd);
}

/* While the session is being suspended nothing is sent, and that is not counted against it. */
static void test_orphan_rests(void **state)
{
	uint64_t sent, until;
	int fd;

	(void)state;
	host.config.close_timeout = 1;
	start();
	fd = make_orphan(&sent);
	suspend();
	for (until = uv_hrtime() + UINT64_C(2500000000); uv_hrtime() < until;)
		host_turn(&host);
	assert_int_equal(host.inst.nr_sockets, 1);
	settle();
	assert_int_equal(take_over(), 0);
	assert_int_equal(host.inst.nr_sockets, 1);
	close(fd);
}

static int resume_epoch(uint64_t id, uint16_t epoch, uint64_t sent)
{
	struct lfp_frame frame = {
		.code = LFP_RESUME, .sock = id, .epoch = epoch, .resume.sent = sent};

	return vse_ask(&vse, frame).status;
}

static void dissolve(uint64_t id)
{
	struct lfp_frame frame = {.code = LFP_CONNECT, .sock = id};

	assert_int_equal(vse_ask(&vse, frame).status, 0);
}

/* A life goes on as it was: what is late stays late. Another epoch is another connection. */
static void test_epochs(void **state)
{
	uint64_t session = start();
	int fds[2] = {connect_socket(1), connect_socket(2)};
	struct lfp_frame frame = {.code = LFP_GETSOCKNAME, .sock = 1};

	(void)state;
	dissolve(1);
	dissolve(2);
	hand_over(session);
	assert_int_equal(resume_epoch(1, 1, 0), 0);
	assert_int_equal(resume_epoch(2, 2, 0), ECONNRESET);
	resumed();
	vse_data(&vse, 1, 0, "late", 4);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	assert_int_equal(host.inst.counters.disagreements, 0);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	assert_int_equal(vse_close_socket(&vse, 2, 0, 0), 0);
	close(fds[0]);
	close(fds[1]);
	vse_close(&vse);
}

/* A socket on which the sides did not agree waits for CLOSE, also with the next lfpd. */
static void test_dead(void **state)
{
	uint64_t session = start();
	int fd = connect_socket(1);
	struct lfp_frame frame = {.code = LFP_GETSOCKNAME, .sock = 1};

	(void)state;
	vse_data(&vse, 1, 7, "wrong", 5);
	assert_int_equal(vse_expect(&vse, LFP_RESET).status, EPROTO);
	hand_over(session);
	assert_int_equal(resume_epoch(1, 0, 12), ECONNRESET);
	resumed();
	assert_int_equal(vse_ask(&vse, frame).status, EPROTO);
	assert_int_equal(vse_close_socket(&vse, 1, 1, 0), 0);
	close(fd);
	vse_close(&vse);
}

/* What comes while nobody reads is there afterwards, and its sender, too. */
static void test_datagrams(void **state)
{
	uint64_t session = start();
	unsigned int port = make_bound(1), from;
	int fd = udp(&from);
	struct lfp_frame frame;
	char buf[8];

	(void)state;
	suspend();
	udp_send(fd, port, "in", 2);
	settle();
	udp_send(fd, port, "out", 3);
	assert_int_equal(take_over(), 0);
	hello(session);
	assert_int_equal(resume(1, 0, 0), 0);
	resumed();
	frame = vse_expect(&vse, LFP_DATAGRAM);
	assert_int_equal(frame.datagram.total, 2);
	frame = vse_expect(&vse, LFP_DATAGRAM);
	assert_true(frame.datagram.position == 2 + LFP_DATAGRAM_COST);
	assert_memory_equal(frame.datagram.payload.ptr, "out", 3);
	datagram(1, 0, 4, 0, &frame.datagram.addr, "back", 4);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 4);
	close(fd);
	vse_close(&vse);
}

/* The beginning of a datagram before, its end after. */
static void test_datagram_in_the_middle(void **state)
{
	uint64_t session = start();
	unsigned int port;
	int fd = udp(&port);
	struct lfp_addr to = vse_addr("127.0.0.1", port);
	char buf[16];

	(void)state;
	assert_int_equal(make(1, 2, 0), 0);
	datagram(1, 0, 7, 0, &to, "one", 3);
	hand_over(session);
	assert_int_equal(resume(1, 7 + LFP_DATAGRAM_COST, 0), 0);
	resumed();
	datagram(1, 0, 7, 3, &to, "-two", 4);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 7);
	assert_memory_equal(buf, "one-two", 7);
	close(fd);
	vse_close(&vse);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, one_path_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(listener),  TEST(accepted),
		TEST(maker),     TEST(listener_differs),
		TEST(orphan),    TEST(orphan_rests),
		TEST(epochs),    TEST(dead),
		TEST(datagrams), TEST(datagram_in_the_middle),
	};

	return cmocka_run_group_tests_name("suspend-sockets", tests, NULL, NULL);
}
