/* SPDX-License-Identifier: Apache-2.0 */
/* test-suspend-upstream.c - the next instance has sockets that go through upstreams */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "lfp/datagram.h"
#include "lfpd/policy/rules.h"
#include "lfpd/policy/upstream.h"
#include "lfpd/sock/datagram-kept.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/suspension.h"
#include "tests/qemu-user.h"

/* A connection through an upstream keeps the peer that the program has asked for. */
static void test_upstream(void **state)
{
	uint64_t session = start();
	struct lfp_frame frame = {.code = LFP_GETPEERNAME, .sock = 1};
	struct upstream *upstream = upstream_named("corp");
	struct lfp_addr asked = vse_addr("203.0.113.5", 443);
	struct lfp_table_link *link;
	int fd = connect_socket(1);

	(void)state;
	link = lfp_table_find(&host.inst.session->sockets, 1);
	assert_non_null(link);
	socket_of(link)->stream.peer_len = lfp_addr_to(&asked, &socket_of(link)->stream.peer);
	socket_set_upstream(socket_of(link), upstream);
	upstream_drop(upstream);
	suspend();
	settle();
	assert_int_equal(take_over(), 0);
	hello(session);
	assert_int_equal(resume(1, 0, 0), 0);
	resumed();
	frame = vse_ask(&vse, frame);
	assert_int_equal(frame.status, 0);
	assert_int_equal(frame.name.addr.port, 443);
	assert_memory_equal(frame.name.addr.ip, asked.ip, 4);
	link = lfp_table_find(&host.inst.session->sockets, 1);
	assert_string_equal(socket_of(link)->stream.upstream->name, "corp");
	close(fd);
	vse_close(&vse);
}

/* A CONNECT that crosses SUSPEND begins a talk with a proxy. The next lfpd cannot go on with it,
 * and must not take it for a connection to the peer. */
static void test_upstream_crosses(void **state)
{
	static const char text[] = "upstream p http://127.0.0.1:%u\ndefault ask-upstream p\n";
	struct sockaddr_in addr = {.sin_family = AF_INET};
	struct lfp_frame frame = {.code = LFP_CONNECT, .sock = 1};
	int at = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(addr);
	struct lfp_reader_error err;
	struct lfp_table_link *link;
	uint64_t session = start();
	char rules[128];

	(void)state;
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(at, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(at, 8), 0);
	assert_int_equal(getsockname(at, (struct sockaddr *)&addr, &len), 0);
	snprintf(rules, sizeof(rules), text, ntohs(addr.sin_port));
	assert_int_equal(rules_parse(&host.inst.rules, "rules", rules, strlen(rules), &err), 0);
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	suspend();
	frame.connect.peer = vse_addr("203.0.113.5", 443);
	assert_int_equal(vse_ask(&vse, frame).status, EINPROGRESS);
	QEMU_USER_LACKS("SO_COOKIE and F_GET_SEALS");
	send_plain(LFP_SUSPENDED);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, ECONNRESET);
	vse_expect(&vse, LFP_SUSPENDED);
	rules_free(host.inst.rules);
	host.inst.rules = NULL;
	send_plain(LFP_BYE);
	vse_expect_end(&vse);
	assert_int_equal(take_over(), 0);
	hello(session);
	assert_int_equal(resume(1, 0, 0), 0);
	resumed();
	link = lfp_table_find(&host.inst.session->sockets, 1);
	assert_non_null(link);
	assert_int_equal(socket_of(link)->state, SOCKET_NEW);
	assert_null(socket_of(link)->stream.upstream);
	close(at);
	vse_close(&vse);
}

/* The same for a socket of datagrams that is connected. Its association ends, and the next
 * datagram, which waited here, begins another one: the rules have no such upstream any more. */
