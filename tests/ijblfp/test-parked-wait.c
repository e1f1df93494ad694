/* SPDX-License-Identifier: Apache-2.0 */
/* test-parked-wait.c - connect() waits on a parked connection */
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
#include "ijblfp/wiring.h"

static void connect_directly(int parked, int fd)
{
	struct lfp_addr peer = some_addr(81);

	request_put(parked, LFP_CTL_CONNECT, LFP_CTL_DIRECT | LFP_CTL_BLOCKING, 0, 0, 0, &peer,
		    sizeof(peer), fd);
}

/* connect() that waits, on a parked connection. */
static void waits(void **state)
{
	struct host *host = *state;
	int parked = park(host);
	uint64_t id;
	int fd = new_socket(host, &id);

	connect_directly(parked, fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	/* other calls come through it meanwhile */
	assert_int_equal(call_wait(host, hand(parked, LFP_CTL_PING, -1), NULL, NULL), 0);
	host_send(host,
		  (struct lfp_frame){.code = LFP_CONNECTED, .sock = id, .status = ECONNREFUSED});
	assert_int_equal(call_wait(host, dup(parked), NULL, NULL), ECONNREFUSED);
	/* the caller leaves */
	connect_directly(parked, fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	request_put(parked, LFP_CTL_DETACH, LFP_CTL_DIRECT, 0, 0, 0, "", 0, -1);
	assert_int_equal(call_wait(host, dup(parked), NULL, NULL), EINPROGRESS);
	assert_int_equal(poll_now(fd), 0);
	host_send(host, (struct lfp_frame){.code = LFP_CONNECTED, .sock = id});
	host_until(host, poll_now(fd) == POLLOUT);
	/* a message that crosses with the answer is dropped */
	request_put(parked, LFP_CTL_DETACH, LFP_CTL_DIRECT, 0, 0, 0, "", 0, -1);
	ask_directly(parked, LFP_CTL_SHUTDOWN, 0, fd);
	assert_int_equal(call_wait(host, dup(parked), NULL, NULL), 0);
	close(parked);
	close(fd);
}

/* The program dies in connect(), or closes the parked connection: the attempt goes on. */
static void waits_no_more(void **state)
{
	struct host *host = *state;
	int parked = park(host);
	uint64_t id;
	int fd = new_socket(host, &id);

	connect_directly(parked, fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	close(parked);
	host_until(host, poll_now(fd) == 0);
	host_send(host, (struct lfp_frame){.code = LFP_CONNECTED, .sock = id});
	host_until(host, poll_now(fd) == POLLOUT);
	close(fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
}

/* The parked connection ends while its CONNECT waits for the task: no caller waits for the
 * connection later. */
static void waits_for_its_task(void **state)
{
	struct host *host = *state;
	int parked = park(host);
	uint64_t id;
	int fd = new_socket(host, &id);
	struct task *task = ijblfp_task_find(host->inst->tasks, getpid());

	/* As after a path that was lost. */
	task->state = TASK_UNKNOWN;
	host->inst->tasks->active--;
	connect_directly(parked, fd);
	host_until(host, task->state == TASK_BEGINNING);
	close(parked);
	host_until(host, host->inst->ctl->nr_parked == 0);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	host_until(host, poll_now(fd) == 0);
	close(fd);
}

/* The instance ends: a waiting caller gets an answer. */
static void waits_at_the_end(void **state)
{
	struct host *host = *state;
	int parked = park(host);
	uint64_t id;
	int fd = new_socket(host, &id);

	connect_directly(parked, fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	host_turn(host);
	ijblfp_instance_stop(host->inst);
	assert_int_equal(call_wait(host, parked, NULL, NULL), ENETDOWN);
	close(fd);
}

/* An answer that cannot be sent: the waiting caller notices the end of the connection. */
static void no_answer(void **state)
{
	struct host *host = *state;
	int parked = park(host), other, size = 0;
	struct ctl_conn *conn =
		lfp_list_entry(lfp_list_first(&host->inst->ctl->parked), struct ctl_conn, place);
	uint64_t id;
	int fd = new_socket(host, &id);
	char byte;

	/* it reads nothing, and its queue is full */
	assert_int_equal(setsockopt(conn->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), 0);
	while (send(conn->fd, "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		;
	ask_directly(parked, LFP_CTL_SHUTDOWN, 0, fd);
	host_until(host, host->inst->ctl->nr_parked == 0);
	while (recv(parked, &byte, 1, MSG_DONTWAIT) > 0)
		;
	expect_end(host, parked);
	other = park(host);
	ask_directly(other, LFP_CTL_SHUTDOWN, 0, fd);
	assert_int_equal(call_wait(host, dup(other), NULL, NULL), ENOTCONN);
	close(parked);
	close(other);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(waits),
		TEST(waits_no_more),
		TEST(waits_at_the_end),
		TEST(waits_for_its_task),
		TEST(no_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
