/* SPDX-License-Identifier: Apache-2.0 */
/* test-options.c - an instance with a scripted z/VSE side: listening, options, restrictions, names
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/sockopt.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/one-path.h"

static int connect_native(const struct lfp_addr *addr)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(addr->port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(&in.sin_addr, addr->ip, 4);
	assert_int_equal(connect(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	return fd;
}

static unsigned int port_of(int fd)
{
	struct sockaddr_in in;
	socklen_t len = sizeof(in);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	return ntohs(in.sin_port);
}

static struct lfp_addr listen_at_loopback(uint64_t id)
{
	struct lfp_frame frame = {
		.code = LFP_BIND, .sock = id, .bind.local = vse_addr("127.0.0.1", 0)};

	assert_int_equal(vse_socket(&vse, id, LFP_AF_INET), 0);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_LISTEN, .sock = id, .listen.backlog = 16};
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = id};
	return vse_ask(&vse, frame).name.addr;
}

static void accept_takes_credits(void **state)
{
	struct lfp_frame credit = {.code = LFP_ACCEPT, .sock = 1}, accepted;
	struct lfp_addr addr;
	uint64_t last = 0;
	char buf[8];
	int fds[3], from = -1;

	(void)state;
	one_path_start();
	addr = listen_at_loopback(1);
	for (int i = 0; i < 3; i++)
		fds[i] = connect_native(&addr);
	for (int i = 0; i < 5; i++)
		host_turn(&host);
	assert_int_equal(host.inst.nr_sockets, 1);
	credit.accept.count = 2;
	vse_send(&vse, &credit);
	for (int i = 0; i < 2; i++) {
		accepted = vse_expect(&vse, LFP_ACCEPTED);
		assert_int_equal(accepted.sock, 1);
		assert_true(accepted.accepted.id & LFP_ID_LFPD);
		assert_true(accepted.accepted.id > last);
		assert_int_equal(accepted.accepted.local.port, addr.port);
		last = accepted.accepted.id;
	}
	for (int i = 0; i < 5; i++)
		host_turn(&host);
	assert_int_equal(host.inst.nr_sockets, 3);
	/* Connections made on several processors may come in another order. */
	for (int i = 0; i < 3; i++)
		if (port_of(fds[i]) == accepted.accepted.peer.port)
			from = fds[i];
	vse_data(&vse, last, 0, "hi", 2);
	assert_int_equal(tcp_read(&host, from, buf, sizeof(buf)), 2);
	vse_close(&vse);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

static void accept_waits_for_max_sockets(void **state)
{
	struct lfp_frame credit = {.code = LFP_ACCEPT, .sock = 1, .accept.count = 9};
	struct lfp_addr addr;
	int fds[2];

	(void)state;
	host.config.max_sockets = 2;
	one_path_start();
	addr = listen_at_loopback(1);
	vse_send(&vse, &credit);
	fds[0] = connect_native(&addr);
	fds[1] = connect_native(&addr);
	assert_int_equal(vse_expect(&vse, LFP_ACCEPTED).accepted.id, LFP_ID_LFPD | 1);
	for (int i = 0; i < 5; i++)
		host_turn(&host);
	assert_int_equal(host.inst.nr_sockets, 2);
	assert_int_equal(vse_close_socket(&vse, LFP_ID_LFPD | 1, 0, 0), 0);
	assert_int_equal(vse_expect(&vse, LFP_ACCEPTED).accepted.id, LFP_ID_LFPD | 2);
	vse_close(&vse);
	close(fds[0]);
	close(fds[1]);
}

/* Returns whether the peer gets a reset if lfpd dies. */
static bool dies_with_reset(uint64_t id)
{
	const struct socket *sock = get_socket(id);
	struct linger linger = {0};
	socklen_t len = sizeof(linger);

	assert_non_null(sock);
	assert_int_equal(getsockopt(sock->fd, SOL_SOCKET, SO_LINGER, &linger, &len), 0);
	return linger.l_onoff && !linger.l_linger;
}

/* A connection that lfpd's death cuts off does not look finished to its peer; one that is closed
 * does. */
