/* SPDX-License-Identifier: Apache-2.0 */
/* test-stopper.c - the byte that lets a program see a reset after shutdown(SHUT_WR) */
#include "guarding.h"

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

#include "ijblfp/near/near.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"
#include "tests/qemu-user.h"

#define WINDOW 16384 /* the scripted lfpd's */

/* Linked in place of the calls (-Wl,--wrap). */
int __real_setsockopt(int fd, int level, int name, const void *value, socklen_t len);
int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t len);
int __real_shutdown(int fd, int how);
int __wrap_shutdown(int fd, int how);

static int writer_conn = -1;
static bool writes_before, writes_behind; /* the stopper */

static void let_write(bool *armed)
{
	char c = 0;

	if (!*armed)
		return;
	*armed = false;
	assert_int_equal(send(writer_conn, &c, 1, 0), 1);
	assert_int_equal(recv(writer_conn, &c, 1, 0), 1);
}

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	int rc = __real_setsockopt(fd, level, name, value, len);

	if (level == SOL_SOCKET && name == SO_PEEK_OFF)
		let_write(&writes_before);
	return rc;
}

int __wrap_shutdown(int fd, int how)
{
	if (how == SHUT_WR)
		let_write(&writes_behind);
	return __real_shutdown(fd, how);
}

static void write_when_told(int fd, int conn)
{
	char c;

	while (recv(conn, &c, 1, 0) == 1)
		if (send(fd, "other", 5, MSG_NOSIGNAL) != 5 || send(conn, &c, 1, 0) != 1)
			_exit(1);
	_exit(0);
}

static pid_t start_writer(int fd)
{
	int ends[2];
	pid_t writer;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	writer = fork();
	assert_true(writer >= 0);
	if (writer == 0) {
		close(ends[0]);
		write_when_told(fd, ends[1]);
	}
	close(ends[1]);
	writer_conn = ends[0];
	return writer;
}

static void end_writer(pid_t writer)
{
	int status;

	close(writer_conn);
	writer_conn = -1;
	assert_int_equal(waitpid(writer, &status, 0), writer);
	assert_int_equal(status, 0);
}

struct connection {
	int conn; /* the guard's */
	int near, far;
	uint64_t id;
	struct vsock *vs;
};

static struct connection connect_guarded(struct host *host)
{
	struct connection c = {.conn = guarding_open(host)};

	c.near = guarding_connection(host, &c.id);
	c.far = guarding_expect(host, c.conn, LFP_CTL_GUARD_ADD, c.id);
	c.vs = vsock_find(host->inst->socks, c.id);
	return c;
}

/* The program shuts down writing. Returns true if the instance did it. */
static bool shut(struct host *host, int near)
{
	struct lfp_ctl_reply reply;

	assert_int_equal(call_wait(host,
				   call_send(host, LFP_CTL_SHUTDOWN, 0, SHUT_WR, 0, 0, "", 0, near),
				   &reply, NULL),
			 0);
	if (!reply.value) {
		assert_int_equal(send(near, "x", 1, MSG_NOSIGNAL), -1);
		assert_int_equal(errno, EPIPE);
	}
	return !reply.value;
}

/* Waits until lfpd gets the end, after that number of bytes of this connection. */
static void expect_end(struct host *host, uint64_t bytes)
{
	assert_int_equal(host_expect(host, LFP_SHUTDOWN).how, 1);
	assert_int_equal(host->bytes, bytes);
}

static void host_end(struct host *host, uint64_t id)
{
	host_send(host, (struct lfp_frame){.code = LFP_SHUTDOWN, .sock = id, .shutdown.how = 1});
}

/* The host resets the connection, and the supervisor closes its copy of the far end. */
static void reset(struct host *host, const struct connection *c)
{
	host_send(host, (struct lfp_frame){.code = LFP_RESET, .sock = c->id, .status = ECONNRESET});
	guarding_expect(host, c->conn, LFP_CTL_GUARD_RESET, c->id);
	/* Close by a thread of the instance. */
	assert_int_equal(poll_now(c->near) & POLLHUP, 0);
	close(c->far);
}

