/* SPDX-License-Identifier: Apache-2.0 */
/* test-seqpacket.c - packets on a socket: part of a batch, too long ones, descriptors, the end
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/path.h"
#include "transport/seqpacket.h"
#include "tests/transport/descriptors.h"
#include "tests/transport/lingering.h"
#include "transport/choice.h"

#define MTU 4096u

struct fixture {
	uv_loop_t loop;
	struct seqpacket_conn *conn;
	struct transport_conn *base; /* of the connection, until it is closed */
	int peer;
	unsigned int frames;
	int down;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
	uv_loop_init(&f->loop);
	assert_int_equal(seqpacket_create(&f->loop, &transport_unix, ends[0], MTU, &f->conn), 0);
	f->base = &f->conn->base;
	f->peer = ends[1];
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->base)
		f->base->transport->close(f->base);
	if (f->peer >= 0)
		close(f->peer);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	free(f);
	return 0;
}

static int receive(struct fixture *f, struct iovec *packets)
{
	return f->base->transport->receive(f->base, packets, 16);
}

static void expect_packet(const struct iovec *packet, size_t len, uint8_t byte)
{
	assert_int_equal(packet->iov_len, len);
	assert_int_equal(*(const uint8_t *)packet->iov_base, byte);
}

static void say(struct fixture *f, size_t len, uint8_t byte)
{
	uint8_t buf[MTU + 1];

	memset(buf, byte, len);
	assert_int_equal(send(f->peer, buf, len, 0), (ssize_t)len);
}

/* A socket that is full takes some of what is handed over, and the others later. */
static void test_part_of_a_batch(void **state)
{
	struct fixture *f = *state;
	struct packet *packets[8];
	unsigned int sent = 0, got = 0;
	uint8_t buf[MTU];
	int n;

	for (int i = 0; i < 8; i++) {
		packets[i] = calloc(1, sizeof(**packets) + MTU);
		packets[i]->buf = packets[i]->memory;
		packets[i]->len = MTU;
	}
	do {
		for (unsigned int i = 0; i < 8; i++)
			memset(packets[i]->buf, (int)((sent + i) % 251), MTU);
		n = f->base->transport->send(f->base, packets, 8);
		assert_in_range(n, 0, 8);
		sent += (unsigned int)n;
		assert_in_range(sent, 1, 10000);
	} while (n == 8);
	assert_int_equal(f->base->counts.full, 1);
	for (; recv(f->peer, buf, sizeof(buf), 0) == MTU; got++)
		assert_int_equal(buf[MTU - 1], got % 251);
	assert_int_equal(got, sent);
	for (int i = 0; i < 8; i++)
		free(packets[i]);
}

/* The owner need not ask again after a call that has found the socket empty. */
static void test_drained(void **state)
{
	struct fixture *f = *state;
	struct iovec packets[16];

	for (unsigned int i = 0; i < 18; i++)
		say(f, 10, (uint8_t)i);
	assert_int_equal(receive(f, packets), 16);
	assert_false(f->base->drained);
	assert_int_equal(receive(f, packets), 2);
	assert_true(f->base->drained);
	expect_packet(&packets[1], 10, 17);
	assert_int_equal(receive(f, packets), -EAGAIN);
	assert_false(f->base->drained);
}

static void test_longer_than_mtu(void **state)
{
	struct iovec packets[16];

	say(*state, MTU + 1, 1);
	assert_int_equal(receive(*state, packets), -EMSGSIZE);
}

static void test_end_behind_packets(void **state)
{
	struct fixture *f = *state;
	struct iovec packets[16];

	say(f, 10, 1);
	say(f, MTU, 2);
	close(f->peer);
	f->peer = -1;
	assert_int_equal(receive(f, packets), 2);
	expect_packet(&packets[0], 10, 1);
	expect_packet(&packets[1], MTU, 2);
	assert_int_equal(receive(f, packets), 0);
	assert_int_equal(receive(f, packets), 0);
}

