/* SPDX-License-Identifier: Apache-2.0 */
/* test-calls.c - calls that are more than one request to lfpd: another attempt to connect, data on
 * the way, options that concern the instance itself */
#include "host.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ijblfp/near/near-names.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/sweep.h"
#include "lfp/datagram.h"

#define WINDOW 16384 /* the scripted lfpd's */

/* struct tcp_info up to tcpi_notsent_bytes */
#define INFO_SIZE  148
#define NOTSENT_AT 144

static int begin_connect(struct host *host, int fd)
{
	struct lfp_addr peer = some_addr(80);

	return call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), fd);
}

/* Connects @fd without waiting. lfpd ends the attempt with @status. */
static void make_connection(struct host *host, int fd, uint64_t id, uint16_t status)
{
	int conn = begin_connect(host, fd);

	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	host_send(host, (struct lfp_frame){.code = LFP_CONNECTED, .sock = id, .status = status});
	host_until(host, poll_now(fd) & POLLOUT);
}

static int connected(struct host *host, uint64_t *id)
{
	int fd = new_socket(host, id);

	make_connection(host, fd, *id, 0);
	return fd;
}

/* The near end after RENEW. */
static int renew(struct host *host, int fd)
{
	int fresh, conn = call_send(host, LFP_CTL_RENEW, 0, 0, 0, 0, "", 0, fd);

	assert_int_equal(call_wait(host, conn, NULL, &fresh), 0);
	return fresh;
}

/* A RENEW that fails leaves the socket as it is, for another try. */
static void renews_after_a_failed_renew(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_reply reply;
	uint64_t id;
	int fd = new_socket(host, &id), fresh, dir, conn;

	make_connection(host, fd, id, ECONNREFUSED);
	assert_int_equal(call_wait(host, begin_connect(host, fd), &reply, NULL), EBADFD);
	/* A near end cannot be made: its directory is gone. */
	dir = host->inst->near->names.dir;
	host->inst->near->names.dir = -1;
	assert_int_equal(call(host, LFP_CTL_RENEW, 0, 0, fd), EBADF);
	host->inst->near->names.dir = dir;
	assert_int_equal(sweep_some(host->inst, SIZE_MAX, 0), 0);
	/* The answer does not arrive. */
	conn = call_send(host, LFP_CTL_RENEW, 0, 0, 0, 0, "", 0, fd);
	close(conn);
	assert_int_equal(call(host, LFP_CTL_PING, 0, 0, -1), 0);
	assert_int_equal(sweep_some(host->inst, SIZE_MAX, 0), 0);
	fresh = renew(host, fd);
	assert_int_equal(call(host, LFP_CTL_RENEW, 0, 0, fd), EBADF);
	close(fd);
	make_connection(host, fresh, id, 0);
	close(fresh);
	host_expect(host, LFP_CLOSE);
}

static void connects_after_a_failure(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_reply reply;
	uint64_t id;
	int fd = new_socket(host, &id), fresh;

	make_connection(host, fd, id, ECONNREFUSED);
	assert_int_equal(call(host, LFP_CTL_RENEW, 0, 0, fd), EINVAL);
	/* Only the first call reports how the connection ended. */
	assert_int_equal(call_wait(host, begin_connect(host, fd), &reply, NULL), EBADFD);
	assert_int_equal(reply.value, ECONNREFUSED);
	fresh = renew(host, fd);
	assert_int_equal(call(host, LFP_CTL_RENEW, 0, 0, fd), EBADF);
	close(fd);
	assert_int_equal(poll_now(fresh), POLLOUT | POLLHUP);
	make_connection(host, fresh, id, ECONNREFUSED);
	assert_int_equal(call_wait(host, begin_connect(host, fresh), &reply, NULL), EBADFD);
	fd = renew(host, fresh);
	close(fresh);
	make_connection(host, fd, id, 0);
	host_data(host, id, 0, "hello");
	host_until(host, poll_now(fd) & POLLIN);
	close(fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
}

/* connect() to AF_UNSPEC, with data undelivered in both directions. */
static void dissolved(void **state)
{
	struct host *host = *state;
	struct lfp_addr unspec = {.family = LFP_AF_UNSPEC};
	struct lfp_ctl_reply reply;
	uint64_t id;
	int fd = connected(host, &id), conn, fresh;

	host_data(host, id, 0, "unread");
	host_until(host, poll_now(fd) & POLLIN);
	conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &unspec, sizeof(unspec), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), 0);
	assert_int_equal(call_wait(host, conn, &reply, NULL), EBADFD);
	assert_int_equal(reply.value, 0);
	fresh = renew(host, fd);
	close(fd);
	make_connection(host, fresh, id, 0);
	assert_int_equal(host_expect(host, LFP_WINDOW).consumed, 6);
	host_data(host, id, 6, "more");
	host_until(host, poll_now(fresh) & POLLIN);
	close(fresh);
	/* with data unread */
	assert_int_equal(host_expect(host, LFP_CLOSE).how, 1);
}

