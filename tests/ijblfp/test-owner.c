/* SPDX-License-Identifier: Apache-2.0 */
/* test-owner.c - CICS-style tasks: their isolated sockets, and the end of these
 */
#include "host.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ijblfp/ctl/owner.h"
#include "ijblfp/ctl/task.h"

/* The new task's key. */
static uint64_t begin(struct host *host, unsigned int flags)
{
	struct lfp_ctl_reply reply;
	uint64_t key;

	host_as = 0;
	assert_int_equal(
		call_wait(host,
			  call_send(host, LFP_CTL_TASK, flags, LFP_CTL_TASK_BEGIN, 0, 0, "", 0, -1),
			  &reply, NULL),
		0);
	assert_int_equal(reply.len, sizeof(key));
	memcpy(&key, reply.data, sizeof(key));
	assert_true(key != 0);
	return key;
}

static int end(struct host *host, uint64_t key)
{
	host_as = key;
	return call(host, LFP_CTL_TASK, LFP_CTL_TASK_END, 0, -1);
}

static int connected(struct host *host, uint64_t *id)
{
	struct lfp_addr peer = some_addr(80);
	int fd = new_socket(host, id);
	int conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), fd);

	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	host_send(host, (struct lfp_frame){.code = LFP_CONNECTED, .sock = *id, .status = 0});
	host_until(host, poll_now(fd) & POLLOUT);
	return fd;
}

static void a_socket_answers_to_its_task_alone(void **state)
{
	static const int ops[] = {
		LFP_CTL_BIND,        LFP_CTL_CONNECT,     LFP_CTL_LISTEN,     LFP_CTL_SHUTDOWN,
		LFP_CTL_GETSOCKNAME, LFP_CTL_GETPEERNAME, LFP_CTL_GETSOCKOPT, LFP_CTL_SETSOCKOPT,
		LFP_CTL_WHY_EOF,     LFP_CTL_WHY_EPIPE,   LFP_CTL_OUTQ,       LFP_CTL_URGENT,
		LFP_CTL_RENEW,       LFP_CTL_IDENTIFY,    LFP_CTL_GIVE,
	};
	struct host *host = *state;
	uint64_t first = begin(host, 0), second = begin(host, 0), id;
	int fd;

	assert_true(first != second);
	host_as = first;
	fd = new_socket(host, &id);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		/* Another task, the process itself, and an unknown key. */
		host_as = second;
		assert_int_equal(call(host, ops[i], 0, 0, fd), EBADF);
		host_as = 0;
		assert_int_equal(call(host, ops[i], 0, 0, fd), EBADF);
		host_as = first ^ second;
		assert_int_equal(call(host, ops[i], 0, 0, fd), ESRCH);
	}
	host_as = first;
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fd), 0);
	close(fd);
}

static void a_key_is_of_no_use_in_another_process(void **state)
{
	struct host *host = *state;
	uint64_t key = begin(host, 0), id;
	int ends[2], fd;
	pid_t child;
	char result;

	host_as = key;
	fd = new_socket(host, &id);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	child = fork();
	if (!child) {
		int conn = call_send(host, LFP_CTL_IDENTIFY, 0, 0, 0, 0, "", 0, fd);
		struct pollfd pfd = {.fd = conn, .events = POLLIN};
		struct lfp_ctl_reply reply = {0};

		(void)poll(&pfd, 1, 60000);
		(void)recv(conn, &reply, sizeof(reply), 0);
		result = (char)reply.error;
		(void)!write(ends[1], &result, 1);
		_exit(0);
	}
	host_until(host, recv(ends[0], &result, 1, MSG_DONTWAIT) == 1);
	assert_int_equal(result, ESRCH);
	/* Nor in a task that is found in the same place of the table. */
	assert_non_null(task_find_key(host->inst->tasks, getpid(), key));
	assert_null(task_find_key(host->inst->tasks, getpid() + (int)LFP_TABLE_FEW, key));
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	close(fd);
}

