/* SPDX-License-Identifier: Apache-2.0 */
/* test-metered.c - limits of rules: connections at once, and bytes a second */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "lfpd/names/ruling.h"
#include "lfpd/sock/relimit.h"
#include "lfpd/state/session.h"
#include "tests/failing-memory.h"
#include "tests/lfpd/datagrams.h"
#include "tests/lfpd/metering.h"

static unsigned int port;
static int listener;

static int set_up(void **state)
{
	metering_set_up(state);
	listener = tcp_listen(&port);
	return 0;
}

static int tear_down(void **state)
{
	close(listener);
	return metering_tear_down(state);
}

static int make_socket(uint64_t id, uint32_t task)
{
	struct lfp_frame frame = {.code = LFP_SOCKET, .sock = id, .task = task};

	frame.socket.family = LFP_AF_INET;
	frame.socket.kind = 1;
	return vse_ask(&vse, frame).status;
}

/* Returns the result of connect(), a positive errno or 0. */
static int reach(uint64_t id, unsigned int where)
{
	struct lfp_addr peer = vse_addr("127.0.0.1", where);
	int status = vse_connect_to(&vse, id, &peer);

	return status == EINPROGRESS ? vse_expect(&vse, LFP_CONNECTED).status : status;
}

static void make_and_reach(uint64_t id, int result)
{
	assert_int_equal(make_socket(id, 1), 0);
	assert_int_equal(reach(id, port), result);
}

static void close_socket(uint64_t id)
{
	assert_int_equal(vse_close_socket(&vse, id, 1, 0), 0);
}

/* Returns the connections of the only meter. */
static unsigned int counted(void)
{
	assert_int_equal(host.inst.meters.count, 1);
	return meter_of(lfp_table_next(&host.inst.meters, NULL))->connections;
}

static void connections(void **state)
{
	unsigned int closed;
	int bound = tcp_bind(&closed);

	(void)state;
	start_rules("allow connect localhost limit connections 2\ndefault deny\n");
	make_and_reach(1, 0);
	make_and_reach(2, 0);
	make_and_reach(3, ECONNREFUSED);
	assert_int_equal(host.inst.counters.limits_refused, 1);
	assert_int_equal(host.inst.counters.rules_refused, 1);
	assert_int_equal(host.inst.decision.refused_by, DECISION_LIMIT);
	assert_int_equal(host.inst.decision.line, 1);
	assert_int_equal(counted(), 2);
	close_socket(1);
	assert_int_equal(counted(), 1);
	/* An attempt that fails counts no more. */
	assert_int_equal(reach(3, closed), ECONNREFUSED);
	assert_int_equal(host.inst.counters.limits_refused, 1);
	assert_int_equal(counted(), 1);
	assert_int_equal(reach(3, port), 0);
	assert_int_equal(counted(), 2);
	/* connect() to AF_UNSPEC ends a connection, too. */
	assert_int_equal(vse_connect_to(&vse, 3, &(struct lfp_addr){.family = LFP_AF_UNSPEC}), 0);
	assert_int_equal(counted(), 1);
	close(bound);
	vse_close(&vse);
}

static void of_each_task(void **state)
{
	struct lfp_frame frame = {.code = LFP_TAKEN, .sock = 2, .task = 2};

	(void)state;
	start_rules("allow connect localhost limit connections 1\ndefault deny\n");
	begin_task(2, 0);
	make_and_reach(1, 0);
	assert_int_equal(make_socket(2, 1), 0);
	assert_int_equal(reach(2, port), ECONNREFUSED);
	assert_int_equal(make_socket(3, 2), 0);
	assert_int_equal(reach(3, port), 0);
	/* A socket counts for the task that has taken it. */
	frame.sock = 1;
	vse_send(&vse, &frame);
	assert_int_equal(reach(2, port), 0);
	assert_int_equal(make_socket(4, 2), 0);
	assert_int_equal(reach(4, port), ECONNREFUSED);
	vse_close(&vse);
}

static void of_a_user(void **state)
{
	(void)state;
	start_rules("allow connect localhost limit connections 1 per user\ndefault deny\n");
	begin_task(2, 0);
	make_and_reach(1, 0);
	assert_int_equal(make_socket(2, 2), 0);
	assert_int_equal(reach(2, port), ECONNREFUSED);
	close_socket(1);
	assert_int_equal(reach(2, port), 0);
	vse_close(&vse);
}

static void other_rules(void **state)
{
	(void)state;
	start_rules("allow connect localhost\ndefault deny\n");
	make_and_reach(1, 0);
	make_and_reach(2, 0);
	assert_int_equal(host.inst.meters.count, 0);
	/* Open connections count for the new limit, and stay. */
	change_rules("# a line\nallow connect localhost limit connections 1\ndefault deny\n");
	assert_int_equal(counted(), 2);
	make_and_reach(3, ECONNREFUSED);
	close_socket(1);
	assert_int_equal(reach(3, port), ECONNREFUSED);
	close_socket(2);
	assert_int_equal(reach(3, port), 0);
	change_rules("allow connect localhost limit connections 2\ndefault deny\n");
	make_and_reach(4, 0);
	make_and_reach(5, ECONNREFUSED);
	/* What is forbidden now keeps its limit. */
	change_rules("default deny\n");
	close_socket(3);
	change_rules("allow connect localhost\ndefault deny\n");
	assert_int_equal(reach(5, port), 0);
	/* Without rules there is none. */
	change_rules("allow connect localhost limit connections 1\ndefault deny\n");
	assert_non_null(get_socket(5)->metered);
	assert_true(ruling_use(&host.inst, NULL));
	relimit_all(&host.inst);
	assert_null(get_socket(5)->metered);
	vse_close(&vse);
}

