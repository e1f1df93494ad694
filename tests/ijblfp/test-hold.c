/* SPDX-License-Identifier: Apache-2.0 */
/* test-hold.c - a session whose lfpd restarts: what is held, what is said on the next path, what is
 * reset */
#include "datagram.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/admin.h"
#include "lfp/places.h"

#define SESSION 0x1122334455667788ull

static int setup_time(void **state, unsigned int seconds)
{
	struct host *host = host_create();

	host->features = LFP_FEATURE_RESUME;
	host->session = SESSION;
	host->hold_time = seconds;
	host_start(host);
	assert_int_equal(host->started, 0);
	*state = host;
	return 0;
}

static int setup(void **state)
{
	return setup_time(state, 30);
}

static int setup_short(void **state)
{
	return setup_time(state, 1);
}

static int setup_none(void **state)
{
	return setup_time(state, 0);
}

static int listening(struct host *host, uint64_t *id)
{
	int fd = listening_socket(host, id, 4);

	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 2);
	return fd;
}

static void send_plain(struct host *host, uint8_t code)
{
	host_send(host, (struct lfp_frame){.code = code});
}

/* SUSPEND and its answer: the instance says nothing more on this path. */
static void suspend(struct host *host)
{
	send_plain(host, LFP_SUSPEND);
	host_expect(host, LFP_SUSPENDED);
}

/* The path ends, and the next one asks for the session. */
static void go_away(struct host *host)
{
	host->asked_for = 0;
	send_plain(host, LFP_SUSPENDED);
	host_until(host, !host->path);
	assert_string_equal(host->bye, "suspended");
	assert_int_equal(host->seen, host->nr_got);
	host_until(host, host->path && host->asked_for);
	assert_int_equal(host->asked_for, SESSION);
}

static void answer_resume(struct host *host, struct got got, uint16_t status, uint64_t sent,
			  uint64_t received)
{
	host_send(host, (struct lfp_frame){.code = LFP_RESUME_REPLY,
					   .sock = got.sock,
					   .request = got.request,
					   .status = status,
					   .resume = {.sent = sent, .received = received}});
}

/* RESUME of each socket, answered with what the instance says itself, but for @other. */
static struct got resume_all(struct host *host, unsigned int nr, uint64_t other)
{
	struct got found = {.code = 0};

	for (unsigned int i = 0; i < nr; i++) {
		struct got got = host_expect(host, LFP_RESUME);

		if (got.sock == other)
			found = got;
		else
			answer_resume(host, got, 0, got.resume.received, got.resume.sent);
	}
	return found;
}

static void finish_resume(struct host *host)
{
	host_answer(host, host_expect(host, LFP_RESUMED), 0);
	host_until(host, host->inst->link.hold.phase == HOLD_NONE);
}

static const char *device(struct host *host)
{
	static char value[32];
	char path[LFP_PLACE_MAX];
	struct sockaddr_un addr;
	char answer[8192];
	size_t len = 0;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	assert_int_equal(lfp_place_vse(path, "07", "op"), 0);
	assert_int_equal(lfp_unix_addr(&addr, path), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(write(fd, "info\n", 5), 5);
	for (;;) {
		ssize_t n;

		host_until(host, (n = read(fd, answer + len, sizeof(answer) - 1 - len)) >= 0);
		if (n == 0)
			break;
		len += (size_t)n;
	}
	close(fd);
	answer[len] = '\0';
	assert_int_equal(lfp_admin_value(answer, "device", value, sizeof(value)), 0);
	return value;
}

/* --- what goes on ------------------------------------------------------------------------ */

static void test_streams(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);
	char text[16] = "";
	struct got got;

	assert_int_equal(write(fd, "abc", 3), 3);
	assert_int_equal(host_expect(host, LFP_DATA).count, 3);
	host_data(host, id, 0, "12345");
	host_until(host, poll_now(fd) & POLLIN);
	assert_string_equal(device(host), "ACTIVE");

	suspend(host);
	/* What lfpd has still to say counts; what the program writes waits. */
	host_data(host, id, 5, "678");
	assert_int_equal(write(fd, "defg", 4), 4);
	shutdown(fd, SHUT_WR);
	go_away(host);
	assert_string_equal(device(host), "SUSPENDED");

	got = host_expect(host, LFP_RESUME);
	assert_int_equal(got.sock, id);
	assert_int_equal(got.resume.sent, 3);
	assert_int_equal(got.resume.received, 8);
	answer_resume(host, got, 0, 8, 3);
	assert_int_equal(host->bytes, 3);
	finish_resume(host);
	got = host_expect(host, LFP_DATA);
	assert_int_equal(got.count, 4);
	assert_int_equal(got.first, 'd');
	assert_int_equal(host_expect(host, LFP_SHUTDOWN).how, SHUT_WR);
	assert_int_equal(read(fd, text, sizeof(text)), 8);
	assert_string_equal(text, "12345678");
	host_data(host, id, 8, "9");
	host_until(host, poll_now(fd) & POLLIN);
	assert_int_equal(read(fd, text, sizeof(text)), 1);
	assert_string_equal(device(host), "ACTIVE");
	close(fd);
	host_expect(host, LFP_CLOSE);
}

