/* SPDX-License-Identifier: Apache-2.0 */
/* test-instance.c - a hosted instance against a scripted lfpd: each state, and errors of lfpd */
#include "host.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/ctl/ctl-state.h"
#include "lfp/log.h"

static int so_error(struct host *host, int fd)
{
	struct lfp_ctl_reply reply;
	int conn = call_send(host, LFP_CTL_GETSOCKOPT, 0, SOL_SOCKET, SO_ERROR, 4, "", 0, fd),
	    error;

	assert_int_equal(call_wait(host, conn, &reply, NULL), 0);
	assert_int_equal(reply.len, sizeof(error));
	memcpy(&error, reply.data, sizeof(error));
	return error;
}

static void new_one(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id);

	assert_int_equal(call(host, LFP_CTL_PING, 0, 0, -1), 0);
	assert_int_equal(poll_now(fd), POLLOUT | POLLHUP);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), ENOTCONN);
	assert_int_equal(call(host, LFP_CTL_SHUTDOWN, SHUT_RDWR, 0, fd), ENOTCONN);
	/* No event reports its close: the sweep finds it. */
	close(fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
}

static void data_both_ways(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(80);
	uint64_t id;
	int fd = connected_socket(host, &id), conn;
	char buf[16] = "";

	/* connect() again: it reports a success once, when there is one. */
	for (int want = 0;; want = EISCONN) {
		conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), fd);
		assert_int_equal(call_wait(host, conn, NULL, NULL), want);
		if (want)
			break;
	}
	assert_int_equal(send(fd, "hello", 5, 0), 5);
	assert_int_equal(host_expect(host, LFP_DATA).count, 5);
	host_data(host, id, 0, "world");
	host_until(host, poll_now(fd) & POLLIN);
	assert_int_equal(recv(fd, buf, sizeof(buf), 0), 5);
	assert_string_equal(buf, "world");

	host_send(host, (struct lfp_frame){.code = LFP_SHUTDOWN,
					   .sock = id,
					   .shutdown = {.how = 1, .position = 5}});
	host_until(host, poll_now(fd) & POLLRDHUP);
	assert_int_equal(recv(fd, buf, sizeof(buf), 0), 0);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), 0);
	/* A shutdown and a close differ. */
	shutdown(fd, SHUT_WR);
	assert_int_equal(host_expect(host, LFP_SHUTDOWN).how, 1);
	assert_int_equal(poll_now(fd), POLLIN | POLLOUT | POLLHUP | POLLRDHUP);
	close(fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).how, 0);
}

static void close_with_data_unread(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);

	host_data(host, id, 0, "unread");
	host_until(host, poll_now(fd) & POLLIN);
	assert_int_equal(send(fd, "last", 4, 0), 4);
	close(fd);
	assert_int_equal(host_expect(host, LFP_DATA).count, 4);
	assert_int_equal(host_expect(host, LFP_CLOSE).how, 1);
}

/* The program writes until lfpd's window and the near end are full. */
static void fill_window(struct host *host, int fd)
{
	char block[1000] = {0};

	for (int quiet = 0; quiet < 20; quiet++) {
		if (send(fd, block, sizeof(block), MSG_DONTWAIT) > 0)
			quiet = 0;
		host_turn(host);
	}
}

/* It does not wait for a window. */
static void close_with_data_unread_and_unsent(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);

	fill_window(host, fd);
	host_data(host, id, 0, "unread");
	host_until(host, poll_now(fd) & POLLIN);
	close(fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).how, 1);
}

/* Data that comes later than the close does not matter either. */
static void data_after_the_close(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);

	fill_window(host, fd);
	close(fd);
	for (int i = 0; i < 20; i++)
		host_turn(host);
	host_data(host, id, 0, "unread");
	assert_int_equal(host_expect(host, LFP_CLOSE).how, 1);
}

static void window_out(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);

	fill_window(host, fd);
	assert_int_equal(host->bytes, 16384); /* lfpd's window, and not a byte more */
	host_send(host,
		  (struct lfp_frame){.code = LFP_WINDOW, .sock = id, .window.consumed = 1000});
	host_until(host, host->bytes == 17384);
	close(fd);
}

static void window_in(void **state)
{
	struct host *host = *state;
	char text[1001], buf[4096];
	uint64_t id, position = 0, told = 0, got = 0;
	int fd = connected_socket(host, &id);

	memset(text, 'x', 1000);
	text[1000] = '\0';
	/* The program reads nothing: the near end's buffer fills, and then a window of the
	 * instance. */
	while (position + 1000 <= told + 8192) {
		host_data(host, id, position, text);
		position += 1000;
		path_flush(host->path);
		for (int i = 0; i < 5; i++)
			host_turn(host);
		while (host->seen < host->nr_got)
			if (host->got[host->seen++].code == LFP_WINDOW)
				told = host->got[host->seen - 1].consumed;
	}
	assert_true(told > 0 && told < position);
	while (got < position) {
		ssize_t n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);

		if (n > 0)
			got += (uint64_t)n;
		else
			host_turn(host);
	}
	close(fd);
}