/* A lost connection is one that existed. */
static void lost_is_connected(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected(host, &id);

	assert_int_equal(call_wait(host, begin_connect(host, fd), NULL, NULL), 0);
	host_send(host, (struct lfp_frame){.code = LFP_RESET, .sock = id, .status = ECONNRESET});
	host_until(host, poll_now(fd) & POLLHUP);
	assert_int_equal(call_wait(host, begin_connect(host, fd), NULL, NULL), EISCONN);
	/* The error is reported once, to whichever call asks first. */
	assert_int_equal(call(host, LFP_CTL_WHY_EPIPE, 0, 0, fd), ECONNRESET);
	assert_int_equal(call(host, LFP_CTL_WHY_EPIPE, 0, 0, fd), 0);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), 0);
	close(fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
}

/* lfpd looks for a reset of a socket whose both directions are shut only when it is asked. */
static void lost_is_found(void **state)
{
	static const int ops[] = {LFP_CTL_WHY_EOF, LFP_CTL_WHY_EPIPE, LFP_CTL_GETSOCKOPT};
	struct host *host = *state;

	for (unsigned int i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		bool as_option = ops[i] == LFP_CTL_GETSOCKOPT;
		int a = as_option ? SOL_SOCKET : 0, b = as_option ? SO_ERROR : 0, c = sizeof(int);
		struct lfp_ctl_reply reply;
		struct got got;
		uint64_t id;
		int fd = connected(host, &id), conn, shut;

		assert_int_equal(call(host, LFP_CTL_SHUTDOWN, SHUT_RDWR, 0, fd), 0);
		assert_int_equal(shutdown(fd, SHUT_RDWR), 0);
		assert_int_equal(host_expect(host, LFP_SHUTDOWN).how, 0);
		assert_int_equal(host_expect(host, LFP_SHUTDOWN).how, SHUT_WR);
		conn = call_send(host, ops[i], 0, a, b, c, "", 0, fd);
		got = host_expect(host, LFP_GETSOCKOPT);
		host_send(host,
			  (struct lfp_frame){.code = LFP_RESET, .sock = id, .status = ECONNRESET});
		host_answer(host, got, 0);
		assert_int_equal(call_wait(host, conn, &reply, NULL), as_option ? 0 : ECONNRESET);
		/* Once. */
		assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), 0);
		close(fd);
		assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);

		/* It has not come. shutdown() asks in its own way. */
		fd = connected(host, &id);
		assert_int_equal(call(host, LFP_CTL_SHUTDOWN, SHUT_RDWR, 0, fd), 0);
		assert_int_equal(shutdown(fd, SHUT_RDWR), 0);
		assert_int_equal(host_expect(host, LFP_SHUTDOWN).how, 0);
		assert_int_equal(host_expect(host, LFP_SHUTDOWN).how, SHUT_WR);
		conn = call_send(host, ops[i], 0, a, b, c, "", 0, fd);
		host_answer(host, host_expect(host, LFP_GETSOCKOPT), 0);
		assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
		shut = call_send(host, LFP_CTL_SHUTDOWN, 0, SHUT_RDWR, 0, 0, "", 0, fd);
		host_answer(host, host_expect(host, LFP_GETPEERNAME), ENOTCONN);
		assert_int_equal(call_wait(host, shut, NULL, NULL), ENOTCONN);
		close(fd);
	}
}

