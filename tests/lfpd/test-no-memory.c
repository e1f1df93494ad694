/* SPDX-License-Identifier: Apache-2.0 */
/* test-no-memory.c - a lack of memory costs one socket */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <unistd.h>

#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/stream.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/bystander.h"
#include "tests/lfpd/datagrams.h"
#include "transport/pipes.h"

static size_t failing;    /* size of what there will be no memory for */
static int until_failure; /* this many more of them, then none */
static bool armed;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
	if (armed && size == failing && until_failure-- <= 0) {
		errno = ENOMEM;
		return NULL;
	}
	return __real_malloc(size);
}

/* Some of what was gathered is queued when memory ends: what follows is thrown away, and every byte
 * counts once. */
static void no_memory_for_data(void **state)
{
	static char block[8000];
	struct lfp_frame frame;
	uint64_t sent = 0, consumed = 0;
	struct socket *sock;
	int fd;

	(void)state;
	host.config.initial_io_bufs = 0;
	host.config.window_size = 1u << 20;
	start_logged();
	begin_bystander();
	fd = connect_narrow_socket(101);
	sock = get_socket(101);
	while (!sock->stream.queue.len) {
		vse_data(&vse, 101, sent, block, sizeof(block));
		sent += sizeof(block);
		host_turn(&host);
	}
	/* Several packets in one turn, so that they are gathered. */
	until_failure = 2;
	failing = sizeof(struct buffer) + host.inst.pool.size;
	armed = true;
	for (int i = 0; i < 8; i++) {
		vse_data(&vse, 101, sent, block, sizeof(block));
		sent += sizeof(block);
	}
	for (int i = 0; i < 50; i++)
		host_turn(&host);
	armed = false;
	while (vse_next(&vse, &frame) && frame.code == LFP_WINDOW)
		consumed = frame.window.consumed;
	assert_int_equal(frame.code, LFP_RESET);
	assert_int_equal(frame.status, ENOBUFS);
	assert_true(consumed <= sent);
	vse_data(&vse, 101, sent, block, sizeof(block));
	sent += sizeof(block);
	host_turn(&host);
	assert_true(sock->in.received == sent);
	assert_true(sock->in.consumed == sent);
	assert_int_equal(sock->stream.queue.len, 0);
	while (vse_look(&vse, &frame))
		assert_true(frame.code == LFP_WINDOW && frame.window.consumed <= sent);
	assert_int_equal(vse_close_socket(&vse, 101, 1, 0), 0);
	assert_int_equal(count(), 0);
	bystander_lives();
	close(fd);
	close(far_end);
	vse_close(&vse);
}

/* Nor is there any to look at the bytes of a pipe, for the server's name: they count, too. */
static void no_memory_for_a_gate(void **state)
{
	struct held_pipe *pipe = pipe_get();
	struct lfp_frame frame;
	struct socket *sock;
	int fd;

	(void)state;
	host.config.initial_io_bufs = 0;
	start_logged();
	begin_bystander();
	fd = connect_narrow_socket(101);
	sock = get_socket(101);
	sock->stream.gated = RULES_BY_TLS;
	/* As if the path had brought it. */
	assert_non_null(pipe);
	assert_int_equal(write(pipe->in, "\x16\3\1", 3), 3);
	pipe->held = 3;
	assert_int_equal(queue_append_pipe(&sock->stream.queue, &host.inst.pool, pipe), 0);
	sock->in.received += 3;
	until_failure = 0;
	failing = sizeof(struct buffer) + host.inst.pool.size;
	armed = true;
	stream_shutdown(sock, SHUT_WR);
	armed = false;
	do
		assert_true(vse_next(&vse, &frame));
	while (frame.code == LFP_WINDOW);
	assert_int_equal(frame.code, LFP_RESET);
	assert_int_equal(frame.status, ENOBUFS);
	assert_int_equal(sock->stream.queue.len, 0);
	assert_true(sock->in.consumed == sock->in.received);
	assert_int_equal(vse_close_socket(&vse, 101, 1, 0), 0);
	assert_int_equal(count(), 0);
	bystander_lives();
	close(fd);
	close(far_end);
	vse_close(&vse);
}

/* Nor is there any for the end of a datagram whose beginning is sent. */
static void no_memory_for_a_datagram(void **state)
{
	static char block[20000];
	struct lfp_frame frame;
	unsigned int port, other;
	int fd = udp(&other);

	(void)state;
	host.config.iucv_msglimit = 2;
	start_logged();
	begin_bystander();
	port = make_bound(101);
	until_failure = 0;
	failing = sizeof(block);
	armed = true;
	udp_send(fd, port, block, sizeof(block));
	while (vse_next(&vse, &frame) && frame.code == LFP_DATAGRAM)
		;
	armed = false;
	assert_int_equal(frame.code, LFP_RESET);
	assert_true(frame.sock == 101 && frame.status == EPROTO);
	assert_int_equal(count(), 1);
	assert_int_equal(vse_close_socket(&vse, 101, 1, 0), 0);
	bystander_lives();
	close(fd);
	close(far_end);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, log_set_up, log_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_memory_for_data),
		TEST(no_memory_for_a_gate),
		TEST(no_memory_for_a_datagram),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
