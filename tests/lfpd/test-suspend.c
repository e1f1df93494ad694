/* SPDX-License-Identifier: Apache-2.0 */
/* test-suspend.c - a session that one instance suspends and the next one resumes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/datagram.h"
#include "lfpd/restart/suspend.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/suspension.h"

static void test_both_directions(void **state)
{
	uint64_t session = start();
	int fd = connect_socket(1);
	struct lfp_frame frame;
	char buf[16];

	(void)state;
	vse_data(&vse, 1, 0, "before ", 7);
	assert_int_equal(write(fd, "one ", 4), 4);
	assert_int_equal(vse_expect(&vse, LFP_DATA).data.payload.len, 4);
	suspend();
	/* The data arrives while lfpd does not read, and while frames still arrive. */
	assert_int_equal(write(fd, "two", 3), 3);
	vse_data(&vse, 1, 7, "after", 5);
	settle();
	assert_int_equal(left.nr, 1);
	assert_int_equal(take_over(), 0);
	assert_true(hello(session).session == session);
	assert_int_equal(resume(1, 12, 4), 0);
	resumed();
	frame = vse_expect(&vse, LFP_DATA);
	assert_true(frame.data.position == 4);
	assert_int_equal(frame.data.payload.len, 3);
	assert_memory_equal(frame.data.payload.ptr, "two", 3);
	assert_int_equal(recv(fd, buf, 12, MSG_WAITALL), 12);
	assert_memory_equal(buf, "before after", 12);
	vse_data(&vse, 1, 12, "!", 1);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 1);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 7), 0);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 0);
	close(fd);
	vse_close(&vse);
}

/* Data that the host's socket does not take is kept; the end of file follows it. */
static void test_stopped_reader(void **state)
{
	static char block[8000], got[65536];
	uint64_t session = start(), sent = 0, read_ = 0;
	int fd = connect_narrow_socket(1);
	struct lfp_frame end = {.code = LFP_SHUTDOWN, .sock = 1};
	ssize_t n;

	(void)state;
	/* Until the window is closed: so much waits in lfpd. */
	for (uint64_t consumed = 0; sent - consumed + sizeof(block) <= 65536;) {
		struct lfp_frame frame = {.code = LFP_OUTQ, .sock = 1, .request = 99};

		memset(block, (int)(sent / sizeof(block)), sizeof(block));
		vse_data(&vse, 1, sent, block, sizeof(block));
		sent += sizeof(block);
		vse_send(&vse, &frame);
		while (vse_next(&vse, &frame) && frame.code == LFP_WINDOW)
			consumed = frame.window.consumed;
		assert_int_equal(frame.code, LFP_OUTQ_REPLY);
	}
	suspend_begin(&host.inst, on_done);
	end.shutdown = (struct lfp_shutdown){.how = SHUT_WR, .position = sent};
	vse_send(&vse, &end);
	vse_expect(&vse, LFP_SUSPEND);
	settle();
	/* Most of a window lies in what was saved. */
	assert_true(lseek(left.memory, 0, SEEK_END) > 32768);
	assert_int_equal(take_over(), 0);
	hello(session);
	assert_int_equal(resume(1, sent, 0), 0);
	resumed();
	while ((n = tcp_read(&host, fd, got, sizeof(got))) > 0)
		for (ssize_t i = 0; i < n; i++, read_++)
			assert_int_equal((uint8_t)got[i], (uint8_t)(read_ / sizeof(block)));
	assert_int_equal(n, 0);
	assert_true(read_ == sent);
	close(fd);
	vse_close(&vse);
}

/* One whose positions differ is reset, and the other goes on. */
static void test_position_differs(void **state)
{
	uint64_t session = start();
	int bad = connect_socket(1), good = connect_socket(2);
	char buf[8];

	(void)state;
	hand_over(session);
	assert_int_equal(resume(1, 5, 0), ECONNRESET);
	assert_int_equal(resume(2, 0, 0), 0);
	assert_int_equal(resume(3, 0, 0), EBADF);
	resumed();
	/* Data that crosses the answer is dropped. */
	vse_data(&vse, 1, 5, "x", 1);
	vse_data(&vse, 2, 0, "good", 4);
	assert_int_equal(tcp_read(&host, good, buf, sizeof(buf)), 4);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	assert_int_equal(tcp_read(&host, bad, buf, sizeof(buf)), -1);
	assert_int_equal(errno, ECONNRESET);
	close(bad);
	close(good);
	vse_close(&vse);
}

