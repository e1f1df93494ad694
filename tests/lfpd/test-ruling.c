/* SPDX-License-Identifier: Apache-2.0 */
/* test-ruling.c - rules of a running instance: privileged ports, and the end of what they forbid */
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

#include "lfp/number.h"
#include "lfp/system.h"
#include "lfpd/names/ruling.h"
#include "lfpd/sock/cut.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/datagrams.h"
#include "tests/lfpd/one-path.h"

static void put_rules(const char *text)
{
	FILE *out = fopen(host.config.policy_file, "we");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static int set_up(void **state)
{
	one_path_set_up(state);
	snprintf(host.config.policy_file, sizeof(host.config.policy_file), "%s-rules", host.root);
	put_rules("default allow\n");
	return 0;
}

static int tear_down(void **state)
{
	unlink(host.config.policy_file);
	return one_path_tear_down(state);
}

static void rule(const char *text)
{
	struct lfp_reader_error err;
	struct rules *rules;

	put_rules(text);
	assert_int_equal(rules_read(&rules, host.config.policy_file, &err), 0);
	assert_true(ruling_use(&host.inst, rules));
}

static int may_bind(uint32_t uid, uint16_t port)
{
	struct rules_question question = {.act = RULES_LISTEN, .protocol = RULES_TCP, .uid = uid};
	struct sockaddr_storage addr = {.ss_family = AF_INET};

	((struct sockaddr_in *)&addr)->sin_port = htons(port);
	return ruling_address(&host.inst, &question, &addr);
}

/* A default is no permission for ports that a user could not bind by itself. */
static void privileged_ports(void **state)
{
	char text[LFP_SYSTEM_NAME];
	unsigned long start = 0;

	(void)state;
	if (!lfp_system_line(text, "/proc/sys/net/ipv4/ip_unprivileged_port_start") ||
	    lfp_number(text, 81, 65535, &start))
		skip(); /* all ports are anybody's here */
	one_path_start();
	assert_int_equal(may_bind(1000, 80), -EACCES);
	assert_int_equal(may_bind(1000, (uint16_t)(start - 1)), -EACCES);
	assert_int_equal(may_bind(1000, (uint16_t)start), 0);
	assert_int_equal(may_bind(0, 80), 0);
	assert_int_equal(host.inst.counters.rules_refused, 2);
	rule("allow listen tcp :80 user 1000\ndefault allow\n");
	assert_int_equal(may_bind(1000, 80), 0);
	assert_int_equal(may_bind(1001, 80), -EACCES);
	assert_int_equal(may_bind(1000, 81), -EACCES);
	rule("deny listen any\ndefault allow\n");
	assert_int_equal(may_bind(0, 80), -ECONNREFUSED);
	vse_close(&vse);
}

static void expect_reset(uint64_t id, int status)
{
	struct lfp_frame frame = vse_expect(&vse, LFP_RESET);

	assert_true(frame.sock == id);
	assert_int_equal(frame.status, status);
}

static void connections(void **state)
{
	char byte;
	int fd;

	(void)state;
	one_path_start();
	fd = connect_socket(1);
	assert_int_equal(cut_forbidden(&host.inst), 0);
	rule("allow connect localhost:1-65535\ndefault deny\n");
	assert_int_equal(cut_forbidden(&host.inst), 0);
	rule("deny connect udp localhost\ndefault allow\n");
	assert_int_equal(cut_forbidden(&host.inst), 0);
	rule("default deny\n");
	assert_int_equal(cut_forbidden(&host.inst), 1);
	expect_reset(1, ECONNRESET);
	assert_int_equal(tcp_read(&host, fd, &byte, 1), -1);
	assert_int_equal(errno, ECONNRESET);
	assert_int_equal(cut_forbidden(&host.inst), 0);
	assert_int_equal(host.inst.counters.rules_refused, 0);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	close(fd);
	vse_close(&vse);
}

/* A connection stays while its name is allowed, even if the name was found long ago. */
static void connections_by_name(void **state)
{
	struct in6_addr addr = {.s6_addr = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1}};
	int fd;

	(void)state;
	one_path_start();
	fd = connect_socket(1);
	known_names_add(&host.inst.known, "www.example.org", &addr, 1, 0);
	rule("deny connect www.example.org\ndefault allow\n");
	assert_int_equal(cut_forbidden(&host.inst), 1);
	expect_reset(1, ECONNRESET);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	close(fd);
	vse_close(&vse);
}

/* Listens with socket 1 of z/VSE; returns a connection to it, which is lfpd's first one. */
static int accept_one(const char *local)
{
	struct lfp_frame frame = {.code = LFP_BIND, .sock = 1};
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	frame.bind.local = vse_addr(local, 0);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_LISTEN, .sock = 1, .listen.backlog = 8};
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = 1};
	addr.sin_port = htons(vse_ask(&vse, frame).name.addr.port);
	frame = (struct lfp_frame){.code = LFP_ACCEPT, .sock = 1, .accept.count = 1};
	vse_send(&vse, &frame);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_true(vse_expect(&vse, LFP_ACCEPTED).accepted.id == (LFP_ID_LFPD | 1));
	return fd;
}

/* Rules about listening decide about a listener and its connections, wherever these come from. */
static void listeners(void **state)
{
	char byte;
	int fd;

	(void)state;
	one_path_start();
	fd = accept_one("127.0.0.1");
	rule("deny connect any\ndefault allow\n");
	assert_int_equal(cut_forbidden(&host.inst), 0);
	rule("deny listen any\ndefault allow\n");
	assert_int_equal(cut_forbidden(&host.inst), 2);
	for (int i = 0; i < 2; i++) {
		struct lfp_frame frame = vse_expect(&vse, LFP_RESET);

		assert_int_equal(frame.status, frame.sock == 1 ? EPROTO : ECONNRESET);
	}
	assert_int_equal(tcp_read(&host, fd, &byte, 1), -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);
	vse_close(&vse);
}

/* A connection's local address is one of the host's, but its listener's is what a rule allows. */
static void listeners_at_a_wildcard(void **state)
{
	int fd;

	(void)state;
	one_path_start();
	fd = accept_one("0.0.0.0");
	rule("allow listen 0.0.0.0\ndefault deny\n");
	assert_int_equal(cut_forbidden(&host.inst), 0);
	rule("deny listen 127.0.0.1\nallow listen 0.0.0.0\ndefault deny\n");
	assert_int_equal(cut_forbidden(&host.inst), 2);
	vse_expect(&vse, LFP_RESET);
	vse_expect(&vse, LFP_RESET);
	close(fd);
	vse_close(&vse);
}

static void datagrams(void **state)
{
	unsigned int port;
	struct lfp_addr to;
	int fd;

	(void)state;
	one_path_start();
	fd = udp(&port);
	to = vse_addr("127.0.0.1", port);
	make_bound(1);
	make_bound(2);
	connect_to(1, &to);
	rule("deny connect tcp any\ndefault allow\n");
	assert_int_equal(cut_forbidden(&host.inst), 0);
	rule("deny connect udp localhost\ndefault allow\n");
	assert_int_equal(cut_forbidden(&host.inst), 1);
	expect_reset(1, EPROTO);
	close(fd);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(privileged_ports),        TEST(connections),
		TEST(connections_by_name),     TEST(listeners),
		TEST(listeners_at_a_wildcard), TEST(datagrams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
