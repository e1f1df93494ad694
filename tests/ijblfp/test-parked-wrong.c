/* SPDX-License-Identifier: Apache-2.0 */
/* test-parked-wrong.c - what a program must not send through parked connections */
#include "parking.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/guard.h"
#include "transport/greeting.h"
#include "tests/qemu-user.h"

/* No second one, none for which the user counts, none for another process. */
static void not_direct(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_request speaks = {.magic = LFP_CTL_MAGIC,
					 .op = LFP_CTL_SOCKET,
					 .flags = LFP_CTL_DIRECT,
					 .task = getpid(),
					 .speaker = getpid()};
	int parked = park(host);
	uint64_t id;
	int fd = new_socket(host, &id);

	ask_directly(parked, LFP_CTL_LISTEN, 0, fd);
	host_expect(host, LFP_LISTEN);
	ask_directly(parked, LFP_CTL_LISTEN, 0, fd);
	expect_end(host, parked);
	close(parked);
	parked = park(host);
	ask_directly(parked, LFP_CTL_TASK, 0, -1);
	expect_end(host, parked);
	close(parked);
	parked = park(host);
	assert_int_equal(send(parked, &speaks, LFP_CTL_REQUEST_HEAD, 0), LFP_CTL_REQUEST_HEAD);
	expect_end(host, parked);
	close(parked);
	assert_int_equal(host->inst->ctl->nr_parked, 0);
	close(fd);
}

/* A message that breaks the rules ends the parked connection, and nothing else. */
static void wrong(void **state)
{
	struct host *host = *state;
	int parked = park(host), other = park(host), ends[2];

	request_put(parked, LFP_CTL_HAND, 0, 0, 0, 0, "", 0, -1);
	expect_end(host, parked);
	close(parked);
	parked = park(host);
	request_put(parked, LFP_CTL_PING, 0, 0, 0, 0, "", 0, -1);
	expect_end(host, parked);
	close(parked);
	parked = park(host);
	request_put(parked, LFP_CTL_HAND, 0, 0, 0, 0, "", 0, 0);
	expect_end(host, parked);
	close(parked);
	parked = park(host);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	request_put(parked, LFP_CTL_HAND, 0, 0, 0, 0, "", 0, ends[0]);
	expect_end(host, parked);
	close(parked);
	close(ends[0]);
	close(ends[1]);
	parked = park(host);
	assert_int_equal(send(parked, "x", 1, 0), 1);
	expect_end(host, parked);
	close(parked);
	assert_int_equal(host->inst->ctl->nr_parked, 1);
	assert_int_equal(call_wait(host, hand(other, LFP_CTL_PING, -1), NULL, NULL), 0);
	/* HAND where nothing is parked */
	assert_int_equal(call(host, LFP_CTL_HAND, 0, 0, -1), EINVAL);
	close(other);
}

/* Hands over a connection that is not from socketpair(). The parked one ends. */
static void expect_refusal(struct host *host, int parked, int conn)
{
	request_put(parked, LFP_CTL_HAND, 0, 0, 0, 0, "", 0, conn);
	expect_end(host, parked);
	close(parked);
	assert_int_equal(host->inst->ctl->nr_silent, 0);
}

/* The end of a connection whose other end is the instance's: the instance would call in its own
 * name. */
static void own_connection(void **state)
{
	struct host *host = *state;
	static const int ops[] = {LFP_CTL_PARK, LFP_CTL_GUARD, LFP_CTL_GETHOSTNAME};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		int parked = park(host);
		int conn = call_send(host, ops[i], 0, 0, 0, 0, "", 0, -1);

		expect_refusal(host, parked, conn);
		close(conn);
		host_until(host, !host->inst->ctl->nr_parked && !host->inst->ctl->guards.nr);
	}
}

/* Both ends of a connection to another server: its data are not meant as calls. */
static void foreign_connection(void **state)
{
	struct host *host = *state;
	int listener = socket(AF_UNIX, SOCK_SEQPACKET, 0), theirs, ours;
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(addr);

	assert_int_equal(bind(listener, (struct sockaddr *)&addr, sizeof(sa_family_t)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&addr, &len), 0);
	ours = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
	assert_int_equal(connect(ours, (struct sockaddr *)&addr, len), 0);
	theirs = accept(listener, NULL, NULL);
	assert_true(theirs >= 0);
	request_put(theirs, LFP_CTL_PING, 0, 0, 0, 0, "", 0, -1);
	expect_refusal(host, park(host), ours);
	request_put(ours, LFP_CTL_PING, 0, 0, 0, 0, "", 0, -1);
	expect_refusal(host, park(host), theirs);
	close(ours);
	close(theirs);
	close(listener);
}

/* A connection that is kept, and comes with its own other end: only the program holds that. */
static void own_end(void **state)
{
	struct host *host = *state;
	static const int ops[] = {LFP_CTL_PARK, LFP_CTL_GUARD};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		int parked = park(host), ends[2];
		unsigned int *count = ops[i] == LFP_CTL_PARK ? &host->inst->ctl->nr_parked
							     : &host->inst->ctl->guards.nr;
		unsigned int before = *count;

		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
		request_put(ends[0], ops[i], 0, 0, 0, 0, "", 0, ends[0]);
		request_put(parked, LFP_CTL_HAND, 0, 0, 0, 0, "", 0, ends[1]);
		close(ends[1]);
		host_until(host, *count == before + 1);
		close(ends[0]);
		close(parked);
		host_until(host, !host->inst->ctl->nr_parked && !host->inst->ctl->guards.nr);
	}
}