/* Windows and ends of sockets, said while nothing can be said. */
static void test_frames_wait(void **state)
{
	struct host *host = *state;
	static const char block[4000];
	uint64_t id, closed, never;
	int fd = connected_socket(host, &id), other = connected_socket(host, &closed),
	    fresh = new_socket(host, &never);
	struct got got;
	uint8_t *at;

	suspend(host);
	assert_int_equal(path_data_reserve(host->path, 1900, &at), 1900);
	memset(at, 0, 1900);
	path_data_commit(host->path, id, 0, 1900, 0);
	assert_true(path_data_reserve(host->path, 1900, &at) == 1900);
	memset(at, 0, 1900);
	path_data_commit(host->path, id, 1900, 1900, 0);
	assert_int_equal(path_data_reserve(host->path, 1900, &at), 1900);
	memset(at, 0, 1900);
	path_data_commit(host->path, id, 3800, 1900, 0);
	close(other);
	close(fresh);
	go_away(host);
	host_until(host, host->inst->socks.by_state[VSOCK_CLOSING] >= 1);
	resume_all(host, 3, 0);
	finish_resume(host);
	/* More than half of the window was consumed: it is told. */
	got = host_expect(host, LFP_WINDOW);
	assert_int_equal(got.sock, id);
	assert_true(got.consumed >= 4096);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock + host_expect(host, LFP_CLOSE).sock,
			 closed + never);
	host_until(host, host->inst->socks.count == 1);
	assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	host_until(host, host->bytes == sizeof(block));
	close(fd);
}

/* Calls wait, and are answered in the end; so is what was asked before. */
static void test_calls(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(80);
	uint64_t id, first;
	int fd = new_socket(host, &id), other = connected_socket(host, &first), conn, name, late,
	    got_fd;
	struct got got, question;
	char ask[] = "\1name\0";

	conn = call_send(host, LFP_CTL_CONNECT, LFP_CTL_BLOCKING, 0, 0, 0, &peer, sizeof(peer), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	name = call_send(host, LFP_CTL_GETADDRINFO, 0, 0, AF_INET, 0, ask, sizeof(ask), -1);
	question = host_expect(host, LFP_GETADDRINFO);
	suspend(host);
	late = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_STREAM, 0, "", 0, -1);
	go_away(host);
	resume_all(host, 2, 0);
	finish_resume(host);
	host_answer(host, question, 0);
	assert_int_equal(call_wait(host, name, NULL, NULL), 0);
	host_send(host, (struct lfp_frame){.code = LFP_CONNECTED, .sock = id});
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	got = host_expect(host, LFP_SOCKET);
	assert_true(got.sock > id);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, late, NULL, &got_fd), 0);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(host_expect(host, LFP_DATA).sock, id);
	close(fd);
	close(other);
	close(got_fd);
}