static void refused(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(81);
	uint64_t id;
	int fd = new_socket(host, &id), conn;

	conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), fd);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EALREADY);
	host_send(host,
		  (struct lfp_frame){.code = LFP_CONNECTED, .sock = id, .status = ECONNREFUSED});
	host_until(host, poll_now(fd) == (POLLIN | POLLOUT | POLLERR | POLLHUP | POLLRDHUP));
	assert_int_equal(so_error(host, fd), ECONNREFUSED);
	assert_int_equal(so_error(host, fd), 0);
	/* lfpd keeps its socket as long as the program has the near end. */
	conn = call_send(host, LFP_CTL_GETPEERNAME, 0, 0, 0, 0, "", 0, fd);
	host_answer(host, host_expect(host, LFP_GETPEERNAME), ENOTCONN);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENOTCONN);
	close(fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
}

static void blocking(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(81);
	uint64_t id;
	int fd = new_socket(host, &id), conn;

	conn = call_send(host, LFP_CTL_CONNECT, LFP_CTL_BLOCKING, 0, 0, 0, &peer, sizeof(peer), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	host_turn(host);
	assert_int_equal(poll_now(fd), POLLOUT | POLLHUP);
	host_send(host,
		  (struct lfp_frame){.code = LFP_CONNECTED, .sock = id, .status = ECONNREFUSED});
	assert_int_equal(call_wait(host, conn, NULL, NULL), ECONNREFUSED);
	/* The socket is as new, and connects. */
	assert_int_equal(poll_now(fd), POLLOUT | POLLHUP);
	conn = call_send(host, LFP_CTL_CONNECT, LFP_CTL_BLOCKING, 0, 0, 0, &peer, sizeof(peer), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	host_send(host, (struct lfp_frame){.code = LFP_CONNECTED, .sock = id});
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(poll_now(fd), POLLOUT);
	close(fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
}

static void detached(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(81);
	struct lfp_ctl_request detach = {.magic = LFP_CTL_MAGIC, .op = LFP_CTL_DETACH};
	uint64_t id;
	int fd = new_socket(host, &id), conn, other;

	conn = call_send(host, LFP_CTL_CONNECT, LFP_CTL_BLOCKING, 0, 0, 0, &peer, sizeof(peer), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	host_turn(host);
	assert_int_equal(send(conn, &detach, LFP_CTL_REQUEST_HEAD, 0), LFP_CTL_REQUEST_HEAD);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	assert_int_equal(poll_now(fd), 0);
	/* A second blocking call waits for the same connection; a caller that is killed does no
	 * harm. */
	conn = call_send(host, LFP_CTL_CONNECT, LFP_CTL_BLOCKING, 0, 0, 0, &peer, sizeof(peer), fd);
	other = call_send(host, LFP_CTL_CONNECT, LFP_CTL_BLOCKING, 0, 0, 0, &peer, sizeof(peer),
			  fd);
	host_turn(host);
	close(other);
	host_turn(host);
	host_send(host, (struct lfp_frame){.code = LFP_CONNECTED, .sock = id});
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(poll_now(fd), POLLOUT);
	close(fd);
}

/* The program dies in connect(): the far end shows whether another process has the socket. */
static void killed_in_connect(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(81);
	uint64_t id;
	int fd = new_socket(host, &id), conn;

	conn = call_send(host, LFP_CTL_CONNECT, LFP_CTL_BLOCKING, 0, 0, 0, &peer, sizeof(peer), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	host_turn(host);
	close(fd);
	close(conn);
	assert_int_equal(host_expect(host, LFP_CLOSE).how, 1);
}

static void reset(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);
	char buf[8];

	host_data(host, id, 0, "abc");
	host_send(host, (struct lfp_frame){.code = LFP_RESET, .sock = id, .status = ECONNRESET});
	host_until(host, poll_now(fd) & POLLHUP);
	assert_int_equal(recv(fd, buf, sizeof(buf), 0), 3);
	assert_int_equal(recv(fd, buf, sizeof(buf), 0), 0);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), ECONNRESET);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), 0);
	assert_int_equal(call(host, LFP_CTL_SHUTDOWN, SHUT_WR, 0, fd), ENOTCONN);
	close(fd);
}

/* At the limit, closed sockets that were not noticed yet make room at once. */
static void limit(void **state)
{
	struct host *host = *state;
	uint64_t id, other;
	int fd = new_socket(host, &id), conn, again;
	struct got got;

	conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, -1);
	host_answer(host, host_expect(host, LFP_SOCKET), ENFILE);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENFILE);
	conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, -1);
	got = host_expect(host, LFP_SOCKET);
	other = got.sock;
	/* Not before the call: the sweep could have noticed it by then. */
	close(fd);
	host_answer(host, got, ENFILE);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
	got = host_expect(host, LFP_SOCKET);
	assert_true(got.sock != other);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, &again), 0);
	close(again);
}