static void death_resets(void **state)
{
	struct lfp_frame credit = {.code = LFP_ACCEPT, .sock = 1, .accept.count = 1};
	struct lfp_addr addr;
	char buf[8];
	int fd, other;

	(void)state;
	one_path_start();
	addr = listen_at_loopback(1);
	vse_send(&vse, &credit);
	fd = connect_native(&addr);
	assert_int_equal(vse_expect(&vse, LFP_ACCEPTED).accepted.id, LFP_ID_LFPD | 1);
	assert_true(dies_with_reset(LFP_ID_LFPD | 1));
	other = connect_socket(2);
	assert_true(dies_with_reset(2));
	assert_int_equal(vse_close_socket(&vse, LFP_ID_LFPD | 1, 0, 0), 0);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 0);
	assert_int_equal(vse_close_socket(&vse, 2, 0, 0), 0);
	assert_int_equal(tcp_read(&host, other, buf, sizeof(buf)), 0);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	vse_close(&vse);
	close(fd);
	close(other);
}

static int set_option(int level, int name, const void *value, uint32_t len)
{
	struct lfp_frame frame = {.code = LFP_SETSOCKOPT, .sock = 1};

	frame.setsockopt.level = level;
	frame.setsockopt.name = name;
	frame.setsockopt.value.ptr = value;
	frame.setsockopt.value.len = len;
	return vse_ask(&vse, frame).status;
}

static struct lfp_bytes get_option(int level, int name)
{
	struct lfp_frame frame = {.code = LFP_GETSOCKOPT, .sock = 1}, reply;

	frame.getsockopt.level = level;
	frame.getsockopt.name = name;
	frame.getsockopt.length = 64;
	reply = vse_ask(&vse, frame);
	assert_int_equal(reply.status, 0);
	return reply.value.value;
}

static void linger_of_no_time_aborts(void **state)
{
	static const uint8_t linger[] = {0, 0, 0, 1, 0, 0, 0, 0};
	char buf[8];
	int fd;

	(void)state;
	one_path_start();
	fd = connect_socket(1);
	assert_int_equal(set_option(SOL_SOCKET, SO_LINGER, linger, 8), 0);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);
	vse_close(&vse);
}

static void options(void **state)
{
	static const uint8_t linger[] = {0, 0, 0, 1, 0, 0, 0, 9};
	struct lfp_bytes value;

	(void)state;
	one_path_start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	assert_int_equal(set_option(SOL_SOCKET, SO_KEEPALIVE, "\0\0\0\1", 4), 0);
	value = get_option(SOL_SOCKET, SO_KEEPALIVE);
	assert_int_equal(value.len, 4);
	assert_memory_equal(value.ptr, "\0\0\0\1", 4);

	assert_int_equal(set_option(SOL_SOCKET, SO_LINGER, linger, 8), 0);
	value = get_option(SOL_SOCKET, SO_LINGER);
	assert_int_equal(value.len, 8);
	assert_memory_equal(value.ptr, linger, 8);

	assert_int_equal(set_option(SOL_SOCKET, SO_RCVBUF, "\0\0\x20\0", 4), 0);
	value = get_option(SOL_SOCKET, SO_RCVBUF);
	assert_memory_equal(value.ptr, "\0\0\x40\0", 4);

	assert_int_equal(set_option(SOL_SOCKET, SO_ATTACH_FILTER, linger, 8), ENOPROTOOPT);
	assert_int_equal(set_option(SOL_SOCKET, SO_MARK, "\0\0\0\1", 4), EPERM);
	assert_int_equal(set_option(IPPROTO_TCP, 9999, "\0\0\0\1", 4), ENOPROTOOPT);
	vse_close(&vse);
}