static void test_not_named(void **state)
{
	uint64_t session = start();
	int fd = connect_socket(1);
	char buf[8];

	(void)state;
	hand_over(session);
	resumed();
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);
	vse_close(&vse);
}

/* Another session: nothing of the old one is left. */
static void test_another_session(void **state)
{
	int fd;
	char buf[8];

	(void)state;
	start();
	fd = connect_socket(1);
	suspend();
	settle();
	assert_int_equal(take_over(), 0);
	hello(0);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), -1);
	assert_int_equal(errno, ECONNRESET);
	assert_null(host.inst.resume);
	close(fd);
	vse_close(&vse);
}

/* Without SUSPENDED, and without the feature, all is reset as always. */
static void test_lost_meanwhile(void **state)
{
	int fd;
	char buf[8];

	(void)state;
	start();
	fd = connect_socket(1);
	suspend();
	vse_close(&vse);
	while (!nr_done)
		host_turn(&host);
	assert_int_equal(left.nr, 0);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), -1);
	assert_int_equal(errno, ECONNRESET);
	assert_int_equal(take_over(), 0);
	assert_null(host.inst.resume);
	close(fd);
}

static void test_feature_missing(void **state)
{
	(void)state;
	host_start(&host);
	vse_open(&vse, &host);
	suspend_begin(&host.inst, on_done);
	assert_int_equal(nr_done, 1);
	assert_int_equal(left.nr, 0);
	vse_expect_end(&vse);
	assert_int_equal(take_over(), 0);
}

static void test_broken_state(void **state)
{
	int fds[2];

	(void)state;
	host_start(&host);
	assert_int_equal(pipe(fds), 0);
	left = (struct suspended){.memory = fds[0], .fds = &fds[1], .nr = 1};
	assert_true(resume_offer(&host.inst, &left) < 0);
	assert_int_equal(fcntl(fds[0], F_GETFD), -1);
	assert_int_equal(fcntl(fds[1], F_GETFD), -1);
}

/* A question that is not answered before SUSPENDED is answered afterwards. */
static void test_question(void **state)
{
	uint64_t session = start();
	struct lfp_frame ask = {.code = LFP_GETNAMEINFO, .request = 77}, frame;
	struct lfp_frame over = {.code = LFP_SUSPENDED};
	bool answered = false;

	(void)state;
	ask.getnameinfo.addr = vse_addr("127.0.0.1", 80);
	ask.getnameinfo.flags = 1 | 2; /* NI_NUMERICHOST, NI_NUMERICSERV */
	suspend();
	vse_send(&vse, &ask);
	vse_send(&vse, &over);
	do {
		assert_true(vse_next(&vse, &frame));
		answered |= frame.code == LFP_GETNAMEINFO_REPLY;
	} while (frame.code != LFP_SUSPENDED);
	send_plain(LFP_BYE);
	vse_expect_end(&vse);
	assert_int_equal(done_error, 0);
	assert_int_equal(take_over(), 0);
	hello(session);
	resumed();
	if (answered) /* the thread was that quick */
		skip();
	frame = vse_expect(&vse, LFP_GETNAMEINFO_REPLY);
	assert_int_equal(frame.request, 77);
	assert_int_equal(frame.getnameinfo_reply.error, 0);
	vse_close(&vse);
}

/* Frames that have no place in this dialogue end the path. */
static void test_out_of_turn(void **state)
{
	static const uint8_t codes[] = {LFP_SUSPENDED, LFP_RESUME, LFP_RESUMED};

	(void)state;
	start();
	for (size_t i = 0; i < sizeof(codes); i++) {
		struct lfp_frame frame = {
			.code = codes[i],
			.request = codes[i] == LFP_SUSPENDED ? 0 : 5,
			.sock = codes[i] == LFP_RESUME ? 1 : 0,
		};

		vse_send(&vse, &frame);
		vse_expect_end(&vse);
		assert_null(host.inst.session);
		hello(0);
	}
	vse_close(&vse);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, one_path_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(both_directions), TEST(stopped_reader),  TEST(position_differs),
		TEST(not_named),       TEST(another_session), TEST(lost_meanwhile),
		TEST(feature_missing), TEST(broken_state),    TEST(question),
		TEST(out_of_turn),
	};

	return cmocka_run_group_tests_name("suspend", tests, NULL, NULL);
}
