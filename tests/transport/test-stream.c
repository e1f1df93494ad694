/* SPDX-License-Identifier: Apache-2.0 */
/* test-stream.c - packets on a byte stream: parts, many at once, what is none; dialing through a
 * VMM; the CID */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lfp/frame.h"
#include "tests/transport/descriptors.h"
#include "tests/transport/streaming.h"
#include "transport/dial.h"
#include "transport/path.h"

static char why_not[TRANSPORT_WHY]; /* a dial has failed */

static int setup(void **state)
{
	return streaming_set_up(state, false);
}

static void say(struct streaming *f, const void *bytes, size_t len)
{
	assert_int_equal(send(f->peer, bytes, len, 0), (ssize_t)len);
}

static int receive(struct streaming *f, struct iovec *packets)
{
	return streamsock_receive(f->base, packets, 16);
}

static void expect_packet(const struct iovec *packet, uint32_t sequence, size_t len)
{
	streaming_expect(packet, sequence);
	assert_int_equal(packet->iov_len, len);
}

static void test_byte_by_byte(void **state)
{
	struct streaming *f = *state;
	struct iovec packets[16];
	uint8_t buf[100];
	size_t len = streaming_packet(f, buf, sizeof(buf));

	for (size_t i = 0; i + 1 < len; i++) {
		say(f, buf + i, 1);
		assert_int_equal(receive(f, packets), -EAGAIN);
	}
	say(f, buf + len - 1, 1);
	assert_int_equal(receive(f, packets), 1);
	expect_packet(&packets[0], 1, len);
	assert_true(f->base->drained);
	assert_int_equal(receive(f, packets), -EAGAIN);
}

/* The room is as large as two packets of the largest MTU. */
static void test_parts_move(void **state)
{
	struct streaming *f = *state;
	struct iovec packets[16];
	uint8_t buf[3 * MTU];
	unsigned int got = 0;

	/* The length of a packet and a half is no divisor of the room. */
	for (unsigned int i = 0; i < 200; i++) {
		size_t len = streaming_packet(f, buf, MTU);
		int n;

		len += streaming_packet(f, buf + len, MTU - 7);
		say(f, buf, len - 1000);
		n = receive(f, packets);
		assert_int_equal(n, 1);
		expect_packet(&packets[0], ++got, MTU);
		say(f, buf + len - 1000, 1000);
		assert_int_equal(receive(f, packets), 1);
		expect_packet(&packets[0], ++got, MTU - 7);
	}
}

static void on_readable(struct transport_conn *conn)
{
	struct streaming *f = conn->data;
	struct iovec packets[16];
	int n = streamsock_receive(conn, packets, f->most);

	f->calls++;
	for (int i = 0; i < n; i++)
		expect_packet(&packets[i], ++f->read, LFP_PACKET_HEADER);
}

/* More packets than the owner takes: the loop calls again, although the socket is empty. Not while
 * the owner does not watch. */