#define BYTES 20000u
#define RATE  40000u

/* The rate slows what a program sends, also when it has closed its socket; nothing gets lost. */
static void rate(void **state)
{
	static char sent[BYTES], got[BYTES];
	uint64_t begin = now_ms();
	size_t n = 0;
	int fd;

	(void)state;
	for (size_t i = 0; i < BYTES; i++)
		sent[i] = (char)(i % 251);
	start_rules("allow connect localhost limit rate 40000\ndefault deny\n");
	make_and_reach(1, 0);
	fd = tcp_accept(&host, listener);
	assert_true(fd >= 0);
	for (size_t at = 0; at < BYTES; at += 4000)
		vse_data(&vse, 1, at, sent + at, 4000);
	vse_send(&vse, &(struct lfp_frame){.code = LFP_CLOSE, .sock = 1, .request = 77});
	while (n < BYTES) {
		ptrdiff_t part = tcp_read(&host, fd, got + n, BYTES - n);

		assert_true(part > 0);
		n += (size_t)part;
	}
	assert_memory_equal(got, sent, BYTES);
	assert_int_equal(tcp_read(&host, fd, got, 1), 0);
	/* A tenth of a second's bytes pass at once. */
	assert_true(now_ms() - begin >= (BYTES - RATE / 10) * 1000 / RATE);
	assert_true(host.inst.counters.rates_held > 0);
	close(fd);
	vse_close(&vse);
}

/* A socket that a rate holds goes on as soon as it has no limit any more. */
static void held_without_limit(void **state)
{
	static char buf[4000];
	size_t n = 0;
	int fd;

	(void)state;
	start_rules("allow connect localhost limit rate 1\ndefault deny\n");
	make_and_reach(1, 0);
	fd = tcp_accept(&host, listener);
	assert_int_equal(write(fd, buf, sizeof(buf)), sizeof(buf));
	wait_held(1, METER_IN);
	change_rules("allow connect localhost\ndefault deny\n");
	assert_true(vse_gets(LFP_DATA, sizeof(buf)));
	change_rules("allow connect localhost limit rate 1\ndefault deny\n");
	vse_data(&vse, 1, 0, buf, sizeof(buf));
	while (!metered_waits(get_socket(1), METER_OUT))
		host_turn(&host);
	change_rules("allow connect localhost\ndefault deny\n");
	while (n < sizeof(buf)) {
		ptrdiff_t part = tcp_read(&host, fd, buf, sizeof(buf));

		assert_true(part > 0);
		n += (size_t)part;
	}
	close(fd);
	vse_close(&vse);
}

/* So does one that another task takes: it has a rate of its own. */
static void held_and_taken(void **state)
{
	struct lfp_frame frame = {.code = LFP_TAKEN, .sock = 1, .task = 2};
	static char buf[400];
	int fd;

	(void)state;
	start_rules("allow connect localhost limit rate 1000\ndefault deny\n");
	begin_task(2, 0);
	make_and_reach(1, 0);
	fd = tcp_accept(&host, listener);
	assert_int_equal(write(fd, buf, sizeof(buf)), sizeof(buf));
	wait_held(1, METER_IN);
	vse_send(&vse, &frame);
	assert_true(vse_gets(LFP_DATA, sizeof(buf)));
	close(fd);
	vse_close(&vse);
}

/* CLOSE_TIMEOUT does not reset a closed connection whose data a rate holds for longer. */
static void held_orphan(void **state)
{
	unsigned int udp_port, from;
	struct lfp_addr to;
	char buf[1000] = "";
	int fd, udp_fd = udp(&udp_port);

	(void)state;
	host.config.close_timeout = 1;
	start_rules("allow connect localhost limit rate 400\ndefault deny\n");
	to = vse_addr("127.0.0.1", udp_port);
	assert_int_equal(make(1, 2, 0), 0);
	send_datagram(1, &to, sizeof(buf));
	assert_int_equal(udp_take(udp_fd, buf, sizeof(buf), &from), sizeof(buf));
	make_and_reach(2, 0);
	fd = tcp_accept(&host, listener);
	vse_data(&vse, 2, 0, "0123456789", 10);
	assert_int_equal(vse_close_socket(&vse, 2, 0, 0), 0);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 10);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 0);
	close(fd);
	close(udp_fd);
	vse_close(&vse);
}

/* Without memory for a meter there is no connection. */
static void without_memory(void **state)
{
	struct lfp_addr peer = vse_addr("127.0.0.1", port);
	struct sockaddr_storage addr;
	struct socket_way way;
	struct socket *sock;

	(void)state;
	start_rules("allow connect localhost limit connections 2\ndefault deny\n");
	if (HAS_OWN_MALLOC) {
		vse_close(&vse);
		skip();
	}
	assert_int_equal(make_socket(1, 1), 0);
	sock = get_socket(1);
	for (memory_fails = 1; memory_fails <= 2; memory_fails++) {
		(void)lfp_addr_to(&peer, &addr);
		memory_asked = 0;
		memory_watched = true;
		assert_int_equal(socket_reach(sock, &addr, &way), -ENOBUFS);
		memory_watched = false;
		assert_null(sock->metered);
	}
	assert_int_equal(reach(1, port), 0);
	assert_int_equal(counted(), 1);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(connections),    TEST(of_each_task), TEST(of_a_user),
		TEST(other_rules),    TEST(rate),         TEST(held_without_limit),
		TEST(held_and_taken), TEST(held_orphan),  TEST(without_memory)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
