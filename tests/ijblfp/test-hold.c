/* SPDX-License-Identifier: Apache-2.0 */
/* test-hold.c - a session whose lfpd restarts: what the instance holds, and sends on the next path
 */
#include "holding.h"

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

#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/link/hold.h"
#include "ijblfp/link/link.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/admin.h"
#include "lfp/places.h"

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
	/* lfpd's last frames count; data that the program writes waits. */
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

/* Windows and ends of sockets during the hold. */
static void test_frames_wait(void **state)
{
	struct host *host = *state;
	static const char block[4000];
	uint64_t id, closed, never, last = 0;
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
	host_until(host, host->inst->socks->by_state[VSOCK_CLOSING] >= 1);
	resume_all(host, 3, 0);
	finish_resume(host);
	/* More than half of the window was consumed, so WINDOW is sent. The sweep decides which end
	 * is noticed when. */
	for (int windows = 0, ends = 0; windows < 1 || ends < 2;) {
		host_until(host, host->seen < host->nr_got);
		got = host->got[host->seen++];
		if (got.code == LFP_WINDOW) {
			assert_int_equal(got.sock, id);
			assert_true(got.consumed >= 4096);
			windows++;
		} else {
			assert_int_equal(got.code, LFP_CLOSE);
			assert_true(got.sock == closed || got.sock == never);
			assert_true(got.sock != last);
			last = got.sock;
			ends++;
		}
	}
	host_until(host, host->inst->socks->by_id.count == 1);
	assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	host_until(host, host->bytes == sizeof(block));
	close(fd);
}

/* Calls wait, and are answered in the end; so are earlier requests. */
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

static void test_listener(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = listening(host, &id);
	struct got got;

	suspend(host);
	accepted(host, id, 1);
	go_away(host);
	/* The connection that has come since, and the listener itself. */
	for (int i = 0; i < 2; i++) {
		got = host_expect(host, LFP_RESUME);
		assert_true(got.sock == id || got.sock == (LFP_ID_LFPD | 1));
		answer_resume(host, got, 0, 0, 0);
	}
	finish_resume(host);
	/* Earlier credits still hold: one more. */
	accepted(host, id, 2);
	host_until(host, host->inst->socks->by_id.count == 3);
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
	host_until(host, host->inst->streams->blocked);
	send_plain(host, LFP_SUSPEND);
	host_until(host, host->inst->link->hold.phase == HOLD_SUSPENDING);
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

/* A caller that waits for connect() on a parked connection may leave, whatever lfpd does. */
static void test_leaves(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(81);
	int parked = call_send(host, LFP_CTL_PARK, 0, 0, 0, 0, "", 0, -1);
	uint64_t id;
	int fd;

	host_until(host, host->inst->ctl->nr_parked == 1);
	fd = new_socket(host, &id);
	request_put(parked, LFP_CTL_CONNECT, LFP_CTL_DIRECT | LFP_CTL_BLOCKING, 0, 0, 0, &peer,
		    sizeof(peer), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	host_turn(host);
	suspend(host);
	request_put(parked, LFP_CTL_DETACH, LFP_CTL_DIRECT, 0, 0, 0, "", 0, -1);
	assert_int_equal(call_wait(host, dup(parked), NULL, NULL), EINPROGRESS);
	/* but a call waits */
	request_put(parked, LFP_CTL_SHUTDOWN, LFP_CTL_DIRECT, 0, 0, 0, "", 0, fd);
	for (int i = 0; i < 20; i++)
		host_turn(host);
	assert_int_equal(poll_now(parked), POLLOUT);
	close(parked);
	close(fd);
}

#define TEST(name, set_up) cmocka_unit_test_setup_teardown(name, set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_leaves, hold_setup),      TEST(test_streams, hold_setup),
		TEST(test_frames_wait, hold_setup), TEST(test_calls, hold_setup),
		TEST(test_listener, hold_setup),    TEST(test_datagrams, hold_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
