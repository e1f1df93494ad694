/* SPDX-License-Identifier: Apache-2.0 */
/* test-metered-datagrams.c - limits of rules: datagrams, and rates of users */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "lfpd/users/share.h"
#include "tests/lfpd/datagrams.h"
#include "tests/lfpd/metering.h"

/* Begins with two sockets of the host, of which one has a limit. */
static void start_datagrams(int fds[2], struct lfp_addr addrs[2], unsigned int rate)
{
	char rules[256];
	unsigned int ports[2];

	for (int i = 0; i < 2; i++) {
		fds[i] = udp(&ports[i]);
		addrs[i] = vse_addr("127.0.0.1", ports[i]);
	}
	snprintf(rules, sizeof(rules),
		 "allow connect udp localhost:%u limit rate %u\n"
		 "allow connect udp localhost:%u\nallow listen any\n"
		 "allow connect udp 255.255.255.255\ndefault deny\n",
		 ports[0], rate, ports[1]);
	start_rules(rules);
}

/* A datagram socket that a rate holds goes on when its destination is another one, or none. */
static void held_datagrams(void **state)
{
	const struct lfp_addr none = {.family = LFP_AF_UNSPEC};
	struct lfp_addr addrs[2];
	unsigned int port_1, port_2, from;
	static char buf[2000];
	int fds[2];

	(void)state;
	start_datagrams(fds, addrs, 100);
	port_1 = make_bound(1);
	datagram(1, 0, 1, 0, &addrs[0], "x", 1);
	assert_int_equal(udp_take(fds[0], buf, sizeof(buf), &from), 1);
	udp_send(fds[0], port_1, buf, sizeof(buf));
	assert_true(vse_gets(LFP_DATAGRAM, sizeof(buf)));
	udp_send(fds[0], port_1, buf, 10);
	wait_held(1, METER_IN);
	datagram(1, 1 + LFP_DATAGRAM_COST, 1, 0, &addrs[1], "y", 1);
	assert_true(vse_gets(LFP_DATAGRAM, 10));

	port_2 = make_bound(2);
	connect_to(2, &addrs[0]);
	udp_send(fds[0], port_2, buf, 10);
	wait_held(2, METER_IN);
	connect_to(2, &none);
	assert_true(vse_gets(LFP_DATAGRAM, 10));
	close(fds[0]);
	close(fds[1]);
	vse_close(&vse);
}

/* The rate of the peer counts again after a datagram to another destination, and after connect()
 * to one has failed. */
static void datagrams_astray(void **state)
{
	/* The kernel refuses this without SO_BROADCAST. */
	const struct lfp_addr broadcast = vse_addr("255.255.255.255", 7);
	struct lfp_addr addrs[2];
	unsigned int from;
	char buf[2000];
	int fds[2];

	(void)state;
	start_datagrams(fds, addrs, 100);
	assert_int_equal(make(1, 2, 0), 0);
	connect_to(1, &addrs[0]);
	send_datagram(1, NULL, sizeof(buf));
	assert_int_equal(udp_take(fds[0], buf, sizeof(buf), &from), sizeof(buf));
	send_datagram(1, &addrs[1], 1);
	assert_int_equal(udp_take(fds[1], buf, sizeof(buf), &from), 1);
	send_datagram(1, NULL, 1);
	while (!metered_waits(get_socket(1), METER_OUT))
		host_turn(&host);

	assert_int_equal(make(2, 2, 0), 0);
	connect_to(2, &addrs[0]);
	send_datagram(2, &addrs[1], 1);
	assert_int_equal(udp_take(fds[1], buf, sizeof(buf), &from), 1);
	assert_null(get_socket(2)->metered);
	/* What comes from the peer counts, too. */
	udp_send(fds[0], from, buf, 1);
	(void)vse_expect(&vse, LFP_DATAGRAM);
	wait_held(2, METER_IN);

	assert_int_equal(make(3, 2, 0), 0);
	connect_to(3, &addrs[0]);
	assert_int_equal(vse_connect_to(&vse, 3, &broadcast), EACCES);
	assert_non_null(get_socket(3)->metered);
	close(fds[0]);
	close(fds[1]);
	vse_close(&vse);
}

#define UID 77u

/* One short program: a task with one datagram. */
static void run_task(uint32_t number, uint32_t uid, const struct lfp_addr *to)
{
	struct lfp_frame frame = {.code = LFP_SOCKET, .sock = number, .task = number};

	begin_task(number, uid);
	frame.socket.family = LFP_AF_INET;
	frame.socket.kind = 2;
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	send_datagram(number, to, 1000);
	assert_int_equal(vse_close_socket(&vse, number, 0, 0), 0);
	vse_send(&vse, &(struct lfp_frame){.code = LFP_TASK_END, .task = number});
	while (lfp_share_find(&host.inst.shares, uid))
		host_turn(&host);
}

/* A user's rate counts what programs of before have sent. */
static void short_programs(void **state)
{
	const char *rules = "allow connect udp localhost limit rate 1000 per user\ndefault deny\n";
	unsigned int port, from;
	struct lfp_addr to;
	char buf[1000];
	int fd = udp(&port);

	(void)state;
	start_rules(rules);
	to = vse_addr("127.0.0.1", port);
	run_task(2, UID, &to);
	assert_int_equal(udp_take(fd, buf, sizeof(buf), &from), sizeof(buf));
	assert_int_equal(host.inst.nr_owing, 1);
	/* Closed before its time. */
	run_task(3, UID, &to);
	assert_true(host.inst.counters.rates_held > 0);
	assert_int_equal(recv(fd, buf, sizeof(buf), MSG_DONTWAIT), -1);
	assert_int_equal(host.inst.nr_owing, 1);
	run_task(4, UID + 1, &to);
	assert_int_equal(udp_take(fd, buf, sizeof(buf), &from), sizeof(buf));
	assert_int_equal(host.inst.nr_owing, 2);
	/* What is paid is forgotten. */
	while (host.inst.nr_owing) {
		host_turn(&host);
		meters_forget_paid(&host.inst);
	}
	assert_int_equal(host.inst.meters.count, 0);
	/* So is what was of other rules. */
	run_task(5, UID, &to);
	assert_int_equal(host.inst.nr_owing, 1);
	change_rules("allow connect udp localhost limit rate 1001 per user\ndefault deny\n");
	meters_forget_paid(&host.inst);
	assert_int_equal(host.inst.nr_owing, 0);
	close(fd);
	vse_close(&vse);
}

/* So many meters are kept, and no more. */
static void many_owe(void **state)
{
	unsigned int port;
	struct lfp_addr to;
	int fd = udp(&port);
	uint32_t number = 2;

	(void)state;
	start_rules("allow connect udp localhost limit rate 1 per user\ndefault deny\n");
	to = vse_addr("127.0.0.1", port);
	for (; number < 2 + METERS_OWING_MAX + 3; number++)
		run_task(number, 1000 + number, &to);
	assert_int_equal(host.inst.nr_owing, METERS_OWING_MAX);
	assert_int_equal(host.inst.meters.count, METERS_OWING_MAX);
	close(fd);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, metering_set_up, metering_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(held_datagrams),
		TEST(datagrams_astray),
		TEST(short_programs),
		TEST(many_owe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
