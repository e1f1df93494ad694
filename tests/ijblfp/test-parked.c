/* SPDX-License-Identifier: Apache-2.0 */
/* test-parked.c - parked connections: calls come through them, and nothing else does */
#include "parking.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/task.h"

static void calls(void **state)
{
	struct host *host = *state;
	int parked = park(host), conn, ends[2];
	uint64_t id;
	int fd = new_socket(host, &id);

	for (int i = 0; i < 5; i++) {
		assert_int_equal(call_wait(host, hand(parked, LFP_CTL_PING, -1), NULL, NULL), 0);
		assert_int_equal(call_wait(host, hand(parked, LFP_CTL_WHY_EOF, fd), NULL, NULL),
				 ENOTCONN);
	}
	/* one that needs an answer of lfpd, and the task of the process */
	conn = hand(parked, LFP_CTL_LISTEN, fd);
	host_answer(host, host_expect(host, LFP_LISTEN), EADDRINUSE);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EADDRINUSE);
	/* without the request in it yet */
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	request_put(parked, LFP_CTL_HAND, 0, 0, 0, 0, "", 0, ends[1]);
	close(ends[1]);
	host_until(host, host->inst->ctl->nr_silent == 1);
	request_put(ends[0], LFP_CTL_PING, 0, 0, 0, 0, "", 0, -1);
	assert_int_equal(call_wait(host, ends[0], NULL, NULL), 0);
	/* handing over makes no call of it: the right is the descriptor's */
	assert_int_equal(call_wait(host, hand(parked, LFP_CTL_WHY_EOF, parked), NULL, NULL), EBADF);
	assert_int_equal(call_wait(host, hand(parked, LFP_CTL_WHY_EOF, -1), NULL, NULL), EBADF);
	close(parked);
	host_until(host, host->inst->ctl->nr_parked == 0);
	close(fd);
}

/* Requests whose answers come on the parked connection. */
static void direct(void **state)
{
	struct host *host = *state;
	int parked = park(host), again;
	uint64_t id;
	int fd = new_socket(host, &id), shut = new_socket(host, &id);

	for (int i = 0; i < 5; i++) {
		ask_directly(parked, LFP_CTL_SHUTDOWN, 0, shut);
		assert_int_equal(call_wait(host, dup(parked), NULL, NULL), ENOTCONN);
		ask_directly(parked, LFP_CTL_WHY_EOF, 0, fd);
		assert_int_equal(call_wait(host, dup(parked), NULL, NULL), ENOTCONN);
		ask_directly(parked, LFP_CTL_WHY_EPIPE, 0, fd);
		assert_int_equal(call_wait(host, dup(parked), NULL, NULL), 0);
	}
	/* other calls come through it meanwhile; the right is still the descriptor's */
	ask_directly(parked, LFP_CTL_LISTEN, 0, fd);
	assert_int_equal(call_wait(host, hand(parked, LFP_CTL_PING, -1), NULL, NULL), 0);
	host_answer(host, host_expect(host, LFP_LISTEN), EADDRINUSE);
	assert_int_equal(call_wait(host, dup(parked), NULL, NULL), EADDRINUSE);
	ask_directly(parked, LFP_CTL_SHUTDOWN, 0, -1);
	assert_int_equal(call_wait(host, dup(parked), NULL, NULL), EBADF);
	/* its end, while an answer is pending */
	ask_directly(parked, LFP_CTL_LISTEN, 0, fd);
	host_expect(host, LFP_LISTEN);
	close(parked);
	host_until(host, host->inst->ctl->nr_parked == 0);
	again = park(host);
	assert_int_equal(call_wait(host, hand(again, LFP_CTL_PING, -1), NULL, NULL), 0);
	close(again);
	close(shut);
	close(fd);
}

/* Begins a task by a parked connection, which user @maker has made. Returns the task's user. */
static uid_t user_of_task(struct host *host, uid_t maker)
{
	int parked = park(host), conn;
	struct ctl_conn *lender;

	lender = lfp_list_entry(lfp_list_first(&host->inst->ctl->parked), struct ctl_conn, place);
	lender->uid = maker;
	conn = dup(parked);
	request_put(parked, LFP_CTL_SOCKET, LFP_CTL_DIRECT, AF_INET, SOCK_STREAM, 0, "", 0, -1);
	host_answer(host, host_expect(host, LFP_SOCKET), ENOBUFS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENOBUFS);
	close(parked);
	return ijblfp_task_find(host->inst->tasks, getpid())->uid;
}

/* A program of root that has changed its user since it parked: the task is the new one's. */
static void whose_task(void **state)
{
	assert_int_equal(user_of_task(*state, 0), geteuid());
}

/* Another program may have executed a set-user-ID program, and need not be the sender. */
static void whose_task_else(void **state)
{
	assert_int_equal(user_of_task(*state, geteuid() + 1), geteuid() + 1);
}

/* The least recently used one makes room. A user's share of five is four; root's of four, too. */
static void bound(void **state)
{
	struct host *host = *state;
	int conns[4], fifth;

	host->inst->ctl->parked_max = geteuid() ? 5 : 4;
	for (int i = 0; i < 4; i++)
		conns[i] = park(host);
	assert_int_equal(call_wait(host, hand(conns[0], LFP_CTL_PING, -1), NULL, NULL), 0);
	fifth = call_send(host, LFP_CTL_PARK, 0, 0, 0, 0, "", 0, -1);
	expect_end(host, conns[1]);
	assert_int_equal(host->inst->ctl->nr_parked, 4);
	assert_int_equal(call_wait(host, hand(conns[0], LFP_CTL_PING, -1), NULL, NULL), 0);
	assert_int_equal(call_wait(host, hand(conns[2], LFP_CTL_PING, -1), NULL, NULL), 0);
	assert_int_equal(call_wait(host, hand(fifth, LFP_CTL_PING, -1), NULL, NULL), 0);
	for (int i = 0; i < 4; i++)
		close(conns[i]);
	close(fifth);
}

/* While calls wait, those through parked connections wait, too. */
static void paused(void **state)
{
	struct host *host = *state;
	int parked = park(host), late, conn;
	struct pollfd pfd;

	host->inst->ctl->starved = true;
	ctl_server_check(host->inst);
	conn = hand(parked, LFP_CTL_PING, -1);
	late = call_send(host, LFP_CTL_PARK, 0, 0, 0, 0, "", 0, -1);
	pfd = (struct pollfd){.fd = conn, .events = POLLIN};
	for (int i = 0; i < 20; i++)
		host_turn(host);
	assert_int_equal(poll(&pfd, 1, 0), 0);
	ctl_server_retry(host->inst);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(call_wait(host, hand(late, LFP_CTL_PING, -1), NULL, NULL), 0);
	close(parked);
	close(late);
}

/* The instance ends while some of them exist, and leaves nothing behind. */
static void left_open(void **state)
{
	struct host *host = *state;

	park(host);
	park(host);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(calls), TEST(direct), TEST(whose_task), TEST(whose_task_else),
		TEST(bound), TEST(paused), TEST(left_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