/* An answer is not taken for a request, even if a program hands over both ends of a pair. */
static void answer_as_request(void **state)
{
	struct host *host = *state;
	struct {
		struct lfp_ctl_reply_head head;
		uint8_t data[LFP_CTL_REQUEST_HEAD];
	} reply = {.head = {.magic = LFP_CTL_REPLY_MAGIC, .error = LFP_CTL_PING}};
	struct lfp_ctl_request_head *head = (void *)&reply;
	int conn = call_send(host, LFP_CTL_PARK, 0, 0, 0, 0, "", 0, -1), ends[2];

	head->len = sizeof(reply) - LFP_CTL_REQUEST_HEAD;
	head->task = head->speaker = 0;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	assert_int_equal(send(ends[0], &reply, sizeof(reply), 0), sizeof(reply));
	request_put(conn, LFP_CTL_HAND, 0, 0, 0, 0, "", 0, ends[1]);
	assert_int_equal(call_wait(host, ends[0], NULL, NULL), EINVAL);
	close(ends[1]);
	close(conn);
}

static unsigned int count_fds(void)
{
	unsigned int nr = 0;

	for (int fd = 0; fd < 1024; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76
#endif

/* A connection that gives more control data about the sender than requested: the instance keeps
 * none of that. */
static void told_too_much(void **state)
{
	struct host *host = *state;
	int parked = park(host), yes = 1, conn;
	unsigned int before = count_fds();

	QEMU_USER_LACKS("SCM_PIDFD");
	for (int i = 0; i < 10; i++) {
		int ends[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
		if (setsockopt(ends[1], SOL_SOCKET, i % 2 ? SO_PASSPIDFD : SO_PASSCRED, &yes,
			       sizeof(yes)))
			assert_int_equal(errno, ENOPROTOOPT);
		request_put(ends[0], LFP_CTL_PING, 0, 0, 0, 0, "", 0, -1);
		request_put(parked, LFP_CTL_HAND, 0, 0, 0, 0, "", 0, ends[1]);
		close(ends[1]);
		conn = call_wait(host, ends[0], NULL, NULL);
		assert_true(conn == EINVAL || conn == 0);
	}
	host_until(host, count_fds() <= before);
	assert_int_equal(call_wait(host, hand(parked, LFP_CTL_PING, -1), NULL, NULL), 0);
	close(parked);
}

/* The last descriptor of a TCP connection that lingers for an hour. */
static int make_lingerer(int *peer)
{
	struct linger linger = {.l_onoff = 1, .l_linger = 3600};
	struct sockaddr_in addr = {.sin_family = AF_INET};
	socklen_t len = sizeof(addr);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	char data[65536] = {0};

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	*peer = listener;
	return fd;
}

/* A descriptor from a program may take long to close: the instance does not wait for it. */
static void nobody_waits_for_a_close(void **state)
{
	struct host *host = *state;
	int parked = park(host), peers[6], fds[3], fd, pair[2], conn;

	fd = make_lingerer(&peers[0]);
	conn = hand(parked, LFP_CTL_WHY_EOF, fd);
	close(fd);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EBADF);
	/* in the queue of another socket */
	fd = make_lingerer(&peers[1]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	request_put(pair[0], LFP_CTL_PING, 0, 0, 0, 0, "", 0, fd);
	close(fd);
	conn = hand(parked, LFP_CTL_WHY_EOF, pair[1]);
	close(pair[0]);
	close(pair[1]);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EBADF);
	/* in the queue of the connection itself */
	fd = make_lingerer(&peers[2]);
	conn = hand(parked, LFP_CTL_PING, -1);
	request_put(conn, LFP_CTL_PING, 0, 0, 0, 0, "", 0, fd);
	close(fd);
	host_until(host, poll_now(conn) & POLLIN);
	close(conn);
	assert_int_equal(call_wait(host, hand(parked, LFP_CTL_PING, -1), NULL, NULL), 0);
	/* more of them than a request has */
	for (int i = 0; i < 3; i++)
		fds[i] = make_lingerer(&peers[3 + i]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	assert_int_equal(greeting_send(pair[0], "", 1, fds), 0);
	request_put(parked, LFP_CTL_HAND, 0, 0, 0, 0, "", 0, pair[1]);
	close(pair[1]);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	assert_int_equal(call_wait(host, hand(parked, LFP_CTL_PING, -1), NULL, NULL), 0);
	close(pair[0]);
	for (int i = 0; i < 6; i++)
		close(peers[i]);
	close(parked);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(not_direct),        TEST(wrong),
		TEST(own_connection),    TEST(foreign_connection),
		TEST(answer_as_request), TEST(own_end),
		TEST(told_too_much),     TEST(nobody_waits_for_a_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