static void accepted(struct host *host, uint64_t listener, uint64_t id)
{
	host_send(host, (struct lfp_frame){.code = LFP_ACCEPTED,
					   .sock = listener,
					   .accepted = {.id = LFP_ID_LFPD | id,
							.peer = some_addr(1000),
							.local = some_addr(80)}});
}

static void test_listener(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = listening(host, &id);
	struct got got;

	suspend(host);
	accepted(host, id, 1);
	go_away(host);
	/* The one that has come since, and the listener itself. */
	for (int i = 0; i < 2; i++) {
		got = host_expect(host, LFP_RESUME);
		assert_true(got.sock == id || got.sock == (LFP_ID_LFPD | 1));
		answer_resume(host, got, 0, 0, 0);
	}
	finish_resume(host);
	/* What was asked for before still holds: one more. */
	accepted(host, id, 2);
	host_until(host, host->inst->socks.count == 3);
	assert_true(poll_now(fd) & POLLIN);
	close(fd);
	host_expect(host, LFP_CLOSE);
}

/* A datagram that waits for the path has not begun, and counts as not sent. */
static void test_datagrams(void **state)
{
	enum { LEN = 1500, FIT = 8 /* the message limit */ };
	static uint8_t datagram[LEN];
	struct host *host = *state;
	struct lfp_meta meta = {.addr = some_addr(53)};
	struct sockaddr_un near;
	uint64_t id;
	int fd = new_datagram(host, &id, &near);
	struct got got;

	path_pause(host->path, true);
	for (int i = 0; i < FIT + 2; i++)
		assert_int_equal(send_to(fd, &near, &meta, datagram, LEN), LFP_META_SIZE + LEN);
	host_until(host, host->inst->streams.blocked);
	send_plain(host, LFP_SUSPEND);
	host_until(host, host->inst->link.hold.phase == HOLD_SUSPENDING);
	path_pause(host->path, false);
	host_expect(host, LFP_SUSPENDED);
	from_lfpd(host, id, 0, 53, "abc");
	go_away(host);
	got = host_expect(host, LFP_RESUME);
	assert_int_equal(got.resume.sent, FIT * (LEN + LFP_DATAGRAM_COST));
	assert_int_equal(got.resume.received, 3 + LFP_DATAGRAM_COST);
	answer_resume(host, got, 0, got.resume.received, got.resume.sent);
	finish_resume(host);
	assert_int_equal(host_expect(host, LFP_DATAGRAM).consumed, got.resume.sent);
	assert_true(poll_now(fd) & POLLIN);
	close(fd);
}

/* --- what is reset ----------------------------------------------------------------------- */

static int why_eof(struct host *host, int fd)
{
	return call_wait(host, call_send(host, LFP_CTL_WHY_EOF, 0, 0, 0, 0, "", 0, fd), NULL, NULL);
}

static void expect_reset(struct host *host, int fd)
{
	char c;

	host_until(host, poll_now(fd) & POLLHUP);
	assert_true(recv(fd, &c, 1, MSG_DONTWAIT) <= 0);
	assert_int_equal(why_eof(host, fd), ECONNRESET);
}

static void expect_alive(struct host *host, int fd, uint64_t id)
{
	struct got got;

	assert_int_equal(write(fd, "alive", 5), 5);
	got = host_expect(host, LFP_DATA);
	assert_int_equal(got.sock, id);
	assert_int_equal(got.count, 5);
}

/* lfpd says that the positions are others. */
static void test_lfpd_disagrees(void **state)
{
	struct host *host = *state;
	uint64_t id, bad;
	int fd = connected_socket(host, &id), other = connected_socket(host, &bad);

	suspend(host);
	go_away(host);
	answer_resume(host, resume_all(host, 2, bad), ECONNRESET, 7, 0);
	finish_resume(host);
	expect_reset(host, other);
	expect_alive(host, fd, id);
	close(other);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, bad);
	close(fd);
}