static void what_is_new_ends_with_its_task(void **state)
{
	struct host *host = *state;
	uint64_t key = begin(host, 0), id;
	int fd;

	host_as = key;
	fd = new_socket(host, &id);
	assert_int_equal(end(host, key), 0);
	/* The program still has the descriptor. */
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fd), EBADF);
	host_as = 0;
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fd), EBADF);
	assert_int_equal(end(host, key), ESRCH);
	close(fd);
}

static void a_connection_ends_with_its_task_when_all_is_sent(void **state)
{
	struct host *host = *state;
	uint64_t key = begin(host, 0), id, before = host->bytes;
	struct got got;
	char c;
	int fd;

	host_as = key;
	fd = connected(host, &id);
	assert_int_equal(send(fd, "last words", 10, 0), 10);
	assert_int_equal(end(host, key), 0);
	got = host_expect(host, LFP_CLOSE);
	assert_int_equal(got.sock, id);
	assert_int_equal(got.how, 0);
	assert_int_equal(host->bytes - before, 10);
	/* Nothing can be sent through the descriptor any more, whichever process has it. */
	assert_int_equal(send(fd, "x", 1, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(recv(fd, &c, 1, 0), 0);
	close(fd);
}

static void a_datagram_socket_ends_with_its_task(void **state)
{
	struct host *host = *state;
	uint64_t key = begin(host, 0);
	struct got got;
	int conn, fd;

	host_as = key;
	conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_DGRAM, 0, "", 0, -1);
	got = host_expect(host, LFP_SOCKET);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, &fd), 0);
	assert_int_equal(end(host, key), 0);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, got.sock);
	close(fd);
}

static void a_socket_that_comes_too_late_is_closed(void **state)
{
	struct host *host = *state;
	uint64_t key = begin(host, 0);
	struct got got;
	int conn;

	host_as = key;
	conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, -1);
	got = host_expect(host, LFP_SOCKET);
	assert_int_equal(end(host, key), 0);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ESRCH);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, got.sock);
}

static void sockets_of_others_stay(void **state)
{
	struct host *host = *state;
	uint64_t first = begin(host, 0), second = begin(host, 0), own, other, of_process;
	int fds[3];

	host_as = first;
	fds[0] = new_socket(host, &own);
	host_as = second;
	fds[1] = new_socket(host, &other);
	host_as = 0;
	fds[2] = new_socket(host, &of_process);
	assert_int_equal(end(host, first), 0);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, own);
	host_as = second;
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fds[1]), 0);
	/* A socket that is not a CICS-style task's belongs to any process with the descriptor. */
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fds[2]), 0);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

static void shared_sockets_are_everybodys_and_stay(void **state)
{
	struct host *host = *state;
	uint64_t first = begin(host, LFP_CTL_SHARE), second = begin(host, LFP_CTL_SHARE), id;
	int fd;

	host_as = first;
	fd = new_socket(host, &id);
	host_as = second;
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fd), 0);
	assert_int_equal(owner_count_ended(host->inst), 0);
	assert_int_equal(end(host, first), 0);
	host_as = second;
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fd), 0);
	/* Operators see it. */
	assert_int_equal(owner_count_ended(host->inst), 1);
	close(fd);
	host_as = 0;
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
	assert_int_equal(owner_count_ended(host->inst), 0);
}

static void what_a_task_accepts_is_its_own(void **state)
{
	struct host *host = *state;
	uint64_t key = begin(host, 0), id;
	int fd, conn, taken;

	host_as = key;
	fd = new_socket(host, &id);
	conn = call_send(host, LFP_CTL_LISTEN, 0, 5, 0, 0, "", 0, fd);
	host_answer(host, host_expect(host, LFP_LISTEN), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	host_expect(host, LFP_ACCEPT);
	host_send(host, (struct lfp_frame){.code = LFP_ACCEPTED,
					   .sock = id,
					   .accepted = {.id = LFP_ID_LFPD | 1,
							.peer = some_addr(9),
							.local = some_addr(80)}});
	host_until(host, poll_now(fd) & POLLIN);
	taken = take_record(fd);
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, taken), 0);
	host_as = 0;
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, taken), EBADF);
	/* Both end with it. */
	assert_int_equal(end(host, key), 0);
	host_expect(host, LFP_CLOSE);
	host_expect(host, LFP_CLOSE);
	close(taken);
	close(fd);
}