static void expect_read(const struct connection *c, ssize_t wanted)
{
	char byte;

	assert_int_equal(recv(c->near, &byte, 1, 0), wanted);
	if (wanted < 0)
		assert_int_equal(errno, ECONNRESET);
}

static void finish(struct host *host, const struct connection *c)
{
	close(c->near);
	host_expect(host, LFP_CLOSE);
	close(c->conn);
}

static void test_reset(void **state)
{
	struct host *host = *state;
	struct connection c = connect_guarded(host);

	assert_true(host->inst->near->finds_stopper);
	assert_int_equal(send(c.near, "abc", 3, 0), 3);
	assert_true(shut(host, c.near));
	expect_end(host, 3);
	assert_int_equal(stream_waiting(c.vs), 0);
	/* A second call does nothing. */
	assert_int_equal(call(host, LFP_CTL_SHUTDOWN, SHUT_WR, 0, c.near), 0);
	assert_int_equal(stream_waiting(c.vs), 0);
	reset(host, &c);
	expect_read(&c, -1);
	expect_read(&c, 0);
	finish(host, &c);
}

/* Without a guard the program asks for the reason of the end, and the caller shuts the socket down.
 */
static void test_not_guarded(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);

	assert_false(shut(host, fd));
	assert_int_equal(send(fd, "abc", 3, MSG_NOSIGNAL), 3);
	host_until(host, host->bytes == 3);
	assert_false(vsock_find(host->inst->socks, id)->stream.has_stopper);
	close(fd);
	host_expect(host, LFP_CLOSE);
}

/* Data before the stopper wait for the window. */
static void test_window(void **state)
{
	struct host *host = *state;
	struct connection c = connect_guarded(host);

	write_block(host, c.near, WINDOW);
	host_until(host, host->bytes == WINDOW);
	assert_int_equal(send(c.near, "abc", 3, 0), 3);
	assert_true(shut(host, c.near));
	assert_int_equal(stream_waiting(c.vs), 3);
	host_send(host,
		  (struct lfp_frame){.code = LFP_WINDOW, .sock = c.id, .window.consumed = WINDOW});
	expect_end(host, WINDOW + 3);
	assert_int_equal(stream_waiting(c.vs), 0);
	reset(host, &c);
	expect_read(&c, -1);
	finish(host, &c);
}

/* Ends of both directions in order leave nothing that the kernel could take for a reset. */
static void test_orderly(void **state)
{
	for (int waits = 0; waits < 2; waits++) {
		struct host *host = *state;
		struct connection c = connect_guarded(host);
		uint64_t before = host->bytes;

		if (waits) {
			write_block(host, c.near, WINDOW);
			host_until(host, host->bytes - before == WINDOW);
			assert_int_equal(send(c.near, "abc", 3, 0), 3);
		}
		assert_true(shut(host, c.near));
		if (!waits)
			expect_end(host, before);
		host_end(host, c.id);
		host_until(host, poll_now(c.near) & POLLIN);
		expect_read(&c, 0);
		if (waits) {
			assert_true(c.vs->stream.has_stopper);
			host_send(host, (struct lfp_frame){.code = LFP_WINDOW,
							   .sock = c.id,
							   .window.consumed = WINDOW});
			expect_end(host, before + WINDOW + 3);
		}
		assert_false(c.vs->stream.has_stopper);
		assert_int_equal(stream_waiting(c.vs), 0);
		end_connection(host->inst, c.vs, 0);
		guarding_expect(host, c.conn, LFP_CTL_GUARD_END, c.id);
		close(c.far);
		expect_read(&c, 0);
		finish(host, &c);
	}
}

/* The end of the host's direction came first: there is no reset to show any more. */
static void test_orderly_first(void **state)
{
	struct host *host = *state;
	struct connection c = connect_guarded(host);

	host_end(host, c.id);
	host_until(host, poll_now(c.near) & POLLIN);
	assert_false(shut(host, c.near));
	assert_false(c.vs->stream.has_stopper);
	close(c.far);
	finish(host, &c);
}

