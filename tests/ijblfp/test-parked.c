/* SPDX-License-Identifier: Apache-2.0 */
/* test-parked.c - parked connections: calls come through them, and nothing else does */
#include "host.h"

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
#include "ijblfp/ctl/task.h"
#include "ijblfp/wiring.h"
#include "transport/greeting.h"
#include "tests/qemu-user.h"

static int park(struct host *host)
{
	unsigned int before = host->inst->ctl->nr_parked;
	int conn = call_send(host, LFP_CTL_PARK, 0, 0, 0, 0, "", 0, -1);

	host_until(host, host->inst->ctl->nr_parked == before + 1);
	return conn;
}

/* A call through a parked connection, with the arguments of call_wait(). */
static int hand(int parked, int op, int fd)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	request_put(ends[0], op, 0, 0, 0, 4, "", 0, fd);
	request_put(parked, LFP_CTL_HAND, 0, 0, 0, 0, "", 0, ends[1]);
	close(ends[1]);
	return ends[0];
}

static void expect_end(struct host *host, int conn)
{
	char byte;

	host_until(host, recv(conn, &byte, 1, MSG_DONTWAIT) == 0);
}

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

static void ask_directly(int parked, int op, unsigned int flags, int fd)
{
	request_put(parked, op, LFP_CTL_DIRECT | flags, 0, 0, 4, "", 0, fd);
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

/* A program that has changed its user since it parked: the task is the new one's. */
static void whose_task(void **state)
{
	struct host *host = *state;
	int parked = park(host), conn;
	struct ctl_conn *lender;

	lender = lfp_list_entry(lfp_list_first(&host->inst->ctl->parked), struct ctl_conn, place);
	lender->uid = geteuid() + 1;
	conn = dup(parked);
	request_put(parked, LFP_CTL_SOCKET, LFP_CTL_DIRECT, AF_INET, SOCK_STREAM, 0, "", 0, -1);
	host_answer(host, host_expect(host, LFP_SOCKET), ENOBUFS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENOBUFS);
	assert_int_equal(ijblfp_task_find(host->inst->tasks, getpid())->uid, geteuid());
	close(parked);
}

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
		TEST(calls),
		TEST(direct),
		TEST(waits),
		TEST(waits_no_more),
		TEST(waits_at_the_end),
		TEST(waits_for_its_task),
		TEST(no_answer),
		TEST(whose_task),
		TEST(not_direct),
		TEST(wrong),
		TEST(own_connection),
		TEST(foreign_connection),
		TEST(answer_as_request),
		TEST(own_end),
		TEST(bound),
		TEST(paused),
		TEST(left_open),
		TEST(told_too_much),
		TEST(nobody_waits_for_a_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
