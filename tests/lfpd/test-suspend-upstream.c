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
#include "tests/lfpd/datagrams.h"
#include "tests/lfpd/suspension.h"
#include "tests/qemu-user.h"

static void use_rules(const char *text)
{
	struct lfp_reader_error err;

	assert_int_equal(rules_parse(&host.inst.rules, "rules", text, strlen(text), &err), 0);
}

/* Leaves the next lfpd without rules. */
static void forget_rules(void)
{
	rules_free(host.inst.rules);
	host.inst.rules = NULL;
}

/* Makes socket 1 one of datagrams, which is connected to @peer through a proxy. */
static void connect_datagrams(const struct lfp_addr *peer)
{
	use_rules("upstream p socks5://127.0.0.1:1\ndefault ask-upstream p\n");
	assert_int_equal(make(1, 2, 0), 0);
	connect_to(1, peer);
}

/* A connection through an upstream keeps the peer that the program has asked for. */
static void test_upstream(void **state)
{
	uint64_t session = start();
	struct lfp_frame frame = {.code = LFP_GETPEERNAME, .sock = 1};
	struct upstream *upstream = upstream_named("corp");
	struct lfp_addr asked = vse_addr("203.0.113.5", 443);
	int fd = connect_socket(1);
	struct socket *sock = get_socket(1);

	(void)state;
	sock->stream.peer_len = lfp_addr_to(&asked, &sock->stream.peer);
	socket_set_upstream(sock, upstream);
	upstream_drop(upstream);
	hand_over(session);
	assert_int_equal(resume(1, 0, 0), 0);
	resumed();
	frame = vse_ask(&vse, frame);
	assert_int_equal(frame.status, 0);
	assert_int_equal(frame.name.addr.port, 443);
	assert_memory_equal(frame.name.addr.ip, asked.ip, 4);
	assert_string_equal(get_socket(1)->stream.upstream->name, "corp");
	close(fd);
	vse_close(&vse);
}

/* A CONNECT that crosses SUSPEND begins a talk with a proxy. The next lfpd cannot go on with it,
 * and must not take it for a connection to the peer. */
static void test_upstream_crosses(void **state)
{
	static const char text[] = "upstream p http://127.0.0.1:%u\ndefault ask-upstream p\n";
	struct lfp_addr asked = vse_addr("203.0.113.5", 443);
	unsigned int port;
	int at = tcp_listen(&port);
	uint64_t session = start();
	char rules[128];

	(void)state;
	snprintf(rules, sizeof(rules), text, port);
	use_rules(rules);
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	suspend();
	assert_int_equal(vse_connect_to(&vse, 1, &asked), EINPROGRESS);
	QEMU_USER_LACKS("SO_COOKIE and F_GET_SEALS");
	send_plain(LFP_SUSPENDED);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, ECONNRESET);
	vse_expect(&vse, LFP_SUSPENDED);
	forget_rules();
	send_plain(LFP_BYE);
	vse_expect_end(&vse);
	assert_int_equal(take_over(), 0);
	hello(session);
	assert_int_equal(resume(1, 0, 0), 0);
	resumed();
	assert_int_equal(get_socket(1)->state, SOCKET_NEW);
	assert_null(get_socket(1)->stream.upstream);
	close(at);
	vse_close(&vse);
}

/* The same for a socket of datagrams that is connected. Its association ends, and the next
 * datagram, which waited here, begins another one: the rules have no such upstream any more. */
static void test_upstream_datagrams(void **state)
{
	struct lfp_addr asked = vse_addr("203.0.113.5", 443);
	struct sockaddr_in before = {0}, after = {0};
	socklen_t len = sizeof(before);
	struct lfp_frame frame;
	uint64_t session = start();

	(void)state;
	connect_datagrams(&asked);
	suspend();
	datagram(1, 0, 2, 0, NULL, "hi", 2);
	QEMU_USER_LACKS("SO_COOKIE and F_GET_SEALS");
	send_plain(LFP_SUSPENDED);
	vse_expect(&vse, LFP_SUSPENDED);
	assert_true(get_socket(1)->dgram->held);
	assert_int_equal(getsockname(get_socket(1)->fd, (struct sockaddr *)&before, &len), 0);
	forget_rules();
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
	assert_string_equal(get_socket(1)->dgram->behind_upstream->name, "p");
	assert_int_equal(getsockname(get_socket(1)->fd, (struct sockaddr *)&after, &len), 0);
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
	struct lfp_addr asked = vse_addr("203.0.113.5", 443);
	uint64_t session = start();

	(void)state;
	connect_datagrams(&asked);
	suspend();
	settle();
	forget_rules();
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
