/* SPDX-License-Identifier: Apache-2.0 */
/* test-urgent.c - urgent data both ways, and urgent bytes that are no data */
#include "host.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/near/near.h"

#define WINDOW 16384 /* the scripted lfpd's */

static unsigned int until_short; /* calls of recv() for a large read until one is cut; 0: none */

ssize_t __real_recv(int fd, void *data, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *data, size_t len, int flags);

ssize_t __wrap_recv(int fd, void *data, size_t len, int flags)
{
	if (until_short && len > 1000 && --until_short == 0)
		len = 1000;
	return __real_recv(fd, data, len, flags);
}

static int send_urgent(struct host *host, int fd, char byte)
{
	return call_wait(host, call_send(host, LFP_CTL_URGENT, 0, 0, 0, 0, &byte, 1, fd), NULL,
			 NULL);
}

static void assert_data(struct host *host, uint32_t count, char first, uint8_t flags)
{
	struct got got = host_expect(host, LFP_DATA);

	assert_int_equal(got.count, count);
	assert_int_equal(got.first, first);
	assert_int_equal(got.flags, flags);
}

/* Reads all that was written. recv() may stop early at the end, or at an urgent byte that a program
 * has sent past the shim, which is no data. */
static void read_to_the_end(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);

	for (int i = 0; i < 3; i++) {
		assert_int_equal(write(fd, "abc", 3), 3);
		assert_int_equal(send(fd, "!", 1, MSG_OOB), 1);
		assert_int_equal(write(fd, "de", 2), 2);
		assert_data(host, 3, 'a', 0);
		assert_data(host, 2, 'd', 0);
		assert_int_equal(write(fd, "f", 1), 1);
		assert_data(host, 1, 'f', 0);
	}
	assert_int_equal(write(fd, "gh", 2), 2);
	shutdown(fd, SHUT_WR);
	assert_data(host, 2, 'g', 0);
	assert_int_equal(host_expect(host, LFP_SHUTDOWN).how, SHUT_WR);
	close(fd);
	fd = connected_socket(host, &id);
	assert_int_equal(write(fd, "ij", 2), 2);
	close(fd);
	assert_data(host, 2, 'i', 0);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
}

/* Writes @len bytes, ends the connection, and lets the second read be short. Notes the sizes of the
 * frames in @counts. Returns the flags of the last frame. */
static uint8_t write_and_end(struct host *host, size_t len, uint32_t counts[static 16])
{
	static const char block[16384];
	size_t got = 0;
	uint64_t id;
	int fd = connected_socket(host, &id);

	until_short = 2;
	assert_int_equal(write(fd, block, len), len);
	close(fd);
	for (size_t i = 0; i < 16; i++) {
		struct got frame = host_expect(host, LFP_DATA);

		counts[i] = frame.count;
		got += frame.count;
		if (got == len) {
			assert_int_equal(until_short, 0);
			return frame.flags;
		}
	}
	fail_msg("more frames than the data needs");
	return 0;
}

/* After a short read the next ones know again how much waits: nothing follows the last frame. */
static void last_frame_after_a_short_read(void **state)
{
	struct host *host = *state;
	uint32_t counts[16], again[16];
	size_t len;

	/* Else the data is read by recvmsg(). */
	if (!host->inst->near->takes_no_rights) {
		print_message("skipped: the kernel has no SO_PASSRIGHTS for UNIX sockets\n");
		skip();
	}
	assert_int_equal(write_and_end(host, 10000, counts), 0);
	assert_int_equal(counts[1], 1000);
	/* This time the last read is a full one. */
	len = counts[0] + counts[1] + counts[2] + counts[3];
	assert_int_equal(write_and_end(host, len, again), 0);
	assert_memory_equal(again, counts, 4 * sizeof(*counts));
}

static void urgent_to_lfpd(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id), other;

	/* The urgent byte keeps its place in the data, before and after. */
	assert_int_equal(write(fd, "abc", 3), 3);
	assert_int_equal(send_urgent(host, fd, '!'), 0);
	assert_int_equal(send_urgent(host, fd, '?'), 0);
	assert_int_equal(write(fd, "de", 2), 2);
	assert_data(host, 3, 'a', 0);
	assert_data(host, 1, '!', LFP_FRAME_URGENT);
	assert_data(host, 1, '?', LFP_FRAME_URGENT);
	assert_data(host, 2, 'd', 0);
	shutdown(fd, SHUT_WR);
	assert_int_equal(host_expect(host, LFP_SHUTDOWN).how, SHUT_WR);
	assert_int_equal(send_urgent(host, fd, '!'), EPIPE);
	other = new_socket(host, &id);
	assert_int_equal(send_urgent(host, other, '!'), EPIPE);
	close(fd);
	close(other);
}