/* Another process writes before the stopper, behind it, or both: nothing is lost and nothing added.
 */
static void test_race(void **state)
{
	for (int how = 1; how < 4; how++) {
		struct host *host = *state;
		struct connection c = connect_guarded(host);
		pid_t writer = start_writer(c.near);
		uint64_t before = host->bytes;
		unsigned int nr_got = host->nr_got;

		assert_int_equal(send(c.near, "abc", 3, 0), 3);
		writes_before = how & 1;
		writes_behind = how & 2;
		assert_true(shut(host, c.near));
		assert_false(writes_before || writes_behind);
		expect_end(host, before + (how == 3 ? 13 : 8));
		for (; nr_got < host->nr_got; nr_got++)
			if (host->got[nr_got].code == LFP_DATA)
				assert_true(strchr("ao", host->got[nr_got].first) &&
					    host->got[nr_got].first);
		assert_int_equal(c.vs->stream.has_stopper, how == 1);
		end_writer(writer);
		reset(host, &c);
		expect_read(&c, how == 1 ? -1 : 0);
		finish(host, &c);
	}
}

/* The program has filled its buffer. */
static void test_full(void **state)
{
	static const char block[4096];
	struct host *host = *state;
	struct connection c = connect_guarded(host);
	uint64_t written = 0;
	ssize_t n;
	int size;

	write_block(host, c.near, WINDOW);
	host_until(host, host->bytes == WINDOW);
	while ((n = send(c.near, block, sizeof(block), MSG_DONTWAIT)) > 0)
		written += (uint64_t)n;
	size = near_option_of(c.near, SO_SNDBUF);
	assert_true(shut(host, c.near));
	assert_int_equal(near_option_of(c.near, SO_SNDBUF), size);
	assert_int_equal(stream_waiting(c.vs), written);
	reset(host, &c);
	expect_read(&c, -1);
	finish(host, &c);
}

static int accept_guarded(struct host *host, struct connection *c)
{
	struct lfp_accept_record record;
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = {&record, sizeof(record)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control,
			     .msg_controllen = sizeof(control)};
	uint64_t id;
	int listener;

	c->conn = guarding_open(host);
	host_task = guarding_program;
	listener = listening_socket(host, &id, 2);
	host_task = 0;
	c->id = LFP_ID_LFPD | 7;
	host_send(host,
		  (struct lfp_frame){
			  .code = LFP_ACCEPTED,
			  .sock = id,
			  .accepted = {.id = c->id, .peer = some_addr(9), .local = some_addr(80)}});
	c->far = guarding_expect(host, c->conn, LFP_CTL_GUARD_ADD, c->id);
	host_until(host, recvmsg(listener, &msg, MSG_DONTWAIT) == sizeof(record));
	memcpy(&c->near, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(c->near));
	c->vs = vsock_find(host->inst->socks, c->id);
	return listener;
}

/* accept() has left an urgent byte, which the instance may not have passed over yet. */
static void test_accepted(void **state)
{
	struct host *host = *state;
	struct connection c = {0};
	int listener = accept_guarded(host, &c), conn;

	assert_int_equal(send(c.near, "!", 1, MSG_OOB), 1);
	assert_int_equal(send(c.near, "abc", 3, 0), 3);
	conn = call_send(host, LFP_CTL_SHUTDOWN, 0, SHUT_WR, 0, 0, "", 0, c.near);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	expect_end(host, 3);
	assert_true(c.vs->stream.has_stopper);
	assert_int_equal(stream_waiting(c.vs), 0);
	reset(host, &c);
	expect_read(&c, -1);
	finish(host, &c);
	close(listener);
}

/* It is the only byte. */
static void test_accepted_only(void **state)
{
	struct host *host = *state;
	struct connection c = {0};
	int listener = accept_guarded(host, &c);

	assert_int_equal(send(c.near, "!", 1, MSG_OOB), 1);
	assert_true(shut(host, c.near));
	expect_end(host, 0);
	assert_true(c.vs->stream.has_stopper);
	host_end(host, c.id);
	host_until(host, poll_now(c.near) & POLLIN);
	assert_false(c.vs->stream.has_stopper);
	expect_read(&c, 0);
	close(c.far);
	finish(host, &c);
	close(listener);
}

