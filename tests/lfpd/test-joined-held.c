/* SPDX-License-Identifier: Apache-2.0 */
/* test-joined-held.c - data of a joined connection that is held goes on, whatever has held it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "lfpd/sock/joined.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/joining.h"
#include "tests/lfpd/metering.h"
#include "transport/pipes.h"

enum { SENT = 4000 };

static const char block[VSE_WINDOW];
static uint64_t server; /* id of the accepted socket */

/* The client sends, and its rate holds the rest. */
static void send_with_rate(void)
{
	server = joining_make();
	vse_data(&vse, CLIENT, 0, block, SENT);
	while (!metered_waits(get_socket(CLIENT), METER_OUT))
		host_turn(&host);
	assert_true(get_socket(CLIENT)->stream.queue.len > 0);
}

/* Changed rules have no limit for the sender. */
static void held_without_limit(void **state)
{
	(void)state;
	start_rules("allow connect localhost limit rate 1\nallow listen any\ndefault deny\n");
	send_with_rate();
	change_rules("allow connect localhost\nallow listen any\ndefault deny\n");
	assert_true(vse_gets(LFP_DATA, SENT - get_socket(server)->out.sent));
	vse_close(&vse);
}

/* Another task takes the sender: it has a rate of its own. */
static void held_and_taken(void **state)
{
	struct lfp_frame frame = {.code = LFP_TAKEN, .sock = CLIENT, .task = 2};
	size_t had;

	(void)state;
	start_rules("allow connect localhost limit rate 40\nallow listen any\ndefault deny\n");
	begin_task(2, 0);
	send_with_rate();
	had = get_socket(CLIENT)->stream.queue.len;
	vse_send(&vse, &frame);
	while (get_socket(CLIENT)->stream.queue.len == had)
		host_turn(&host);
	vse_close(&vse);
}

/* A pipe lacks bytes: the reader is lost, and nothing holds data for it any more. */
static void lost_while_held(void **state)
{
	struct held_pipe *pipe = pipe_get();
	struct socket *sock;

	(void)state;
	assert_non_null(pipe);
	start_rules("default allow\n");
	server = joining_make();
	sock = get_socket(CLIENT);
	pipe->held = 100;
	assert_int_equal(queue_append_pipe(&sock->stream.queue, &host.inst.pool, pipe), 0);
	sock->in.received += 100;
	host.inst.sock_ops->go_on(sock, false);
	assert_int_equal(get_socket(server)->state, SOCKET_LOST);
	assert_null(sock->stream.joined.other);
	assert_true(lfp_list_empty(&host.inst.held));
	assert_int_equal(vse_expect(&vse, LFP_RESET).status, EIO);
	assert_int_equal(vse_close_socket(&vse, CLIENT, 1, 0), 0);
	vse_close(&vse);
}

#define TEST(function)                                                                             \
	cmocka_unit_test_setup_teardown(function, metering_set_up, metering_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(held_without_limit),
		TEST(held_and_taken),
		TEST(lost_while_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
