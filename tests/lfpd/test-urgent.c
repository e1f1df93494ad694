/* SPDX-License-Identifier: Apache-2.0 */
/* test-urgent.c - a connection's urgent data, and the count of its unsent bytes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfpd/sock/host-socket.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/one-path.h"
#include "tests/qemu-user.h"

static int fd; /* the other end of socket 1 */
static int
	follows; /* lfpd's descriptor of socket 1 while an urgent byte is to follow a full read */
static size_t full; /* bytes of that read */

ssize_t __real_recv(int sock, void *data, size_t len, int flags);
ssize_t __wrap_recv(int sock, void *data, size_t len, int flags);

/* The peer makes it a full read, and sends an urgent byte just after it. */
ssize_t __wrap_recv(int sock, void *data, size_t len, int flags)
{
	static const char block[65536];
	struct pollfd pfd = {.fd = sock, .events = POLLPRI};
	int have = 0;
	ssize_t n;

	if (sock != follows || len == 1)
		return __real_recv(sock, data, len, flags);
	follows = -1;
	full = len;
	assert_int_equal(ioctl(sock, FIONREAD, &have), 0);
	assert_in_range(len, have + 1, sizeof(block));
	assert_int_equal(send(fd, block, len - (size_t)have, 0), len - (size_t)have);
	while (have < (int)len)
		assert_int_equal(ioctl(sock, FIONREAD, &have), 0);
	n = __real_recv(sock, data, len, flags);
	assert_int_equal(n, len);
	assert_int_equal(send(fd, "!", 1, MSG_OOB), 1);
	assert_int_equal(poll(&pfd, 1, -1), 1);
	return n;
}

static int set_up(void **state)
{
	one_path_set_up(state);
	one_path_start();
	fd = connect_socket(1);
	follows = -1;
	return 0;
}

/* The z/VSE side's window has room for more than a packet. */
static int set_up_small_packets(void **state)
{
	one_path_set_up(state);
	host.config.mtu_size = VSE_WINDOW / 2;
	one_path_start();
	fd = connect_socket(1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(fd);
	vse_close(&vse);
	host_stop(&host);
	return 0;
}

static void send_urgent(uint64_t position, const char *bytes, size_t len)
{
	struct lfp_frame frame = {
		.code = LFP_DATA,
		.flags = LFP_FRAME_URGENT,
		.sock = 1,
		.data = {.position = position, .payload = {(const uint8_t *)bytes, (uint32_t)len}},
	};

	vse_send(&vse, &frame);
}

static int at_mark(void)
{
	int at = -1;

	assert_int_equal(ioctl(fd, SIOCATMARK, &at), 0);
	return at;
}

static void to_the_host(void **state)
{
	char buf[16];
	int on = 1;

	(void)state;
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on)), 0);
	vse_data(&vse, 1, 0, "abc", 3);
	send_urgent(3, "!", 1);
	vse_data(&vse, 1, 4, "de", 2);
	assert_int_equal(tcp_read(&host, fd, buf, 3), 3);
	while (!at_mark())
		host_turn(&host);
	assert_int_equal(tcp_read(&host, fd, buf, 1), 1);
	assert_int_equal(buf[0], '!');
	assert_int_equal(at_mark(), 0);
	assert_int_equal(tcp_read(&host, fd, buf, 2), 2);
}