/* lfpd says yes, and its positions are others all the same. */
static void test_we_disagree(void **state)
{
	struct host *host = *state;
	uint64_t id, bad;
	int fd = connected_socket(host, &id), other = connected_socket(host, &bad);
	struct got got;

	suspend(host);
	go_away(host);
	answer_resume(host, resume_all(host, 2, bad), 0, 7, 0);
	finish_resume(host);
	got = host_expect(host, LFP_CLOSE);
	assert_int_equal(got.sock, bad);
	assert_int_equal(got.how, 1);
	expect_reset(host, other);
	expect_alive(host, fd, id);
	close(other);
	close(fd);
}

/* lfpd does not have it, be it a listener with connections that nobody has accepted. */
static void test_unknown_there(void **state)
{
	struct host *host = *state;
	uint64_t id, bad;
	int fd = connected_socket(host, &id), other = listening(host, &bad);

	accepted(host, bad, 1);
	host_until(host, host->inst->socks.count == 3);
	suspend(host);
	go_away(host);
	answer_resume(host, resume_all(host, 3, bad), EBADF, 0, 0);
	finish_resume(host);
	host_until(host, !vsock_find(&host->inst->socks, bad));
	assert_true(poll_now(other) & POLLHUP);
	expect_alive(host, fd, id);
	close(other);
	close(fd);
}

/* Another session: all are reset at once, and it works on. */
static void test_other_session(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);

	suspend(host);
	host->session = SESSION + 1;
	go_away(host);
	expect_reset(host, fd);
	close(fd);
	assert_int_equal(host->inst->socks.count, 0);
	fd = connected_socket(host, &id);
	expect_alive(host, fd, id);
	close(fd);
}

/* Nobody comes: HoldTime. */
static void test_too_late(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);

	suspend(host);
	send_plain(host, LFP_SUSPENDED);
	host_until(host, !host->path);
	transport_unix.stop(host->listener);
	host->listener = NULL;
	assert_true(host->inst->link.hold.phase == HOLD_AWAY);
	expect_reset(host, fd);
	assert_true(host->inst->link.hold.phase == HOLD_NONE);
	close(fd);
	host_listen(host);
	host_until(host, host->path && link_is_up(&host->inst->link));
	assert_int_equal(host->asked_for, 0);
}

/* The path breaks before lfpd has said all. */
static void test_crash(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);

	suspend(host);
	path_close(host->path, NULL);
	host->path = NULL;
	expect_reset(host, fd);
	host_until(host, host->path);
	assert_int_equal(host->asked_for, 0);
	close(fd);
}

/* ... and while the session is resumed. */
static void test_crash_later(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);

	suspend(host);
	go_away(host);
	host_expect(host, LFP_RESUMED);
	path_close(host->path, NULL);
	host->path = NULL;
	expect_reset(host, fd);
	close(fd);
}

static void test_not_offered(void **state)
{
	struct host *host = *state;

	send_plain(host, LFP_SUSPEND);
	host_until(host, host->inst->link.connects == 2);
}

static void test_wrong_order(void **state)
{
	struct host *host = *state;

	send_plain(host, LFP_SUSPENDED);
	host_until(host, host->inst->link.connects == 2);
}

/* Only answers may come while a session is resumed. */
static void test_wrong_frame(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);

	suspend(host);
	go_away(host);
	host_expect(host, LFP_RESUMED);
	host_send(host, (struct lfp_frame){.code = LFP_RESET, .sock = id, .status = ECONNRESET});
	expect_reset(host, fd);
	close(fd);
}

#define TEST(name, set_up) cmocka_unit_test_setup_teardown(name, set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_streams, setup),
		TEST(test_frames_wait, setup),
		TEST(test_calls, setup),
		TEST(test_listener, setup),
		TEST(test_datagrams, setup),
		TEST(test_lfpd_disagrees, setup),
		TEST(test_we_disagree, setup),
		TEST(test_unknown_there, setup),
		TEST(test_other_session, setup),
		TEST(test_too_late, setup_short),
		TEST(test_crash, setup),
		TEST(test_crash_later, setup),
		TEST(test_not_offered, setup_none),
		TEST(test_wrong_order, setup),
		TEST(test_wrong_frame, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
