/* SPDX-License-Identifier: Apache-2.0 */
/* test-give.c - GIVESOCKET and TAKESOCKET: which task may take a socket, and the data in it */
#include "giving.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/ctl/task.h"

static void a_socket_goes_from_task_to_task(void **state)
{
	struct host *host = *state;
	uint64_t first = begin(host, "GIVER   "), second = begin(host, "TAKER   "), id;
	struct lfp_ctl_client giver;
	int old, new;
	char c;

	host_as = first;
	giver = client_id(host);
	old = connected(host, &id);
	assert_int_equal(give(host, old, &any), 0);
	/* For data and calls the giver's descriptor is dead, and it does not hang up yet. */
	assert_int_equal(send(old, "x", 1, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, old), EBADF);
	assert_int_equal(call(host, LFP_CTL_GETSOCKNAME, 0, 0, old), EBADF);
	assert_false(hangs(old));
	assert_int_equal(is_taken(host, old), 0);
	host_data(host, id, 0, "while given");
	host_turn(host);
	assert_int_equal(recv(old, &c, 1, MSG_DONTWAIT), -1);
	host_as = second;
	assert_int_equal(take_given(host, &giver, NUMBER, &new), 0);
	assert_true(hangs(old));
	/* lfpd gets the new owner, for its lists. */
	assert_int_equal(host_expect(host, LFP_TAKEN).sock, id);
	host_until(host, poll_now(new) & POLLIN);
	expect_text(new, "while given");
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, new), 0);
	host_as = first;
	assert_int_equal(is_taken(host, old), 1);
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, new), EBADF);
	/* The giver closes its descriptor; the connection stays. */
	assert_int_equal(call(host, LFP_CTL_DROP, 0, 0, old), 0);
	close(old);
	host_as = second;
	assert_int_equal(send(new, "still here", 10, 0), 10);
	host_until(host, host->bytes >= 10);
	close(new);
	assert_int_equal(host_expect(host, LFP_CLOSE).how, 0);
}

static void what_is_under_way_comes_along(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_client giver = client_id(host);
	uint64_t id, before = host->bytes;
	int old = connected(host, &id), new;

	/* Not read by the giver; not yet read by the instance, which does not run. */
	host_data(host, id, 0, "unread ");
	host_until(host, poll_now(old) & POLLIN);
	assert_int_equal(send(old, "unsent ", 7, 0), 7);
	assert_int_equal(give(host, old, &any), 0);
	host_data(host, id, 7, "later");
	assert_int_equal(take_given(host, &giver, NUMBER, &new), 0);
	assert_int_equal(send(new, "more", 4, 0), 4);
	host_until(host, host->bytes - before == 11);
	host_turn(host);
	expect_text(new, "unread later");
	close(old);
	close(new);
}

