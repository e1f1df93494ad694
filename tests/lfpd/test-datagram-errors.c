/* SPDX-License-Identifier: Apache-2.0 */
/* test-datagram-errors.c - datagram sockets with a scripted z/VSE side: errors, and frames that end
 * the path
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <time.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <unistd.h>

#include "lfpd/sock/datagram.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/datagrams.h"
#include "tests/lfpd/one-path.h"

/* The error of a failed datagram is reported once, to the call that asks. */
static void send_errors(void **state)
{
	struct lfp_addr all = vse_addr("255.255.255.255", 9), to = vse_addr("127.0.0.1", 0);

	(void)state;
	one_path_start();
	assert_int_equal(make(1, 2, 0), 0);
	datagram(1, 0, 1, 0, &all, "x", 1);
	assert_int_not_equal(last_error(1), 0);
	assert_int_equal(last_error(1), 0);
	datagram(1, 1 + LFP_DATAGRAM_COST, 1, 0, &to, "x", 1);
	assert_int_equal(last_error(1), EINVAL);
	vse_close(&vse);
}

static void refused(void **state)
{
	struct lfp_addr peer;
	unsigned int port, from;
	char c;
	int fd;

	(void)state;
	one_path_start();
	peer = nobody();
	assert_int_equal(make(1, 2, 0), 0);
	connect_to(1, &peer);
	datagram(1, 0, 1, 0, NULL, "x", 1);
	assert_int_equal(vse_expect(&vse, LFP_DATAGRAM_ERROR).datagram_error.error, ECONNREFUSED);
	/* The next one is not lost with the error. */
	fd = udp(&port);
	peer = vse_addr("127.0.0.1", port);
	connect_to(1, &peer);
	datagram(1, 1 + LFP_DATAGRAM_COST, 1, 0, NULL, "y", 1);
	assert_int_equal(udp_take(fd, &c, 1, &from), 1);
	assert_int_equal(c, 'y');
	close(fd);
	vse_close(&vse);
}

static void error_queue(void **state)
{
	struct lfp_addr to = nobody();
	struct lfp_frame ask = {.code = LFP_ERRQUEUE, .sock = 1}, reply;

	(void)state;
	one_path_start();
	assert_int_equal(make(1, 2, 0), 0);
	assert_int_equal(vse_ask(&vse, ask).status, EAGAIN);
	set_option(1, IPPROTO_IP, IP_RECVERR, 1);
	datagram(1, 0, 5, 0, &to, "hello", 5);
	assert_int_equal(vse_expect(&vse, LFP_DATAGRAM_ERROR).datagram_error.error, ECONNREFUSED);
	reply = vse_ask(&vse, ask);
	assert_int_equal(reply.status, 0);
	assert_int_equal(reply.errqueue.error, ECONNREFUSED);
	assert_int_equal(reply.errqueue.origin, SO_EE_ORIGIN_ICMP);
	assert_int_equal(reply.errqueue.type, 3);
	assert_int_equal(reply.errqueue.code, 3);
	assert_int_equal(reply.errqueue.dest.port, to.port);
	assert_int_equal(reply.errqueue.offender.family, LFP_AF_INET);
	assert_int_equal(reply.errqueue.payload.len, 5);
	assert_memory_equal(reply.errqueue.payload.ptr, "hello", 5);
	assert_int_equal(vse_ask(&vse, ask).status, EAGAIN);
	vse_close(&vse);
}

/* The loopback is out of reach, and what is sent comes from VSE_HOSTID. */
static void restricted(void **state)
{
	struct lfp_addr to = vse_addr("127.0.0.1", 9);
	struct lfp_frame frame = {.code = LFP_DATAGRAM, .sock = 1};

	(void)state;
	host.config.restrict_to_hostid = true;
	host.config.has_vse_hostid = true;
	host.config.vse_hostid.s_addr = htonl(0x7f010203); /* an address of this host */
	one_path_start();
	assert_int_equal(make(1, 2, 0), 0);
	datagram(1, 0, 1, 0, &to, "x", 1);
	assert_int_equal(last_error(1), ENETUNREACH);
	assert_int_equal(vse_connect_to(&vse, 1, &to), ENETUNREACH);
	frame.datagram.position = 1 + LFP_DATAGRAM_COST;
	frame.datagram.addr = vse_addr("192.0.2.1", 9);
	frame.datagram.has = LFP_HAS_PKTINFO;
	frame.datagram.spec = INADDR_LOOPBACK;
	vse_send(&vse, &frame);
	assert_int_equal(last_error(1), EINVAL);
	vse_close(&vse);
}

/* Unread errors do not pile up. */
static void errors_without_end(void **state)
{
	struct lfp_frame ask = {.code = LFP_GETSOCKNAME, .sock = 1};
	struct path *path;
	unsigned int queued;

	(void)state;
	one_path_start();
	make_bound(1);
	path = host.inst.session->path;
	while (!path_congested(path)) {
		ask.request++;
		vse_send(&vse, &ask);
		host_turn(&host);
	}
	queued = path_stats(path)->queued;
	for (int i = 0; i < 100000; i++)
		datagram_tell_error(get_socket(1), ECONNREFUSED);
	assert_int_equal(path_stats(path)->queued, queued);
	vse_close(&vse);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, one_path_set_up, one_path_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(send_errors),        TEST(refused), TEST(error_queue), TEST(restricted),
		TEST(errors_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