static void restricted(void **state)
{
	struct lfp_frame frame = {.code = LFP_LISTEN, .sock = 1};
	struct lfp_addr addr;

	(void)state;
	host.config.restrict_to_hostid = host.config.has_vse_hostid = true;
	host.config.vse_hostid.s_addr = htonl(0x7f000002);
	one_path_start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = 1};
	addr = vse_ask(&vse, frame).name.addr;
	assert_memory_equal(addr.ip, "\x7f\0\0\2", 4);
	assert_int_not_equal(addr.port, 0);

	assert_int_equal(vse_socket(&vse, 2, LFP_AF_INET), 0);
	frame = (struct lfp_frame){
		.code = LFP_BIND, .sock = 2, .bind.local = vse_addr("127.0.0.1", 0)};
	assert_int_equal(vse_ask(&vse, frame).status, EADDRNOTAVAIL);
	addr = vse_addr("127.0.0.1", 1);
	assert_int_equal(vse_connect_to(&vse, 2, &addr), ENETUNREACH);
	assert_int_equal(vse_socket(&vse, 3, LFP_AF_INET6), 0);
	frame = (struct lfp_frame){.code = LFP_BIND, .sock = 3, .bind.local = vse_addr("::", 0)};
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = 3};
	addr = vse_ask(&vse, frame).name.addr;
	assert_memory_equal(addr.ip, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\2", 16);
	frame = (struct lfp_frame){.code = LFP_GETHOSTID};
	assert_int_equal(vse_ask(&vse, frame).gethostid_reply.id, 0x7f000002);
	vse_close(&vse);
}

static void numbers_resolve(void **state)
{
	/* "127.0.0.1" and "80" in EBCDIC */
	static const uint8_t node[] = {0xf1, 0xf2, 0xf7, 0x4b, 0xf0, 0x4b, 0xf0, 0x4b, 0xf1};
	static const uint8_t service[] = {0xf8, 0xf0};
	struct lfp_frame frame = {.code = LFP_GETADDRINFO}, reply;
	struct lfp_addr addr;

	(void)state;
	one_path_start();
	frame.getaddrinfo.kind = SOCK_STREAM;
	frame.getaddrinfo.given = 3;
	frame.getaddrinfo.node = (struct lfp_text){node, sizeof(node)};
	frame.getaddrinfo.service = (struct lfp_text){service, sizeof(service)};
	reply = vse_ask(&vse, frame);
	assert_int_equal(reply.getaddrinfo_reply.error, 0);
	assert_int_equal(reply.getaddrinfo_reply.entries.len, 32);
	assert_int_equal(lfp_addr_get(reply.getaddrinfo_reply.entries.ptr + 4, &addr), 0);
	assert_int_equal(addr.port, 80);
	assert_memory_equal(addr.ip, "\x7f\0\0\1", 4);

	frame = (struct lfp_frame){.code = LFP_GETHOSTBYNAME};
	frame.gethostbyname.family = LFP_AF_INET;
	frame.gethostbyname.name = (struct lfp_text){node, sizeof(node)};
	reply = vse_ask(&vse, frame);
	assert_int_equal(reply.hostent.h_errno_, 0);
	assert_int_equal(reply.hostent.name.len, sizeof(node));
	assert_memory_equal(reply.hostent.name.ptr, node, sizeof(node));
	assert_int_equal(reply.hostent.rest.len, LFP_ADDR_SIZE);

	frame = (struct lfp_frame){.code = LFP_GETNAMEINFO};
	frame.getnameinfo.addr = vse_addr("127.0.0.1", 80);
	frame.getnameinfo.flags = 3; /* NI_NUMERICHOST, NI_NUMERICSERV */
	reply = vse_ask(&vse, frame);
	assert_int_equal(reply.getnameinfo_reply.error, 0);
	assert_memory_equal(reply.getnameinfo_reply.host.ptr, node, sizeof(node));
	assert_memory_equal(reply.getnameinfo_reply.service.ptr, service, sizeof(service));
	vse_close(&vse);
}

/* The path ends while a thread is looking up. */
static void resolver_outlives_the_path(void **state)
{
	static const uint8_t node[] = {0xf1};
	struct lfp_frame frame = {.code = LFP_GETHOSTBYNAME, .request = 99};

	(void)state;
	one_path_start();
	frame.gethostbyname.family = LFP_AF_INET;
	frame.gethostbyname.name = (struct lfp_text){node, sizeof(node)};
	vse_send(&vse, &frame);
	host_turn(&host);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, one_path_set_up, one_path_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(accept_takes_credits),
		TEST(accept_waits_for_max_sockets),
		TEST(death_resets),
		TEST(linger_of_no_time_aborts),
		TEST(options),
		TEST(restricted),
		TEST(numbers_resolve),
		TEST(resolver_outlives_the_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