static void ends_of_both_directions_come_along(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_client giver = client_id(host);
	uint64_t id;
	int old = connected(host, &id), new;
	char c;

	host_data(host, id, 0, "all");
	host_send(host, (struct lfp_frame){.code = LFP_SHUTDOWN,
					   .sock = id,
					   .shutdown = {.how = 1, .position = 3}});
	host_until(host, poll_now(old) & POLLRDHUP);
	assert_int_equal(shutdown(old, SHUT_WR), 0);
	host_expect(host, LFP_SHUTDOWN);
	assert_int_equal(give(host, old, &any), 0);
	assert_int_equal(is_taken(host, old), 0);
	assert_int_equal(take_given(host, &giver, NUMBER, &new), 0);
	expect_text(new, "all");
	assert_int_equal(recv(new, &c, 1, MSG_DONTWAIT), 0);
	assert_int_equal(send(new, "x", 1, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	close(old);
	close(new);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
}

static void a_name_that_is_not_blank_is_the_only_taker(void **state)
{
	struct host *host = *state;
	uint64_t first = begin(host, "GIVER   "), second = begin(host, "SECOND  "),
		 third = begin(host, "THIRD   "), id;
	struct lfp_ctl_client giver, to;
	int old, new;

	host_as = second;
	to = client_id(host);
	assert_memory_equal(to.task, "SECOND  ", 8);
	host_as = first;
	giver = client_id(host);
	old = connected(host, &id);
	assert_int_equal(give(host, old, &to), 0);
	host_as = third;
	assert_int_equal(take_given(host, &giver, NUMBER, &new), EACCES);
	host_as = first;
	assert_int_equal(take_given(host, &giver, NUMBER, &new), EACCES);
	host_as = second;
	/* The taker's data are a key: no blanks, the right number, the right family. */
	memset(to.task, ' ', 8);
	assert_int_equal(take_given(host, &any, NUMBER, &new), EINVAL);
	assert_int_equal(take_given(host, &giver, NUMBER + 1, &new), EACCES);
	giver.family = AF_INET6;
	assert_int_equal(take_given(host, &giver, NUMBER, &new), EACCES);
	giver.family = AF_UNIX;
	assert_int_equal(take_given(host, &giver, NUMBER, &new), EPFNOSUPPORT);
	giver.family = AF_INET;
	memcpy(giver.task, "NOBODY  ", 8);
	assert_int_equal(take_given(host, &giver, NUMBER, &new), EINVAL);
	memcpy(giver.task, "GIVER   ", 8);
	assert_int_equal(take_given(host, &giver, NUMBER, &new), 0);
	/* Only once. */
	close(new);
	assert_int_equal(take_given(host, &giver, NUMBER, &new), EBADF);
	close(old);
}

static void only_the_same_user_takes_or_root(void **state)
{
	struct host *host = *state;
	uint64_t first = begin(host, "GIVER   "), second = begin(host, "TAKER   "), id;
	struct tasks *tasks = host->inst->tasks;
	struct lfp_ctl_client giver;
	int old, new;

	task_find_key(tasks, getpid(), first)->uid = 4711;
	host_as = first;
	giver = client_id(host);
	old = connected(host, &id);
	assert_int_equal(give(host, old, &any), 0);
	host_as = second;
	task_find_key(tasks, getpid(), second)->uid = 4712;
	assert_int_equal(take_given(host, &giver, NUMBER, &new), EACCES);
	task_find_key(tasks, getpid(), second)->uid = 0;
	assert_int_equal(take_given(host, &giver, NUMBER, &new), 0);
	close(old);
	close(new);
}

static void a_blank_task_is_any_of_the_address_space(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_client giver = client_id(host), to = giver;
	uint64_t id;
	int old = connected(host, &id), new;

	memset(to.task, ' ', 8);
	memcpy(to.name, "ELSEWHER", 8);
	assert_int_equal(give(host, old, &to), 0);
	assert_int_equal(take_given(host, &giver, NUMBER, &new), EACCES);
	close(old);
	old = connected(host, &id);
	memcpy(to.name, giver.name, 8);
	assert_int_equal(call_client(host, LFP_CTL_GIVE, NUMBER + 1, 0, &to, old), 0);
	host_as = begin(host, "OTHER   ");
	assert_int_equal(take_given(host, &giver, NUMBER + 1, &new), 0);
	close(new);
	close(old);
}

static void only_connected_streams_can_be_given(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_client v6 = any, wrong = any;
	uint64_t id;
	struct got got;
	int fd = new_socket(host, &id), conn;

	v6.family = AF_INET6;
	wrong.family = AF_UNIX;
	assert_int_equal(give(host, fd, &any), ENOTCONN);
	conn = call_send(host, LFP_CTL_LISTEN, 0, 5, 0, 0, "", 0, fd);
	host_answer(host, host_expect(host, LFP_LISTEN), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(give(host, fd, &any), EBUSY);
	close(fd);
	conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_DGRAM, 0, "", 0, -1);
	got = host_expect(host, LFP_SOCKET);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, &fd), 0);
	assert_int_equal(give(host, fd, &any), EOPNOTSUPP);
	close(fd);
	fd = connected(host, &id);
	assert_int_equal(give(host, fd, &v6), EBADF);
	assert_int_equal(give(host, fd, &wrong), EINVAL);
	assert_int_equal(call(host, LFP_CTL_GIVE, NUMBER, 0, fd), EINVAL);
	assert_int_equal(call_client(host, LFP_CTL_GIVE, -1, 0, &any, fd), EINVAL);
	/* After all that the socket still belongs to the same task. */
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fd), 0);
	assert_int_equal(call(host, LFP_CTL_TAKEN, 0, 0, fd), EBADF);
	assert_int_equal(call(host, LFP_CTL_DROP, 0, 0, fd), EBADF);
	assert_int_equal(give(host, fd, &any), 0);
	assert_int_equal(give(host, fd, &any), EBADF);
	close(fd);
}

static void names_are_unique(void **state)
{
	struct host *host = *state;
	uint64_t first = begin(host, "ONE     "), second = begin(host, "TWO     ");
	struct lfp_ctl_client id = any, one, two;

	host_as = first;
	one = client_id(host);
	host_as = second;
	two = client_id(host);
	/* One address space, two tasks. */
	assert_memory_equal(one.name, two.name, 8);
	assert_memory_not_equal(one.task, two.task, 8);
	memcpy(id.task, "ONE     ", 8);
	assert_int_equal(call_client(host, LFP_CTL_CLIENTID, 0, 0, &id, -1), EEXIST);
	memcpy(id.task, "THREE   ", 8);
	memcpy(id.name, "JOB     ", 8);
	assert_int_equal(call_client(host, LFP_CTL_CLIENTID, 0, 0, &id, -1), 0);
	host_as = first;
	one = client_id(host);
	assert_memory_equal(one.name, "JOB     ", 8);
	assert_memory_equal(one.task, "ONE     ", 8);
	id.family = AF_UNIX;
	assert_int_equal(call_client(host, LFP_CTL_CLIENTID, 0, 0, &id, -1), EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_socket_goes_from_task_to_task),
		TEST(what_is_under_way_comes_along),
		TEST(ends_of_both_directions_come_along),
		TEST(a_name_that_is_not_blank_is_the_only_taker),
		TEST(only_the_same_user_takes_or_root),
		TEST(a_blank_task_is_any_of_the_address_space),
		TEST(only_connected_streams_can_be_given),
		TEST(names_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