static void test_more_than_taken(void **state)
{
	struct streaming *f = *state;
	uint8_t buf[100 * LFP_PACKET_HEADER];
	unsigned int calls;

	for (size_t i = 0; i < 100; i++)
		streaming_packet(f, buf + i * LFP_PACKET_HEADER, LFP_PACKET_HEADER);
	say(f, buf, sizeof(buf));
	f->base->on_readable = on_readable;
	f->most = 7;
	streamsock_watch(f->base, TRANSPORT_READ);
	uv_run(&f->loop, UV_RUN_ONCE);
	assert_int_equal(f->read, 7);
	streamsock_watch(f->base, 0);
	for (int i = 0; i < 5; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
	assert_int_equal(f->read, 7);
	streamsock_watch(f->base, TRANSPORT_READ);
	while (f->read < 100)
		uv_run(&f->loop, UV_RUN_ONCE);
	calls = f->calls;
	for (int i = 0; i < 20; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
	assert_in_range(f->calls, calls, calls + 1);
}

/* Reads what there is, and checks that the packets are whole and in order. */
static void drain(struct streaming *f, uint8_t *buf, size_t *len, unsigned int *got)
{
	ssize_t n;

	while ((n = recv(f->peer, buf + *len, 4 * MTU, 0)) > 0) {
		size_t at = 0;

		*len += (size_t)n;
		for (; *len - at >= MTU; at += MTU) {
			struct iovec packet = {buf + at, MTU};

			expect_packet(&packet, ++*got, MTU);
		}
		memmove(buf, buf + at, *len - at);
		*len -= at;
	}
}

/* The kernel takes a part of a packet: the rest goes out by itself and before the next packets. */
static void test_rest_goes_out(void **state)
{
	static uint8_t buf[8 * MTU];
	struct streaming *f = *state;
	struct packet *packets[8];
	unsigned int sent = 0, got = 0;
	size_t len = 0;
	int n;

	f->base->on_readable = on_readable;
	for (int round = 0; round < 3; round++) {
		do {
			for (unsigned int i = 0; i < 8; i++) {
				packets[i] = calloc(1, sizeof(**packets) + MTU);
				packets[i]->buf = packets[i]->memory;
				packets[i]->len = streaming_packet(f, packets[i]->buf, MTU);
			}
			n = streamsock_send(f->base, packets, 8);
			assert_in_range(n, 0, 8);
			f->said -= 8u - (unsigned int)n;
			sent += (unsigned int)n;
			for (unsigned int i = 0; i < 8; i++)
				free(packets[i]);
		} while (n == 8);
		/* The owner does not watch. */
		while (got < sent) {
			drain(f, buf, &len, &got);
			uv_run(&f->loop, UV_RUN_NOWAIT);
		}
		assert_int_equal(f->writable, 0);
		assert_int_equal(len, 0);
	}
}

static void test_no_packets(void **state)
{
	struct streaming *f = *state;
	struct lfp_packet header;
	struct iovec packets[16];
	const char *why = "";
	uint8_t buf[64];

	say(f, buf, streaming_packet(f, buf, 40));
	memset(buf, 'x', sizeof(buf));
	say(f, buf, sizeof(buf));
	assert_int_equal(receive(f, packets), 2);
	expect_packet(&packets[0], 1, 40);
	assert_int_equal(lfp_packet_decode(packets[1].iov_base, packets[1].iov_len, &header, &why),
			 -EPROTO);
	assert_string_equal(why, "packet without the magic number");
	assert_int_equal(receive(f, packets), -EPROTO);
}

static void test_longer_than_mtu(void **state)
{
	struct streaming *f = *state;
	struct iovec packets[16];
	struct lfp_packet header = {.length = MTU + 1};
	uint8_t buf[64];

	say(f, buf, streaming_packet(f, buf, 40));
	lfp_packet_encode(&header, buf);
	say(f, buf, LFP_PACKET_HEADER);
	assert_int_equal(receive(f, packets), 1);
	assert_int_equal(receive(f, packets), -EMSGSIZE);
}

static void test_shorter_than_header(void **state)
{
	struct streaming *f = *state;
	struct lfp_packet header = {.length = 0};
	struct iovec packets[16];
	const char *why = "";
	uint8_t buf[LFP_PACKET_HEADER];

	lfp_packet_encode(&header, buf);
	say(f, buf, sizeof(buf));
	assert_int_equal(receive(f, packets), 1);
	assert_int_equal(lfp_packet_decode(packets[0].iov_base, packets[0].iov_len, &header, &why),
			 -EPROTO);
	assert_int_equal(receive(f, packets), -EPROTO);
}

/* The end comes after the packets, also within one; with unread bytes at the peer the kernel
 * reports an error first. */
static void test_end(void **state)
{
	struct streaming *f = *state;
	struct packet *packet = calloc(1, sizeof(*packet) + 40);
	struct iovec packets[16];
	uint8_t buf[64];

	packet->buf = packet->memory;
	packet->len = streaming_packet(f, packet->buf, 40);
	assert_int_equal(streamsock_send(f->base, &packet, 1), 1);
	free(packet);
	say(f, buf, streaming_packet(f, buf, 40));
	say(f, buf, 30);
	close(f->peer);
	f->peer = -1;
	assert_int_equal(receive(f, packets), 1);
	expect_packet(&packets[0], 2, 40);
	assert_int_equal(receive(f, packets), 0);
	assert_int_equal(receive(f, packets), 0);
}

/* Descriptors sent along are closed. */
static void test_descriptors(void **state)
{
	struct streaming *f = *state;
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = {.header = {CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	const int fds[2] = {f->peer, f->peer};
	unsigned int before = descriptors();
	struct iovec packets[16];
	uint8_t buf[64];

	memcpy(CMSG_DATA(&control.header), fds, sizeof(fds));
	for (int i = 0; i < 20; i++) {
		struct iovec part = {buf, streaming_packet(f, buf, 40)};
		struct msghdr msg = {
			.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = &control,
			.msg_controllen = sizeof(control),
		};

		assert_int_equal(sendmsg(f->peer, &msg, 0), 40);
		assert_int_equal(receive(f, packets), 1);
	}
	/* Threads close them. */
	for (uint64_t until = uv_hrtime() + UINT64_C(40000000000);
	     descriptors() > before && uv_hrtime() < until;)
		sched_yield();
	/* Those of earlier tests may have been closed as well. */
	assert_in_range(descriptors(), 1, before);
}

static void on_dialed(void *data, int rc, const char *why)
{
	struct streaming *f = data;

	f->result = rc;
	snprintf(why_not, sizeof(why_not), "%s", why);
}

/* Dials port 5023 through a VMM that answers so, and returns the result. */
static int dial_through(struct streaming *f, const char *answer, bool ends)
{
	char line[DIAL_LINE], heard[DIAL_LINE] = "";
	struct dial *dial;
	size_t len = 0;
	int ends_of[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_of), 0);
	dial_line(line, 5023);
	f->result = 1;
	assert_int_equal(dial_start(&f->loop, ends_of[0], line, on_dialed, f, &dial), 0);
	while (len < strlen(line)) {
		ssize_t n = recv(ends_of[1], heard + len, sizeof(heard) - 1 - len, 0);

		len += n > 0 ? (size_t)n : 0;
		uv_run(&f->loop, UV_RUN_NOWAIT);
	}
	assert_string_equal(heard, "CONNECT 5023\n");
	for (const char *at = answer; *at; at++) {
		assert_int_equal(f->result, 1);
		assert_int_equal(send(ends_of[1], at, 1, 0), 1);
		uv_run(&f->loop, UV_RUN_NOWAIT);
	}
	if (ends)
		close(ends_of[1]);
	while (f->result == 1)
		uv_run(&f->loop, UV_RUN_ONCE);
	if (!ends)
		close(ends_of[1]);
	return f->result;
}

static void test_dial(void **state)
{
	struct streaming *f = *state;
	int fd = dial_through(f, "OK 1073741824\n", false);

	assert_in_range(fd, 2, 1 << 20);
	close(fd);
	assert_int_equal(dial_through(f, "", true), -ECONNREFUSED);
	assert_string_equal(why_not, "nothing listens at this port of the guest");
	assert_int_equal(dial_through(f, "NO\n", false), -EPROTO);
	assert_string_equal(why_not, "the answer to CONNECT is not OK");
	assert_int_equal(dial_through(f, "OK 10737418241073741824x", false), -EPROTO);
	assert_string_equal(why_not, "the answer to CONNECT is too long");
}

/* Packets directly behind the answer are left to the connection. */
static void test_packets_behind_answer(void **state)
{
	struct streaming *f = *state;
	struct dial *dial;
	char text[8];
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	assert_int_equal(send(ends[1], "OK 1\nLF", 7, 0), 7);
	assert_int_equal(dial_start(&f->loop, ends[0], "CONNECT 1\n", on_dialed, f, &dial), 0);
	while (f->result == 1)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_int_equal(recv(f->result, text, sizeof(text), 0), 2);
	assert_memory_equal(text, "LF", 2);
	close(f->result);
	close(ends[1]);
}

static void test_dial_cancelled(void **state)
{
	struct streaming *f = *state;
	struct dial *dial;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	assert_int_equal(dial_start(&f->loop, ends[0], "CONNECT 1\n", on_dialed, f, &dial), 0);
	dial_cancel(dial);
	for (int i = 0; i < 5; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
	assert_int_equal(f->result, 1);
	close(ends[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, streaming_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_byte_by_byte),
		TEST(test_parts_move),
		TEST(test_more_than_taken),
		TEST(test_rest_goes_out),
		TEST(test_no_packets),
		TEST(test_longer_than_mtu),
		TEST(test_shorter_than_header),
		TEST(test_end),
		TEST(test_descriptors),
		TEST(test_dial),
		TEST(test_packets_behind_answer),
		TEST(test_dial_cancelled),
	};

	return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