/* The kernel reports the peer's unread data (ECONNRESET) before it delivers the peer's packets. */
static void test_end_with_unread(void **state)
{
	struct packet *packet = calloc(1, sizeof(*packet) + 10);
	struct fixture *f = *state;
	struct iovec packets[16];

	packet->buf = packet->memory;
	packet->len = 10;
	assert_int_equal(f->base->transport->send(f->base, &packet, 1), 1);
	free(packet);
	say(f, 10, 1);
	close(f->peer);
	f->peer = -1;
	assert_int_equal(receive(f, packets), 1);
	expect_packet(&packets[0], 10, 1);
	assert_int_equal(receive(f, packets), 0);
}

/* Send a packet with @nr descriptors. */
static void pass(struct fixture *f, const int *fds, size_t nr)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(3 * sizeof(int))];
	} control = {.header = {CMSG_LEN(nr * sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec part = {(void *)(uintptr_t) "packet", 6};
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(nr * sizeof(int)),
	};

	memcpy(CMSG_DATA(&control.header), fds, nr * sizeof(int));
	assert_int_equal(sendmsg(f->peer, &msg, 0), 6);
}

/* Descriptors sent along with a packet are closed. */
static void test_descriptors(void **state)
{
	struct fixture *f = *state;
	const int fds[3] = {f->peer, f->peer, f->peer};
	unsigned int before = descriptors();
	struct iovec packets[16];

	for (int i = 0; i < 20; i++) {
		pass(f, fds, 3);
		pass(f, fds, 1);
		assert_int_equal(receive(f, packets), 2);
		expect_packet(&packets[1], 6, 'p');
	}
	/* Threads close them. */
	for (uint64_t until = uv_hrtime() + UINT64_C(40000000000);
	     descriptors() > before && uv_hrtime() < until;)
		sched_yield();
	assert_int_equal(descriptors(), before);
}

/* Closing them does not delay the receiver. */
static void test_lingering_descriptor(void **state)
{
	struct fixture *f = *state;
	struct iovec packets[16];
	uint64_t begin;
	int keep[2], fd = lingering_make(keep);

	pass(f, &fd, 1);
	close(fd);
	begin = uv_hrtime();
	assert_int_equal(receive(f, packets), 1);
	assert_true(uv_hrtime() - begin < UINT64_C(40000000000));
	close(keep[0]);
	close(keep[1]);
}

static int on_frame(struct path *path, const struct lfp_frame *frame, const char **why)
{
	struct fixture *f = path_data(path);

	(void)frame;
	(void)why;
	f->frames++;
	return 0;
}

static void on_ready(struct path *path)
{
	(void)path;
}

static void on_down(struct path *path, int error, const char *why)
{
	struct fixture *f = path_data(path);

	(void)why;
	f->down = error;
}

/* A peer that no longer receives but still lives: its packets are received, and sending does not
 * wait for it. */
static void test_deaf_peer(void **state)
{
	static const struct path_ops ops = {
		.on_frame = on_frame, .on_ready = on_ready, .on_down = on_down};
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1};
	struct fixture *f = *state;
	uint8_t buf[MTU];
	struct path *path = path_create(&f->loop, f->base, LFP_FROM_VSE, MTU, &ops, f);

	f->base = NULL;
	for (uint32_t i = 1; i <= 40; i++) {
		int n = lfp_frame_encode(&window, buf + LFP_PACKET_HEADER, MTU - LFP_PACKET_HEADER);
		struct lfp_packet header = {.length = LFP_PACKET_HEADER + (uint32_t)n,
					    .sequence = i};

		lfp_packet_encode(&header, buf);
		assert_int_equal(send(f->peer, buf, header.length, 0), header.length);
	}
	assert_int_equal(shutdown(f->peer, SHUT_RD), 0);
	assert_int_equal(path_send(path, &window), 0);
	while (!f->down)
		uv_run(&f->loop, UV_RUN_ONCE);
	assert_int_equal(f->down, -EPIPE);
	assert_int_equal(f->frames, 40);
	path_close(path, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_part_of_a_batch),    TEST(test_longer_than_mtu),
		TEST(test_end_behind_packets), TEST(test_end_with_unread),
		TEST(test_descriptors),        TEST(test_lingering_descriptor),
		TEST(test_deaf_peer),          TEST(test_drained),
	};

	return cmocka_run_group_tests_name("seqpacket", tests, NULL, NULL);
}