/* Data from before the reset is read; writing fails at once. */
static void writes_fail_before_the_rest_is_read(void **state)
{
	struct host *host = *state;
	static char block[1500];
	uint64_t id, sent = 0;
	int fd = connected(host, &id), left = 0;
	char buf[4096];
	ssize_t n;

	memset(block, 'x', sizeof(block) - 1);
	for (int i = 0; i < 5; i++) {
		host_data(host, id, sent, block);
		sent += sizeof(block) - 1;
	}
	host_send(host, (struct lfp_frame){.code = LFP_RESET, .sock = id, .status = ECONNRESET});
	host_until(host, send(fd, "x", 1, MSG_NOSIGNAL) < 0);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(call(host, LFP_CTL_WHY_EPIPE, 0, 0, fd), ECONNRESET);
	host_until(host, (n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT)) == 0 ||
				 (n > 0 && (left += (int)n, false)));
	assert_int_equal(left, sent);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), 0);
	close(fd);
}

static void set_option(struct host *host, int fd, int level, int name, const void *value,
		       size_t len)
{
	int conn = call_send(host, LFP_CTL_SETSOCKOPT, 0, level, name, 0, value, len, fd);

	host_answer(host, host_expect(host, LFP_SETSOCKOPT), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
}

/* The program is answered at once. Its next call comes later on the path. */
static void certain_options(void **state)
{
	struct host *host = *state;
	int fd, on = 1, conn;
	uint64_t id;
	struct got got;

	fd = connected(host, &id);
	conn = call_send(host, LFP_CTL_SETSOCKOPT, 0, IPPROTO_TCP, TCP_NODELAY, 0, &on, sizeof(on),
			 fd);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(write(fd, "x", 1), 1);
	got = host_expect(host, LFP_SETSOCKOPT);
	host_expect(host, LFP_DATA);
	host_answer(host, got, 0);
	/* A reply that is too short is not certain. */
	conn = call_send(host, LFP_CTL_SETSOCKOPT, 0, IPPROTO_TCP, TCP_NODELAY, 0, &on, 1, fd);
	host_answer(host, host_expect(host, LFP_SETSOCKOPT), EINVAL);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINVAL);
	close(fd);
}

/* With SO_LINGER 0 a close does not wait for the window, and throws away waiting data. */
static void discards(void **state)
{
	static const struct linger reset = {.l_onoff = 1};
	struct host *host = *state;
	uint64_t id;
	int fd = connected(host, &id);

	set_option(host, fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	write_block(host, fd, WINDOW);
	host_until(host, host->bytes == WINDOW);
	assert_int_equal(write(fd, "late", 4), 4);
	host_turn(host);
	close(fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).how, 1);
	assert_int_equal(host->bytes, WINDOW);
}

static int ask_outq(struct host *host, int fd, int unsent, uint64_t id, uint64_t consumed)
{
	int conn = call_send(host, LFP_CTL_OUTQ, 0, unsent, 0, 0, "", 0, fd);
	struct got got = host_expect(host, LFP_OUTQ);
	struct lfp_ctl_reply reply;

	host_send(host,
		  (struct lfp_frame){.code = LFP_WINDOW, .sock = id, .window.consumed = consumed});
	host_send(host, (struct lfp_frame){.code = LFP_OUTQ_REPLY,
					   .sock = got.sock,
					   .request = got.request,
					   .outq = {.unacked = 100, .unsent = 10}});
	assert_int_equal(call_wait(host, conn, &reply, NULL), 0);
	return reply.value;
}

