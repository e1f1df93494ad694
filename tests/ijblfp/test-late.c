/* SPDX-License-Identifier: Apache-2.0 */
/* test-late.c - frames of an earlier life of their socket, which have no effect */
#include "bystander.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/sock/vsock.h"

static int dissolve(struct host *host, int fd)
{
	const struct lfp_addr none = {.family = LFP_AF_UNSPEC};

	return call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &none, sizeof(none), fd);
}

/* lfpd reports data of the program that it threw away when there is no connection any more. */
static void window_of_a_dissolved_connection(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id), conn;
	struct got got;

	begin_bystander(host);
	assert_int_equal(send(fd, "hello", 5, 0), 5);
	assert_int_equal(host_expect(host, LFP_DATA).sock, id);
	conn = dissolve(host, fd);
	got = host_expect(host, LFP_CONNECT);
	/* The connection lasts until lfpd has answered: data of the old epoch still flows. */
	assert_int_equal(send(fd, "late", 4, 0), 4);
	assert_int_equal(host_expect(host, LFP_DATA).epoch, 0);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EBADFD);
	assert_int_equal(vsock_find(host->inst->socks, id)->epoch, 1);
	put(host,
	    (struct lfp_frame){.code = LFP_WINDOW, .sock = id, .epoch = 1, .window.consumed = 9});
	/* Frames of an earlier epoch end nothing, and their data counts. */
	put(host, (struct lfp_frame){.code = LFP_SHUTDOWN,
				     .sock = id,
				     .shutdown = {.how = 1, .position = 99}});
	put(host, (struct lfp_frame){.code = LFP_RESET, .sock = id, .status = ECONNRESET});
	put(host, (struct lfp_frame){.code = LFP_CONNECTED, .sock = id});
	put(host, (struct lfp_frame){.code = LFP_DATA,
				     .sock = id,
				     .data.payload = {(const uint8_t *)"abc", 3}});
	bystander_lives(host);
	assert_int_equal(vsock_find(host->inst->socks, id)->send.consumed, 9);
	assert_int_equal(vsock_find(host->inst->socks, id)->recv.consumed, 3);
	assert_int_equal(host->inst->disagreements, 0);
	close(fd);
	close(other);
}

/* lfpd has accepted a connection while the listener was shut down. */
static void connection_of_a_listener_that_was_shut_down(void **state)
{
	struct host *host = *state;
	struct lfp_frame frame = {
		.code = LFP_ACCEPTED,
		.accepted = {.id = LFP_ID_LFPD | 1, .peer = some_addr(1), .local = some_addr(2)}};
	int fd = listening_socket(host, &frame.sock, 2), conn;
	struct got got;

	begin_bystander(host);
	conn = call_send(host, LFP_CTL_SHUTDOWN, 0, SHUT_RD, 0, 0, "", 0, fd);
	got = host_expect(host, LFP_SHUTDOWN);
	assert_int_equal(got.epoch, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EBADFD);
	assert_int_equal(vsock_find(host->inst->socks, frame.sock)->epoch, 1);
	put(host, frame);
	got = host_expect(host, LFP_CLOSE);
	assert_true(got.sock == (LFP_ID_LFPD | 1));
	assert_int_equal(got.how, 1);
	bystander_lives(host);
	assert_int_equal(host->inst->disagreements, 0);
	close(fd);
	close(other);
}

/* Both count up once, in whatever order lfpd gets them. */
static void dissolved_and_shut_down(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = listening_socket(host, &id, 2), conn, second;
	struct got got;

	conn = dissolve(host, fd);
	got = host_expect(host, LFP_CONNECT);
	second = call_send(host, LFP_CTL_SHUTDOWN, 0, SHUT_RD, 0, 0, "", 0, fd);
	assert_int_equal(call_wait(host, second, NULL, NULL), EBADFD);
	assert_int_equal(host_expect(host, LFP_SHUTDOWN).epoch, 0);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EBADFD);
	assert_int_equal(vsock_find(host->inst->socks, id)->epoch, 1);
	close(fd);
}

/* Two calls dissolve the connection at once. The answer to the second comes when the next
 * connection is made. */
static void dissolved_twice(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(80);
	uint64_t id;
	int fd = connected_socket(host, &id), first, second, conn, next;
	struct got got[2];

	first = dissolve(host, fd);
	got[0] = host_expect(host, LFP_CONNECT);
	second = dissolve(host, fd);
	got[1] = host_expect(host, LFP_CONNECT);
	host_answer(host, got[0], 0);
	assert_int_equal(call_wait(host, first, NULL, NULL), EBADFD);
	conn = call_send(host, LFP_CTL_RENEW, 0, 0, 0, 0, "", 0, fd);
	assert_int_equal(call_wait(host, conn, NULL, &next), 0);
	conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), next);
	got[0] = host_expect(host, LFP_CONNECT);
	assert_int_equal(got[0].epoch, 1);
	host_answer(host, got[1], 0);
	host_answer(host, got[0], 0);
	assert_int_equal(call_wait(host, second, NULL, NULL), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	assert_int_equal(poll_now(next), POLLOUT);
	assert_int_equal(vsock_find(host->inst->socks, id)->state, VSOCK_ESTABLISHED);
	assert_int_equal(vsock_find(host->inst->socks, id)->epoch, 1);
	close(fd);
	close(next);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_epochs, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(window_of_a_dissolved_connection),
		TEST(connection_of_a_listener_that_was_shut_down),
		TEST(dissolved_and_shut_down),
		TEST(dissolved_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
