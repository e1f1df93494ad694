/* SPDX-License-Identifier: Apache-2.0 */
/* test-not-joined.c - connections between two sockets of one instance that are not joined, or no
 * longer */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfpd/sock/joined.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/datagrams.h"
#include "tests/lfpd/joining.h"
#include "tests/qemu-user.h"

static struct lfp_addr listens_at;
static uint64_t server; /* id of the accepted socket */

static void listen_and_connect(unsigned int family, const char *ip)
{
	one_path_start();
	listens_at = joining_connect(family, ip);
}

/* A byte reaches the server by TCP. All are closed. */
static void goes_by_tcp(void)
{
	vse_data(&vse, CLIENT, 0, "x", 1);
	joining_expect(server, 0, "x", 1);
	assert_int_equal(host.inst.counters.joins, 0);
	assert_int_equal(host.inst.counters.bytes_joined, 0);
	joining_close(server, 0, 1);
}

/* The same for what joining_fill() has left in lfpd. */
static void held_goes_by_tcp(void)
{
	joining_drain(server);
	assert_int_equal(host.inst.counters.bytes_joined, VSE_WINDOW);
	joining_close(server, 0, VSE_WINDOW + 100);
}

static void options_that_need_tcp(void **state)
{
	(void)state;
	server = joining_start();
	joining_fill(server);
	set_option(CLIENT, IPPROTO_TCP, TCP_NODELAY, 1);
	assert_non_null(get_socket(CLIENT)->stream.joined.other);
	set_option(server, SOL_SOCKET, SO_MAX_PACING_RATE, 1 << 30);
	assert_null(get_socket(CLIENT)->stream.joined.other);
	held_goes_by_tcp();
}

/* Accepted sockets have the options of their listener. */
static void listener_that_needs_tcp(void **state)
{
	(void)state;
	listen_and_connect(LFP_AF_INET, "127.0.0.1");
	set_option(LISTENER, SOL_SOCKET, SO_MAX_PACING_RATE, 1 << 30);
	server = joining_accept();
	goes_by_tcp();
}

/* The kernel may bind an accepted socket to an interface, where other names count. */
static void bound_to_an_interface(void **state)
{
	(void)state;
	listen_and_connect(LFP_AF_INET, "127.0.0.1");
	if (setsockopt(get_socket(LISTENER)->fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3))
		fail_msg("SO_BINDTODEVICE: %s", strerror(errno));
	assert_int_equal(vse_socket(&vse, CLIENT + 1, LFP_AF_INET), 0);
	assert_int_equal(vse_connect_to(&vse, CLIENT + 1, &listens_at), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	server = joining_accept();
	server = joining_accept();
	assert_int_equal(host.inst.counters.joins, 1);
	assert_null(get_socket(server)->stream.joined.other);
	vse_close(&vse);
}

/* A socket at the address @from, or anywhere, that is connected to the listener. */
static int native_client(const struct sockaddr_in *from)
{
	const int on = 1;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_port = htons((uint16_t)listens_at.port);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
	if (from)
		assert_int_equal(bind(fd, (const struct sockaddr *)from, sizeof(*from)), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

/* The client is reset, and another one has its port before lfpd has seen so: names alone prove
 * nothing. */
static void same_names_again(void **state)
{
	const struct linger at_once = {.l_onoff = 1};
	const int on = 1;
	struct lfp_frame frame = {.code = LFP_ACCEPT, .sock = LISTENER, .accept.count = 2};
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	struct socket *listener;
	int fd, first, second;

	(void)state;
	listen_and_connect(LFP_AF_INET, "127.0.0.1");
	listener = get_socket(LISTENER);
	fd = accept(listener->fd, NULL, NULL);
	assert_true(fd >= 0);
	assert_int_equal(getpeername(fd, (struct sockaddr *)&from, &len), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	assert_int_equal(
		setsockopt(get_socket(CLIENT)->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
	vse_send(&vse, &frame);
	while (listener->listener.credits != 2)
		host_turn(&host);
	/* The listener's event is the first. */
	first = native_client(NULL);
	close(fd);
	second = native_client(&from);
	vse_expect(&vse, LFP_ACCEPTED);
	server = vse_expect(&vse, LFP_ACCEPTED).accepted.id;
	assert_int_equal(joining_expect_frame(LFP_RESET).sock, CLIENT);
	assert_int_equal(host.inst.counters.joins, 0);
	assert_int_equal(write(second, "native", 6), 6);
	joining_expect(server, 0, "native", 6);
	close(first);
	close(second);
	vse_close(&vse);
}

static void key_forbids(void **state)
{
	(void)state;
	host.config.joined_sockets = false;
	listen_and_connect(LFP_AF_INET, "127.0.0.1");
	server = joining_accept();
	assert_int_equal(host.inst.unjoined.count, 0);
	goes_by_tcp();
}

/* A reload parts the ends that are joined: held data goes by TCP. */
static void key_becomes_no(void **state)
{
	(void)state;
	server = joining_start();
	joining_fill(server);
	host.inst.config.joined_sockets = true;
	joined_reload(&host.inst);
	assert_non_null(get_socket(CLIENT)->stream.joined.other);
	host.inst.config.joined_sockets = false;
	joined_reload(&host.inst);
	assert_null(get_socket(CLIENT)->stream.joined.other);
	assert_null(get_socket(server)->stream.joined.other);
	held_goes_by_tcp();
}

/* A reload also forgets the end that waits for its other one. */
static void key_becomes_no_before_accept(void **state)
{
	(void)state;
	listen_and_connect(LFP_AF_INET, "127.0.0.1");
	assert_int_equal(host.inst.unjoined.count, 1);
	host.inst.config.joined_sockets = false;
	joined_reload(&host.inst);
	assert_int_equal(host.inst.unjoined.count, 0);
	host.inst.config.joined_sockets = true;
	server = joining_accept();
	goes_by_tcp();
}

static void others_do_not_join(void **state)
{
	int fd;

	(void)state;
	one_path_start();
	fd = connect_socket(1);
	vse_data(&vse, 1, 0, "x", 1);
	assert_int_equal(host.inst.counters.joins, 0);
	assert_int_equal(host.inst.unjoined.count, 0);
	close(fd);
	vse_close(&vse);
}

#define TEST(function)                                                                             \
	cmocka_unit_test_setup_teardown(function, one_path_set_up, one_path_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(options_that_need_tcp),
		TEST(listener_that_needs_tcp),
		TEST(bound_to_an_interface),
		TEST(same_names_again),
		TEST(key_forbids),
		TEST(key_becomes_no),
		TEST(key_becomes_no_before_accept),
		TEST(others_do_not_join),
	};

	QEMU_USER_CANNOT("SO_MAX_PACING_RATE");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