/* lfpd queues data that the host does not take, and the urgent byte stays urgent. */
static void from_the_queue(void **state)
{
	static char block[8000], in[65536];
	const struct socket *sock = get_socket(1);
	uint64_t sent = 0, got = 0;
	int on = 1, seen = 0;

	(void)state;
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on)), 0);
	memset(block, 'x', sizeof(block));
	/* With what was consumed and not yet told, a quarter of the window, it must fit into the
	 * window. The test reads lfpd's frames meanwhile; otherwise lfpd would have to end the
	 * path. */
	while (sock->stream.queue.len < 40000) {
		vse_data(&vse, 1, sent, block, sizeof(block));
		sent += sizeof(block);
		while (sock->in.received < sent) {
			host_turn(&host);
			assert_non_null(host.inst.session);
			while (recv(vse.fd, in, sizeof(in), MSG_DONTWAIT) > 0)
				;
		}
	}
	send_urgent(sent, "!", 1);
	vse_data(&vse, 1, sent + 1, "end", 3);
	while (got < sent + 4) {
		ssize_t n;

		host_turn(&host);
		if (at_mark() == 1) {
			assert_true(got == sent);
			seen++;
		}
		n = recv(fd, in, sizeof(in), MSG_DONTWAIT);
		got += n > 0 ? (uint64_t)n : 0;
	}
	assert_true(seen > 0);
}

static void from_the_host(void **state)
{
	struct lfp_frame frame;

	(void)state;
	assert_int_equal(send(fd, "abc", 3, 0), 3);
	assert_int_equal(send(fd, "!", 1, MSG_OOB), 1);
	assert_int_equal(send(fd, "de", 2, 0), 2);
	frame = vse_expect(&vse, LFP_DATA);
	assert_int_equal(frame.flags, 0);
	assert_int_equal(frame.data.payload.len, 3);
	frame = vse_expect(&vse, LFP_DATA);
	assert_int_equal(frame.flags, LFP_FRAME_URGENT);
	assert_int_equal(frame.data.position, 3);
	assert_int_equal(frame.data.payload.len, 1);
	assert_int_equal(frame.data.payload.ptr[0], '!');
	frame = vse_expect(&vse, LFP_DATA);
	assert_int_equal(frame.flags, 0);
	assert_int_equal(frame.data.payload.len, 2);
}

/* No event of libuv tells of the byte before lfpd reads on. */
static void behind_a_full_read(void **state)
{
	uint64_t got = 0;
	struct lfp_frame frame;

	(void)state;
	follows = get_socket(1)->fd;
	assert_int_equal(send(fd, "abc", 3, 0), 3);
	do {
		frame = vse_expect(&vse, LFP_DATA);
		assert_int_equal(frame.data.position, got);
		got += frame.data.payload.len;
	} while (got <= full);
	assert_int_equal(got, full + 1);
	assert_int_equal(frame.flags, LFP_FRAME_URGENT);
	assert_int_equal(frame.data.payload.len, 1);
	assert_int_equal(frame.data.payload.ptr[0], '!');
}

/* Before the answer z/VSE knows what the host's socket has taken, below the threshold too. */
static void on_the_way(void **state)
{
	struct lfp_frame ask = {.code = LFP_OUTQ, .sock = 1, .request = 77}, frame;

	(void)state;
	QEMU_USER_LACKS("SIOCOUTQ");
	vse_data(&vse, 1, 0, "hello", 5);
	vse_send(&vse, &ask);
	assert_int_equal(vse_expect(&vse, LFP_WINDOW).window.consumed, 5);
	frame = vse_expect(&vse, LFP_OUTQ_REPLY);
	assert_int_equal(frame.status, 0);
	assert_in_range(frame.outq.unacked, 0, 5);
	ask.request++;
	vse_send(&vse, &ask);
	frame = vse_expect(&vse, LFP_OUTQ_REPLY);
	assert_int_equal(frame.request, 78);

	vse_data(&vse, 1, 5, "hello", 5);
	frame = (struct lfp_frame){
		.code = LFP_GETSOCKOPT,
		.sock = 1,
		.request = 79,
		.getsockopt = {.level = IPPROTO_TCP, .name = TCP_INFO, .length = 200},
	};
	vse_send(&vse, &frame);
	assert_int_equal(vse_expect(&vse, LFP_WINDOW).window.consumed, 10);
	assert_int_equal(vse_expect(&vse, LFP_GETSOCKOPT_REPLY).status, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(to_the_host),
		TEST(from_the_queue),
		TEST(from_the_host),
		cmocka_unit_test_setup_teardown(behind_a_full_read, set_up_small_packets,
						tear_down),
		TEST(on_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
