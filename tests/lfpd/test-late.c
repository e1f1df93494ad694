/* SPDX-License-Identifier: Apache-2.0 */
/* test-late.c - frames of an earlier life of their socket, which have no effect */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lfpd/sock/host-socket.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/bystander.h"

static void start_with_epochs(void)
{
	vse_features = LFP_FEATURE_EPOCH;
	start_logged();
	vse_features = 0;
}

static void dissolve(uint64_t id, uint16_t epoch)
{
	struct lfp_frame frame = {.code = LFP_CONNECT, .sock = id, .epoch = epoch}, reply;

	reply = vse_ask(&vse, frame);
	assert_int_equal(reply.status, 0);
	assert_int_equal(reply.epoch, epoch);
}

static void data_of(uint64_t id, uint16_t epoch, uint64_t at, const char *text)
{
	const struct lfp_frame frame = {
		.code = LFP_DATA,
		.sock = id,
		.epoch = epoch,
		.data = {.position = at,
			 .payload = {(const uint8_t *)text, (uint32_t)strlen(text)}}};

	vse_send(&vse, &frame);
}

/* All that was sent before the answer came. */
static void late_frames(void **state)
{
	struct lfp_frame frame = {.code = LFP_SHUTDOWN, .sock = 1, .shutdown = {.how = 1}};
	struct lfp_addr peer;
	unsigned int port;
	int fd, listener = tcp_listen(&port);
	char buf[16] = "";

	(void)state;
	start_with_epochs();
	begin_bystander();
	fd = connect_socket(101);
	data_of(101, 0, 0, "early");
	dissolve(101, 0);
	data_of(101, 0, 5, "late data");
	frame.sock = 101;
	vse_send(&vse, &frame); /* at a wrong position, too */
	frame = (struct lfp_frame){.code = LFP_WINDOW, .sock = 101};
	vse_send(&vse, &frame);
	/* A second one has nothing left to do, and a connect() was overtaken. */
	dissolve(101, 0);
	peer = vse_addr("127.0.0.1", port);
	frame = (struct lfp_frame){.code = LFP_CONNECT, .sock = 101, .connect.peer = peer};
	assert_int_equal(vse_ask(&vse, frame).status, ECONNABORTED);
	frame = (struct lfp_frame){.code = LFP_LISTEN, .sock = 101};
	assert_int_equal(vse_ask(&vse, frame).status, EINVAL);
	close(fd);
	/* The next life: dropped bytes have counted. */
	frame = (struct lfp_frame){
		.code = LFP_CONNECT, .sock = 101, .epoch = 1, .connect.peer = peer};
	assert_int_equal(vse_ask(&vse, frame).status, EINPROGRESS);
	frame = vse_expect(&vse, LFP_CONNECTED);
	assert_int_equal(frame.status, 0);
	assert_int_equal(frame.epoch, 1);
	frame = vse_expect(&vse, LFP_WINDOW);
	assert_int_equal(frame.window.consumed, 14);
	assert_int_equal(frame.epoch, 1);
	fd = tcp_accept(&host, listener);
	data_of(101, 1, 14, "new");
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 3);
	assert_string_equal(buf, "new");
	assert_int_equal(write(fd, "old", 3), 3);
	frame = vse_expect(&vse, LFP_DATA);
	assert_int_equal(frame.epoch, 1);
	assert_int_equal(count(), 0);
	bystander_lives();
	/* Late or not, its position must be the next. */
	data_of(101, 0, 99, "x");
	assert_int_equal(vse_expect(&vse, LFP_RESET).status, EPROTO);
	assert_int_equal(count(), 1);
	bystander_lives();
	close(fd);
	close(listener);
	close(far_end);
	vse_close(&vse);
}

/* A listener's life ends with SHUTDOWN. */
static void late_accept(void **state)
{
	struct lfp_frame frame = {.code = LFP_LISTEN, .sock = 101, .listen.backlog = 5};

	(void)state;
	start_with_epochs();
	begin_bystander();
	assert_int_equal(vse_socket(&vse, 101, LFP_AF_INET), 0);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_SHUTDOWN, .sock = 101, .shutdown.how = 0};
	vse_send(&vse, &frame);
	frame = (struct lfp_frame){.code = LFP_LISTEN, .sock = 101, .epoch = 1};
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_ACCEPT, .sock = 101, .accept.count = 5};
	vse_send(&vse, &frame);
	bystander_lives();
	assert_int_equal(get_socket(101)->listener.credits, 0);
	frame.epoch = 1;
	vse_send(&vse, &frame);
	bystander_lives();
	assert_int_equal(get_socket(101)->listener.credits, 5);
	assert_int_equal(count(), 0);
	close(far_end);
	vse_close(&vse);
}

/* A peer of before has no epochs: its socket is reset, and no other. */
static void without_epochs(void **state)
{
	struct lfp_frame reset;
	int fd;

	(void)state;
	start_logged();
	begin_bystander();
	fd = connect_socket(101);
	dissolve(101, 0);
	data_of(101, 0, 0, "late");
	reset = vse_expect(&vse, LFP_RESET);
	assert_true(reset.sock == 101 && reset.status == EPROTO);
	bystander_lives();
	close(fd);
	close(far_end);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, log_set_up, log_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(late_frames),
		TEST(late_accept),
		TEST(without_epochs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
