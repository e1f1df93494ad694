/* SPDX-License-Identifier: Apache-2.0 */
/* test-hold-reset.c - resets of sockets when the lfpd of a session restarts or crashes */
#include "holding.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/link/hold.h"
#include "ijblfp/link/link.h"
#include "ijblfp/sock/vsock.h"

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

/* lfpd reports other positions. */
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

/* lfpd agrees, but reports other positions. */
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

/* lfpd does not have the socket; also for a listener with connections that no program has accepted.
 */
static void test_unknown_there(void **state)
{
	struct host *host = *state;
	uint64_t id, bad;
	int fd = connected_socket(host, &id), other = listening(host, &bad);

	accepted(host, bad, 1);
	host_until(host, host->inst->socks->by_id.count == 3);
	suspend(host);
	go_away(host);
	answer_resume(host, resume_all(host, 3, bad), EBADF, 0, 0);
	finish_resume(host);
	host_until(host, !vsock_find(host->inst->socks, bad));
	assert_true(poll_now(other) & POLLHUP);
	expect_alive(host, fd, id);
	close(other);
	close(fd);
}

/* lfpd begins another session: all sockets are reset at once, and the instance works on. */
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
	assert_int_equal(host->inst->socks->by_id.count, 0);
	fd = connected_socket(host, &id);
	expect_alive(host, fd, id);
	close(fd);
}

/* No lfpd comes within HoldTime. */
static void test_too_late(void **state)
{
	struct host *host = *state;
	uint64_t id, since;
	int fd = connected_socket(host, &id);

	since = uv_hrtime();
	suspend(host);
	host_deafen(host);
	send_plain(host, LFP_SUSPENDED);
	host_until(host, !host->path);
	if (uv_hrtime() - since < HOLD_SHORT)
		assert_true(host->inst->link->hold.phase == HOLD_AWAY);
	expect_reset(host, fd);
	assert_true(host->inst->link->hold.phase == HOLD_NONE);
	close(fd);
	host_listen(host);
	host_until(host, host->path && link_is_up(host->inst->link));
	assert_int_equal(host->asked_for, 0);
}

/* The path breaks before lfpd has sent its last frames. */
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
	host_until(host, host->inst->link->connects == 2);
}

static void test_wrong_order(void **state)
{
	struct host *host = *state;

	send_plain(host, LFP_SUSPENDED);
	host_until(host, host->inst->link->connects == 2);
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
		TEST(test_lfpd_disagrees, hold_setup), TEST(test_we_disagree, hold_setup),
		TEST(test_unknown_there, hold_setup),  TEST(test_other_session, hold_setup),
		TEST(test_too_late, hold_setup_short), TEST(test_crash, hold_setup),
		TEST(test_crash_later, hold_setup),    TEST(test_not_offered, hold_setup_none),
		TEST(test_wrong_order, hold_setup),    TEST(test_wrong_frame, hold_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