/* The pair, the path and the host count. */
static void on_the_way(void **state)
{
	struct host *host = *state;
	uint8_t info[INFO_SIZE] = {0};
	struct lfp_ctl_reply reply;
	uint32_t notsent;
	uint64_t id;
	int fd = connected(host, &id), conn;
	struct got got;

	write_block(host, fd, WINDOW + 50);
	host_until(host, host->bytes == WINDOW);
	assert_int_equal(ask_outq(host, fd, 0, id, 0), 100 + WINDOW + 50);
	assert_int_equal(ask_outq(host, fd, 1, id, 0), 10 + WINDOW + 50);
	assert_int_equal(ask_outq(host, fd, 0, id, WINDOW), 100 + 50);
	host_until(host, host->bytes == WINDOW + 50);
	assert_int_equal(ask_outq(host, fd, 0, id, WINDOW + 50), 100);

	assert_int_equal(write(fd, "abc", 3), 3);
	host_until(host, host->bytes == WINDOW + 53);
	conn = call_send(host, LFP_CTL_GETSOCKOPT, 0, IPPROTO_TCP, TCP_INFO, INFO_SIZE, "", 0, fd);
	got = host_expect(host, LFP_GETSOCKOPT);
	info[NOTSENT_AT + 3] = 7;
	host_send(host, (struct lfp_frame){.code = LFP_GETSOCKOPT_REPLY,
					   .sock = got.sock,
					   .request = got.request,
					   .value.value = {info, sizeof(info)}});
	assert_int_equal(call_wait(host, conn, &reply, NULL), 0);
	assert_int_equal(reply.len, INFO_SIZE);
	memcpy(&notsent, reply.data + NOTSENT_AT, sizeof(notsent));
	assert_int_equal(notsent, 7 + 3);
	close(fd);
}

static int ask_held(struct host *host, int fd)
{
	int conn = call_send(host, LFP_CTL_HELD, 0, 0, 0, 0, "", 0, fd);
	struct lfp_ctl_reply reply;

	assert_int_equal(call_wait(host, conn, &reply, NULL), 0);
	return reply.value;
}

/* The near end has no room for all of the pieces, however small they are. */
static void held(void **state)
{
	enum { PIECES = 500 };
	struct host *host = *state;
	char buf[PIECES];
	uint64_t id;
	int fd = connected(host, &id), there, left = 0;
	ssize_t n;

	assert_int_equal(ask_held(host, fd), 0);
	for (uint64_t i = 0; i < PIECES; i++) {
		host_data(host, id, i, "x");
		host_turn(host);
	}
	host_until(host, ioctl(fd, FIONREAD, &there) == 0 && there + ask_held(host, fd) == PIECES);
	assert_true(there < PIECES);
	host_until(host, (n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT)) > 0 &&
				 (left += (int)n) == PIECES);
	assert_int_equal(ask_held(host, fd), 0);
	close(fd);
}

/* A program without a descriptor to spare brings the socket that becomes its near end. */
static void adopted(void **state)
{
	struct host *host = *state;
	struct sockaddr_un name;
	socklen_t len = sizeof(name);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), pair[2], conn;
	struct got got;

	conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, fd);
	got = host_expect(host, LFP_SOCKET);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&name, &len), 0);
	assert_true(lfp_near_path(&name, len));
	assert_false(lfp_near_is_datagram(&name));
	make_connection(host, fd, got.sock, 0);
	close(fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, got.sock);

	/* Only a new socket can become one. */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, pair[0]);
	host_answer(host, host_expect(host, LFP_SOCKET), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINVAL);
	host_expect(host, LFP_CLOSE);
	close(pair[0]);
	close(pair[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(connects_after_a_failure),
		TEST(renews_after_a_failed_renew),
		TEST(dissolved),
		TEST(lost_is_connected),
		TEST(lost_is_found),
		TEST(writes_fail_before_the_rest_is_read),
		TEST(certain_options),
		TEST(discards),
		TEST(on_the_way),
		TEST(held),
		TEST(adopted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