static int eza_call(struct host *host, uint64_t key)
{
	struct lfp_ctl_client client = {.family = AF_INET};

	host_as = key;
	return call_wait(host,
			 call_send(host, LFP_CTL_CLIENTID, LFP_CTL_EZA, 0, 0, 0, &client,
				   sizeof(client), -1),
			 NULL, NULL);
}

static int true_call(struct host *host, int what)
{
	struct lfp_ctl_reply reply;

	host_as = 0;
	assert_int_equal(call_wait(host, call_send(host, LFP_CTL_TASK, 0, what, 0, 0, "", 0, -1),
				   &reply, NULL),
			 0);
	return reply.value;
}

static void eza_in_a_task_needs_the_exit(void **state)
{
	struct host *host = *state;
	uint64_t key = begin(host, 0);
	struct lfp_ctl_client client = {.family = AF_INET};

	assert_int_equal(eza_call(host, key), ENOPKG);
	/* Neither LE/C nor a batch program does. */
	host_as = key;
	assert_int_equal(call_wait(host,
				   call_send(host, LFP_CTL_CLIENTID, 0, 0, 0, 0, &client,
					     sizeof(client), -1),
				   NULL, NULL),
			 0);
	assert_int_equal(eza_call(host, 0), 0);
	assert_int_equal(true_call(host, LFP_CTL_TRUE_STOP), 4);
	assert_int_equal(true_call(host, LFP_CTL_TRUE_START), 0);
	assert_int_equal(true_call(host, LFP_CTL_TRUE_START), 4);
	assert_int_equal(eza_call(host, key), 0);
	assert_int_equal(true_call(host, LFP_CTL_TRUE_STOP), 0);
	assert_int_equal(eza_call(host, key), ENOPKG);
}

static void wrong_calls_say_so(void **state)
{
	struct host *host = *state;
	uint64_t key = begin(host, 0);

	host_as = 0;
	assert_int_equal(call(host, LFP_CTL_TASK, 0, 0, -1), EINVAL);
	assert_int_equal(call(host, LFP_CTL_TASK, 99, 0, -1), EINVAL);
	/* The process itself does not end by a call. */
	assert_int_equal(call(host, LFP_CTL_TASK, LFP_CTL_TASK_END, 0, -1), EINVAL);
	assert_int_equal(
		call_wait(host,
			  call_send(host, LFP_CTL_TASK, 0, LFP_CTL_TASK_BEGIN, 0, 0, "abc", 3, -1),
			  NULL, NULL),
		EINVAL);
	/* A task does not begin tasks. */
	host_as = key;
	assert_int_equal(call(host, LFP_CTL_TASK, LFP_CTL_TASK_BEGIN, 0, -1), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_socket_answers_to_its_task_alone, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(a_key_is_of_no_use_in_another_process, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(what_is_new_ends_with_its_task, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(a_connection_ends_with_its_task_when_all_is_sent,
						host_set_up, host_tear_down),
		cmocka_unit_test_setup_teardown(a_datagram_socket_ends_with_its_task, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(a_socket_that_comes_too_late_is_closed, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(sockets_of_others_stay, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(shared_sockets_are_everybodys_and_stay, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(what_a_task_accepts_is_its_own, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(eza_in_a_task_needs_the_exit, host_set_up,
						host_tear_down),
		cmocka_unit_test_setup_teardown(wrong_calls_say_so, host_set_up, host_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