/* The urgent byte waits for the window like other data, and so does the data behind it. */
static void urgent_waits_for_the_window(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id);

	write_block(host, fd, WINDOW);
	host_until(host, host->bytes == WINDOW);
	assert_int_equal(send_urgent(host, fd, '!'), 0);
	assert_int_equal(write(fd, "x", 1), 1);
	for (int i = 0; i < 5; i++)
		host_turn(host);
	assert_int_equal(host->bytes, WINDOW);
	host->seen = host->nr_got;
	host_send(host,
		  (struct lfp_frame){.code = LFP_WINDOW, .sock = id, .window.consumed = WINDOW});
	assert_data(host, 1, '!', LFP_FRAME_URGENT);
	assert_data(host, 1, 'x', 0);
	close(fd);
}

static void host_urgent(struct host *host, uint64_t sock, uint64_t position, char byte)
{
	uint8_t *at;

	assert_int_equal(path_data_reserve(host->path, 1, &at), 1);
	*at = (uint8_t)byte;
	path_data_commit(host->path, sock, position, 1, LFP_FRAME_URGENT);
}

/* Before Linux 6.10 a UNIX socket forgets the mark when the urgent byte is read before those in
 * front of it. */
static bool kernel_keeps_the_mark(void)
{
	int ends[2], mark = 0;
	char byte;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(send(ends[0], "!", 1, MSG_OOB), 1);
	assert_int_equal(send(ends[0], "d", 1, 0), 1);
	assert_int_equal(recv(ends[1], &byte, 1, MSG_OOB), 1);
	assert_int_equal(ioctl(ends[1], SIOCATMARK, &mark), 0);
	close(ends[0]);
	close(ends[1]);
	return mark == 1;
}

static void urgent_to_the_program(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id), mark;
	char buf[16];

	host_data(host, id, 0, "abc");
	host_urgent(host, id, 3, '!');
	host_data(host, id, 4, "de");
	host_until(host, poll_now(fd) & POLLIN && ioctl(fd, FIONREAD, &mark) == 0 && mark == 6);
	assert_int_equal(recv(fd, buf, 1, MSG_OOB), 1);
	assert_int_equal(buf[0], '!');
	assert_int_equal(recv(fd, buf, sizeof(buf), 0), 3);
	assert_int_equal(ioctl(fd, SIOCATMARK, &mark), 0);
	assert_int_equal(mark, kernel_keeps_the_mark());
	assert_int_equal(recv(fd, buf, sizeof(buf), 0), 2);
	close(fd);
}

/* Behind a full near end the urgent byte is queued with the rest, and is still urgent when its turn
 * comes. */
static void urgent_is_queued(void **state)
{
	struct host *host = *state;
	static char block[1500], buf[sizeof(block)];
	uint64_t id, sent = 0, got = 0;
	int fd = connected_socket(host, &id), mark = 0;

	memset(block, 'x', sizeof(block) - 1);
	/* lfpd keeps to the window of 8192. */
	for (int i = 0; i < 5; i++) {
		host_data(host, id, sent, block);
		sent += sizeof(block) - 1;
	}
	host_urgent(host, id, sent++, '!');
	host_data(host, id, sent, "end");
	sent += 3;
	while (got < 5 * (sizeof(block) - 1)) {
		ssize_t n;

		host_until(host, poll_now(fd) & POLLIN);
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		assert_true(n > 0);
		got += (uint64_t)n;
	}
	host_until(host, ioctl(fd, SIOCATMARK, &mark) == 0 && mark);
	assert_int_equal(got, 5 * (sizeof(block) - 1));
	assert_int_equal(recv(fd, buf, 1, MSG_OOB), 1);
	assert_int_equal(buf[0], '!');
	host_until(host, poll_now(fd) & POLLIN);
	assert_int_equal(recv(fd, buf, sizeof(buf), 0), 3);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(read_to_the_end),       TEST(last_frame_after_a_short_read),
		TEST(urgent_to_lfpd),        TEST(urgent_waits_for_the_window),
		TEST(urgent_to_the_program), TEST(urgent_is_queued),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