static void test_upstream_datagrams(void **state)
{
	static const char text[] = "upstream p socks5://127.0.0.1:1\ndefault ask-upstream p\n";
	struct lfp_frame frame = {.code = LFP_SOCKET, .sock = 1};
	struct lfp_addr asked = vse_addr("203.0.113.5", 443);
	struct sockaddr_in before = {0}, after = {0};
	socklen_t len = sizeof(before);
	struct lfp_reader_error err;
	struct lfp_table_link *link;
	uint64_t session = start();

	(void)state;
	assert_int_equal(rules_parse(&host.inst.rules, "rules", text, strlen(text), &err), 0);
	frame.socket.family = LFP_AF_INET;
	frame.socket.kind = 2;
	frame.task = 1;
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_CONNECT, .sock = 1, .connect.peer = asked};
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	suspend();
	frame = (struct lfp_frame){.code = LFP_DATAGRAM, .sock = 1, .datagram = {.total = 2}};
	frame.datagram.payload = (struct lfp_bytes){(const uint8_t *)"hi", 2};
	vse_send(&vse, &frame);
	QEMU_USER_LACKS("SO_COOKIE and F_GET_SEALS");
	send_plain(LFP_SUSPENDED);
	vse_expect(&vse, LFP_SUSPENDED);
	link = lfp_table_find(&host.inst.session->sockets, 1);
	assert_true(socket_of(link)->dgram->held);
	assert_int_equal(getsockname(socket_of(link)->fd, (struct sockaddr *)&before, &len), 0);
	rules_free(host.inst.rules);
	host.inst.rules = NULL;
	send_plain(LFP_BYE);
	vse_expect_end(&vse);
	assert_int_equal(take_over(), 0);
	hello(session);
	assert_int_equal(resume(1, 2 + LFP_DATAGRAM_COST, 0), 0);
	resumed();
	assert_int_equal(vse_expect(&vse, LFP_DATAGRAM_ERROR).datagram_error.error, ENETUNREACH);
	frame = vse_ask(&vse, (struct lfp_frame){.code = LFP_GETPEERNAME, .sock = 1});
	assert_int_equal(frame.status, 0);
	assert_int_equal(frame.name.addr.port, 443);
	assert_memory_equal(frame.name.addr.ip, asked.ip, 4);
	link = lfp_table_find(&host.inst.session->sockets, 1);
	assert_string_equal(socket_of(link)->dgram->behind_upstream->name, "p");
	assert_int_equal(getsockname(socket_of(link)->fd, (struct sockaddr *)&after, &len), 0);
	assert_memory_equal(&after, &before, len);
	vse_close(&vse);
}

static bool no_upstream; /* there is no memory for one */

void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);

void *__wrap_calloc(size_t nr, size_t size)
{
	if (no_upstream && size == sizeof(struct upstream))
		return NULL;
	return __real_calloc(nr, size);
}

/* Without memory for its upstream a socket of datagrams is lost: its datagrams would go to the
 * proxy as they are. */
static void test_upstream_no_memory(void **state)
{
	static const char text[] = "upstream p socks5://127.0.0.1:1\ndefault ask-upstream p\n";
	struct lfp_frame frame = {.code = LFP_SOCKET, .sock = 1, .task = 1};
	struct lfp_reader_error err;
	uint64_t session = start();

	(void)state;
	assert_int_equal(rules_parse(&host.inst.rules, "rules", text, strlen(text), &err), 0);
	frame.socket.family = LFP_AF_INET;
	frame.socket.kind = 2;
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_CONNECT, .sock = 1};
	frame.connect.peer = vse_addr("203.0.113.5", 443);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	suspend();
	settle();
	rules_free(host.inst.rules);
	host.inst.rules = NULL;
	assert_int_equal(take_over(), 0);
	no_upstream = true;
	hello(session);
	no_upstream = false;
	assert_int_equal(resume(1, 0, 0), EBADF);
	resumed();
	assert_null(lfp_table_find(&host.inst.session->sockets, 1));
	assert_int_equal(host.inst.nr_sockets, 0);
	vse_close(&vse);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, one_path_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(upstream),
		TEST(upstream_crosses),
		TEST(upstream_datagrams),
		TEST(upstream_no_memory),
	};

	return cmocka_run_group_tests_name("suspend-upstream", tests, NULL, NULL);
}