/* The program closes the socket in the end, with or without data that it has not read. */
static void test_closed(void **state)
{
	for (int unread = 0; unread < 2; unread++) {
		struct host *host = *state;
		struct connection c = connect_guarded(host);

		assert_true(shut(host, c.near));
		expect_end(host, 0);
		if (unread) {
			host_data(host, c.id, 0, "unread");
			host_until(host, poll_now(c.near) & POLLIN);
		}
		close(c.near);
		assert_int_equal(host_expect(host, LFP_CLOSE).how, unread);
		guarding_expect(host, c.conn, LFP_CTL_GUARD_END, c.id);
		close(c.far);
		close(c.conn);
	}
}

/* Another task takes the socket over, with the unread data but without the stopper. */
static void test_given(void **state)
{
	static const struct lfp_ctl_client any = {AF_INET, "        ", "        "};
	struct host *host = *state;
	struct connection c = connect_guarded(host);
	struct lfp_ctl_reply reply;

	write_block(host, c.near, WINDOW);
	host_until(host, host->bytes == WINDOW);
	assert_int_equal(send(c.near, "abc", 3, 0), 3);
	assert_true(shut(host, c.near));
	assert_int_equal(
		call_wait(host,
			  call_send(host, LFP_CTL_GIVE, 0, 3, 0, 0, &any, sizeof(any), c.near),
			  &reply, NULL),
		0);
	guarding_expect(host, c.conn, LFP_CTL_GUARD_END, c.id);
	assert_false(c.vs->stream.has_stopper);
	host_send(host,
		  (struct lfp_frame){.code = LFP_WINDOW, .sock = c.id, .window.consumed = WINDOW});
	expect_end(host, WINDOW + 3);
	close(c.far);
	close(c.near);
	close(c.conn);
}

/* Where the kernel does not report the senders, no stopper is left, and the caller shuts down. */
static void test_without(void **state)
{
	struct host *host = *state;
	struct connection c = connect_guarded(host);

	host->inst->near->finds_stopper = false;
	assert_false(shut(host, c.near));
	assert_int_equal(send(c.near, "abc", 3, MSG_NOSIGNAL), 3);
	host_until(host, host->bytes == 3);
	close(c.far);
	finish(host, &c);
}

/* Nothing is left in a guarded far end, however long the conversation (peek.h): the stopper is at
 * its place without a look at such bytes. */
static void test_conversation(void **state)
{
	struct host *host = *state;
	struct connection c;
	char byte;

	host->inst->near->window = 262144;
	c = connect_guarded(host);
	for (uint64_t turn = 0; turn < 8; turn++) {
		assert_int_equal(send(c.near, "abc", 3, 0), 3);
		host_until(host, host->bytes == 3 * (turn + 1));
		assert_int_equal(c.vs->stream.peek.left, 0);
		assert_int_equal(stream_waiting(c.vs), 0);
		host_data(host, c.id, turn, "y");
		host_until(host, recv(c.near, &byte, 1, MSG_DONTWAIT) == 1);
	}
	assert_int_equal(send(c.near, "abc", 3, 0), 3);
	host_until(host, host->bytes == 27);
	assert_true(c.vs->stream.peek.turns > 1);
	assert_true(shut(host, c.near));
	expect_end(host, 27);
	assert_int_equal(stream_waiting(c.vs), 0);
	reset(host, &c);
	expect_read(&c, -1);
	finish(host, &c);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, guarding_set_up, guarding_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_reset),        TEST(test_not_guarded),   TEST(test_window),
		TEST(test_orderly),      TEST(test_orderly_first), TEST(test_race),
		TEST(test_full),         TEST(test_accepted),      TEST(test_accepted_only),
		TEST(test_closed),       TEST(test_given),         TEST(test_without),
		TEST(test_conversation),
	};

	QEMU_USER_CANNOT("SO_PEEK_OFF");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