static void path_lost(void **state)
{
	struct host *host = *state;
	uint64_t id, listener;
	int fd = connected_socket(host, &id), fresh = new_socket(host, &id), conn;
	int passive = listening_socket(host, &listener, 5), names[4];
	struct lfp_addr addr = some_addr(80);
	const struct {
		int op;
		uint8_t code;
		const void *data;
		size_t len;
	} name_calls[] = {
		{LFP_CTL_GETHOSTNAME, LFP_GETHOSTNAME, "", 0},
		{LFP_CTL_GETHOSTBYNAME, LFP_GETHOSTBYNAME, "name", 5},
		{LFP_CTL_GETADDRINFO, LFP_GETADDRINFO, "\1name\0", 7},
		{LFP_CTL_GETNAMEINFO, LFP_GETNAMEINFO, &addr, sizeof(addr)},
	};
	char c;

	conn = call_send(host, LFP_CTL_GETSOCKNAME, 0, 0, 0, 0, "", 0, fresh);
	host_expect(host, LFP_GETSOCKNAME);
	for (int i = 0; i < 4; i++) {
		names[i] = call_send(host, name_calls[i].op, 0, AF_INET, 0, 0, name_calls[i].data,
				     name_calls[i].len, -1);
		host_expect(host, name_calls[i].code);
	}
	/* A frame out of place in the dialogue of the session ends the path. */
	host_deafen(host);
	host_send(host, (struct lfp_frame){.code = LFP_SUSPENDED});
	host_until(host, !host->path);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENETDOWN);
	for (int i = 0; i < 4; i++)
		assert_int_equal(call_wait(host, names[i], NULL, NULL), ENETDOWN);
	assert_int_equal(call(host, LFP_CTL_PING, 0, 0, -1), ENETDOWN);
	assert_int_equal(recv(fd, &c, 1, MSG_DONTWAIT), 0);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), ECONNRESET);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), 0);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, passive), ENETDOWN);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, passive), ENETDOWN);
	assert_int_equal(call(host, LFP_CTL_LISTEN, 1, 0, fresh), ENETDOWN);
	close(fd);
	close(fresh);
	close(passive);
	/* The path comes back by itself. */
	host_listen(host);
	host_until(host, call(host, LFP_CTL_PING, 0, 0, -1) == 0);
	close(new_socket(host, &id));
}

/* Calls that wait for a descriptor are taken when there is one, however long the lack lasted. */
static void short_for_long(void **state)
{
	struct host *host = *state;
	struct instance *inst = host->inst;
	unsigned int descriptors = inst->descriptors->limit;
	int conn;

	inst->descriptors->limit = 0;
	assert_int_equal(call(host, LFP_CTL_PING, 0, 0, -1), 0); /* with the kept descriptors */
	assert_true(inst->ctl->starved);
	conn = call_send(host, LFP_CTL_PING, 0, 0, 0, 0, "", 0, -1);
	for (int i = 0; i < 3; i++) {
		inst->descriptors->last_short -= 60000;
		host_until(host, inst->descriptors->last_short + 30000 > uv_now(&host->loop));
	}
	assert_true(inst->descriptors->said_short);
	inst->descriptors->limit = descriptors;
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_false(inst->ctl->starved);
}

static void garbage(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), pair[2];
	int conn = call_send(host, 0, 0, 0, 0, 0, "", 0, -1);

	assert_int_equal(call_wait(host, conn, NULL, NULL), EINVAL);
	assert_int_equal(call(host, 999, 0, 0, fd), EINVAL);
	assert_int_equal(call(host, LFP_CTL_BIND, 0, 0, -1), EBADF);
	assert_int_equal(call(host, LFP_CTL_BIND, 0, 0, 0), EBADF);
	assert_int_equal(call(host, LFP_CTL_BIND, 0, 0, fd), EINVAL);
	assert_int_equal(call(host, LFP_CTL_DETACH, 0, 0, fd), EINVAL);
	assert_int_equal(call(host, LFP_CTL_SOCKET, AF_INET, SOCK_RAW, -1), EPERM);
	assert_int_equal(call(host, LFP_CTL_SOCKET, AF_UNIX, SOCK_STREAM, -1), EAFNOSUPPORT);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(call(host, LFP_CTL_LISTEN, 0, 0, pair[0]), EBADF);
	close(pair[0]);
	close(pair[1]);
	close(fd);
}

static void wrong_peer(void **state)
{
	struct host *host = host_create();

	(void)state;
	host->vmid = "OTHER";
	host_start(host);
	assert_int_equal(host->started, -ECONNREFUSED);
	host_destroy(host);
}

static void refusing_peer(void **state)
{
	struct host *host = host_create();

	(void)state;
	host->hello_status = EBUSY;
	host_start(host);
	assert_int_equal(host->started, -ECONNREFUSED);
	host_destroy(host);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(new_one),
		TEST(data_both_ways),
		TEST(close_with_data_unread),
		TEST(close_with_data_unread_and_unsent),
		TEST(data_after_the_close),
		TEST(window_out),
		TEST(window_in),
		TEST(refused),
		TEST(blocking),
		TEST(detached),
		TEST(killed_in_connect),
		TEST(reset),
		TEST(limit),
		TEST(path_lost),
		TEST(short_for_long),
		TEST(garbage),
		cmocka_unit_test(wrong_peer),
		cmocka_unit_test(refusing_peer),
	};

	lfp_log_set_info(false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
