/* SPDX-License-Identifier: Apache-2.0 */
/* test-suspend-limits.c - in the next instance sockets have the limits of their rules */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "lfpd/policy/subject.h"
#include "lfpd/sock/metered.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/datagrams.h"
#include "tests/lfpd/suspension.h"

static void write_rules(const char *rules)
{
	FILE *out;

	snprintf(host.config.policy_file, sizeof(host.config.policy_file), "%s-rules", host.root);
	out = fopen(host.config.policy_file, "we");
	assert_non_null(out);
	fputs(rules, out);
	fclose(out);
}

/* A connection counts for the limit of its rule in the next lfpd, too, even of other rules. */
static void test_limit(void **state)
{
	struct lfp_addr peer;
	uint64_t session;
	unsigned int port;
	int fd, other;

	(void)state;
	write_rules("allow connect localhost limit connections 1\ndefault deny\n");
	session = start();
	fd = connect_socket(1);
	suspend();
	settle();
	write_rules("# new\nallow connect localhost limit connections 1\ndefault deny\n");
	assert_int_equal(take_over(), 0);
	hello(session);
	assert_int_equal(resume(1, 0, 0), 0);
	resumed();
	other = tcp_listen(&port);
	peer = vse_addr("127.0.0.1", port);
	assert_int_equal(vse_socket(&vse, 2, LFP_AF_INET), 0);
	assert_int_equal(vse_connect_to(&vse, 2, &peer), ECONNREFUSED);
	assert_int_equal(host.inst.counters.limits_refused, 1);
	assert_int_equal(vse_close_socket(&vse, 1, 1, 0), 0);
	assert_int_equal(vse_connect_to(&vse, 2, &peer), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	unlink(host.config.policy_file);
	close(fd);
	close(other);
	vse_close(&vse);
}

/* The next lfpd does not know the groups of a program, but it does know the rule that counted. A
 * connection without a limit gets none. */
static void test_limit_of_group(void **state)
{
	static const uint8_t groups[] = {0, 0, 18, 103}; /* 4711 */
	const struct subject_facts facts = {.has_groups = true, .groups = groups, .nr_groups = 1};
	struct subject *who = subject_make(&facts);
	uint64_t session;
	struct lfp_addr peer;
	unsigned int port;
	int listener = tcp_listen(&port);

	(void)state;
	assert_non_null(who);
	write_rules("allow connect tcp localhost group 4711 limit connections 1\n"
		    "allow connect udp localhost group 4711\n"
		    "allow connect localhost limit rate 1000\ndefault deny\n");
	session = start();
	peer = vse_addr("127.0.0.1", port);
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	assert_int_equal(make(2, 2, 0), 0);
	for (uint64_t id = 1; id <= 2; id++)
		socket_set_who(get_socket(id), who);
	subject_drop(who);
	assert_int_equal(vse_connect_to(&vse, 1, &peer), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	connect_to(2, &peer);
	hand_over(session);
	assert_int_equal(resume(1, 0, 0), 0);
	assert_int_equal(resume(2, 0, 0), 0);
	resumed();
	assert_int_equal(host.inst.meters.count, 1);
	assert_int_equal(meter_of(lfp_table_next(&host.inst.meters, NULL))->line, 1);
	assert_int_equal(meter_of(lfp_table_next(&host.inst.meters, NULL))->connections, 1);
	assert_null(get_socket(2)->metered);
	unlink(host.config.policy_file);
	close(listener);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, one_path_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(limit),
		TEST(limit_of_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
