/* SPDX-License-Identifier: Apache-2.0 */
/* test-session.c - an instance with a scripted z/VSE side: who is admitted, what ends a path,
 * sockets */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/sockopt.h"
#include "lfpd/session.h"
#include "tests/lfpd/vse.h"

static struct host host;
static struct vse vse;

static int set_up(void **state)
{
	(void)state;
	host_init(&host);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	host_stop(&host);
	return 0;
}

/* Start as configured so far and open a path. */
static void start(void)
{
	host_start(&host);
	vse_open(&vse, &host);
}

/* SOCKET, CONNECT and CONNECTED; returns the other end. */
static int connect_socket(uint64_t id)
{
	unsigned int port;
	int listener = tcp_listen(&port), fd;
	struct lfp_addr addr = vse_addr("127.0.0.1", port);

	assert_int_equal(vse_socket(&vse, id, LFP_AF_INET), 0);
	assert_int_equal(vse_connect_to(&vse, id, &addr), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	fd = tcp_accept(&host, listener);
	assert_true(fd >= 0);
	close(listener);
	return fd;
}

/* --- Admission --- */

static void hello_is_answered(void **state)
{
	struct lfp_frame reply;

	(void)state;
	host_start(&host);
	vse_connect(&vse, &host);
	reply = vse_hello(&vse, "TESTV", "TEST");
	assert_int_equal(reply.status, 0);
	assert_int_equal(reply.hello_reply.window, 65536);
	assert_int_equal(reply.hello_reply.threshold, 25);
	assert_string_equal(reply.hello_reply.appname, "TEST");
	assert_int_equal(reply.hello_reply.codepage.len, strlen("EBCDIC-US"));
	vse_close(&vse);
}

static void refused(const char *appname, const char *dest, int status)
{
	vse_connect(&vse, &host);
	assert_int_equal(vse_hello(&vse, appname, dest).status, status);
	vse_expect(&vse, LFP_BYE);
	vse_expect_end(&vse);
	assert_null(host.inst.session);
}

static void wrong_names_are_refused(void **state)
{
	(void)state;
	strcpy(host.config.peer_iucv_appname, "TESTV");
	strcpy(host.config.peer_iucv_vmid, "VSER05");
	host_start(&host);
	refused("OTHER", "TEST", EACCES);
	refused("TESTV", "OTHER", ECONNREFUSED);
	vse_open(&vse, &host);
	vse_close(&vse);
}

static void second_instance_is_refused(void **state)
{
	struct vse *second = malloc(sizeof(*second));

	(void)state;
	start();
	vse_connect(second, &host);
	assert_int_equal(vse_hello(second, "TESTV", "TEST").status, EBUSY);
	vse_expect(second, LFP_BYE);
	vse_expect_end(second);
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	vse_close(&vse);
	free(second);
}

static void dead_instance_is_replaced(void **state)
{
	(void)state;
	start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	vse_close(&vse); /* the loop has not run since */
	vse_open(&vse, &host);
	assert_int_equal(host.inst.nr_sockets, 0);
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	vse_close(&vse);
}

/* --- What ends a path, and only the path --- */

/* The path has ended; the instance takes the next one. */
static void path_has_ended(void)
{
	vse_expect_end(&vse);
	assert_int_equal(host.inst.nr_sockets, 0);
	vse_open(&vse, &host);
	vse_close(&vse);
}

static void malformed_packet(void **state)
{
	static const uint8_t junk[] = "this is no packet at all, as anybody can see";

	(void)state;
	start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	vse_send_raw(&vse, junk, sizeof(junk));
	path_has_ended();
}

static void message_before_hello(void **state)
{
	struct lfp_frame task = {.code = LFP_TASK_BEGIN, .task = 1, .request = 1};

	(void)state;
	host_start(&host);
	vse_connect(&vse, &host);
	vse_send(&vse, &task);
	path_has_ended();
}

static void unknown_socket(void **state)
{
	struct lfp_frame frame = {.code = LFP_GETSOCKNAME, .sock = 77, .request = 1};

	(void)state;
	start();
	vse_send(&vse, &frame);
	path_has_ended();
}

static void id_that_does_not_rise(void **state)
{
	struct lfp_frame frame = {.code = LFP_SOCKET,
				  .sock = 4,
				  .request = 9,
				  .task = 1,
				  .socket = {.family = LFP_AF_INET, .kind = 1}};

	(void)state;
	start();
	assert_int_equal(vse_socket(&vse, 5, LFP_AF_INET), 0);
	vse_send(&vse, &frame);
	path_has_ended();
}

static void window_violation(void **state)
{
	static char bytes[8000];
	int fd;

	(void)state;
	host.config.window_size = 4096;
	start();
	fd = connect_socket(1);
	vse_data(&vse, 1, 0, bytes, 4097);
	path_has_ended();
	assert_int_equal(read(fd, bytes, 1), -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);
}

static void data_without_connection(void **state)
{
	(void)state;
	start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	vse_data(&vse, 1, 0, "x", 1);
	path_has_ended();
}

static void random_frames(void **state)
{
	(void)state;
	srand(4711);
	host_start(&host);
	for (int round = 0; round < 300; round++) {
		uint8_t packet[256];
		struct lfp_packet header = {.flags = (uint8_t)(rand() % 2), .taken = 0};
		size_t len = LFP_PACKET_HEADER + LFP_FRAME_HEADER + (size_t)(rand() % 64);

		vse_open(&vse, &host);
		assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
		for (size_t i = 0; i < len; i++)
			packet[i] = (uint8_t)(rand() % 3 ? 0 : rand());
		header.length = (uint32_t)len;
		header.sequence = vse.sequence + 1;
		lfp_packet_encode(&header, packet);
		memset(packet + LFP_PACKET_HEADER, 0, 3);
		packet[LFP_PACKET_HEADER + 3] = (uint8_t)(len - LFP_PACKET_HEADER);
		packet[LFP_PACKET_HEADER + 4] = (uint8_t)(rand() % 0x28);
		packet[LFP_PACKET_HEADER + 6] = packet[LFP_PACKET_HEADER + 7] = 0;
		packet[LFP_PACKET_HEADER + 11] = 1;
		packet[LFP_PACKET_HEADER + 15] = 1;
		packet[LFP_PACKET_HEADER + 23] = 1;
		vse_send_raw(&vse, packet, len);
		host_turn(&host);
		vse_close(&vse);
	}
	vse_open(&vse, &host);
	vse_close(&vse);
}

/* --- Limits --- */

static void max_sockets(void **state)
{
	(void)state;
	start();
	for (uint64_t id = 1; id <= 8; id++)
		assert_int_equal(vse_socket(&vse, id, LFP_AF_INET), 0);
	assert_int_equal(vse_socket(&vse, 9, LFP_AF_INET), ENFILE);
	assert_int_equal(vse_close_socket(&vse, 3, 0, 0), 0);
	assert_int_equal(vse_socket(&vse, 10, LFP_AF_INET6), 0);
	vse_close(&vse);
}

static void max_tasks(void **state)
{
	struct lfp_frame frame = {.code = LFP_TASK_BEGIN};

	(void)state;
	start();
	for (frame.task = 2; frame.task <= 4; frame.task++)
		assert_int_equal(vse_ask(&vse, frame).status, 0);
	assert_int_equal(vse_ask(&vse, frame).status, EAGAIN);
	frame.code = LFP_TASK_END;
	frame.task = 2;
	vse_send(&vse, &frame);
	frame.code = LFP_TASK_BEGIN;
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	vse_close(&vse);
}

static void a_task_takes_a_socket(void **state)
{
	struct lfp_frame frame = {.code = LFP_TASK_BEGIN, .task = 2}, taken = {.code = LFP_TAKEN};

	(void)state;
	start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	taken.sock = 1;
	taken.task = 2;
	vse_send(&vse, &taken);
	/* It lives on when the one that has made it has ended, and the other one has ended, too. */
	frame.code = LFP_TASK_END;
	frame.task = 1;
	vse_send(&vse, &frame);
	frame.task = 2;
	vse_send(&vse, &frame);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	/* By a task that is not there nothing can be taken. */
	frame.code = LFP_TASK_BEGIN;
	frame.task = 3;
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_SOCKET, .sock = 2, .task = 3};
	frame.socket.family = LFP_AF_INET;
	frame.socket.kind = SOCK_STREAM;
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	taken.sock = 2;
	vse_send(&vse, &taken);
	path_has_ended();
}

static void kinds_that_are_not_there(void **state)
{
	struct lfp_frame frame = {.code = LFP_SOCKET, .sock = 1, .task = 1};

	(void)state;
	start();
	frame.socket.family = LFP_AF_INET;
	frame.socket.kind = 3;
	assert_int_equal(vse_ask(&vse, frame).status, ESOCKTNOSUPPORT);
	frame.sock++;
	frame.socket.kind = 1;
	frame.socket.protocol = IPPROTO_UDP;
	assert_int_equal(vse_ask(&vse, frame).status, EPROTONOSUPPORT);
	frame.sock++;
	frame.socket.family = 1;
	assert_int_equal(vse_ask(&vse, frame).status, EAFNOSUPPORT);
	vse_close(&vse);
}

/* --- Connections --- */

static void data_both_ways(void **state)
{
	struct lfp_frame frame, end = {.code = LFP_SHUTDOWN, .sock = 1};
	char buf[64];
	int fd;

	(void)state;
	start();
	fd = connect_socket(1);
	vse_data(&vse, 1, 0, "hello ", 6);
	vse_data(&vse, 1, 6, "host", 4);
	for (ptrdiff_t done = 0; done < 10;)
		done += tcp_read(&host, fd, buf + done, sizeof(buf) - (size_t)done);
	assert_memory_equal(buf, "hello host", 10);

	assert_int_equal(write(fd, "hello z/VSE", 11), 11);
	frame = vse_expect(&vse, LFP_DATA);
	assert_int_equal(frame.data.position, 0);
	assert_int_equal(frame.data.payload.len, 11);
	assert_memory_equal(frame.data.payload.ptr, "hello z/VSE", 11);

	end.shutdown.how = SHUT_WR;
	end.shutdown.position = 10;
	vse_send(&vse, &end);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 0);
	assert_int_equal(write(fd, "!", 1), 1);
	assert_int_equal(vse_expect(&vse, LFP_DATA).data.position, 11);
	close(fd);
	frame = vse_expect(&vse, LFP_SHUTDOWN);
	assert_int_equal(frame.shutdown.how, SHUT_WR);
	assert_int_equal(frame.shutdown.position, 12);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 12), 0);
	assert_int_equal(host.inst.nr_sockets, 0);
	vse_close(&vse);
}

static void refused_port_can_be_tried_again(void **state)
{
	unsigned int port;
	int listener = tcp_listen(&port);
	struct lfp_addr addr = vse_addr("127.0.0.1", port);

	(void)state;
	close(listener);
	start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(vse_connect_to(&vse, 1, &addr), EINPROGRESS);
		assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, ECONNREFUSED);
	}
	listener = tcp_listen(&port);
	addr = vse_addr("127.0.0.1", port);
	assert_int_equal(vse_connect_to(&vse, 1, &addr), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	assert_int_equal(vse_connect_to(&vse, 1, &addr), EISCONN);
	close(listener);
	vse_close(&vse);
}

/* The peer has sent and reset before the loop saw the connection: its data still comes first. */
static void reset_before_it_was_seen(void **state)
{
	static const struct linger at_once = {.l_onoff = 1};
	struct lfp_frame frame = {.code = LFP_CONNECT, .sock = 1, .request = 50};
	unsigned int port;
	int listener = tcp_listen(&port), fd;

	(void)state;
	start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	frame.connect.peer = vse_addr("127.0.0.1", port);
	vse_send(&vse, &frame);
	do
		host_turn(&host);
	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) < 0);
	assert_int_equal(write(fd, "last", 4), 4);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	close(fd);
	close(listener);
	assert_int_equal(vse_expect(&vse, LFP_CONNECT_REPLY).status, EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	assert_int_equal(vse_expect(&vse, LFP_DATA).data.payload.len, 4);
	assert_int_equal(vse_expect(&vse, LFP_RESET).status, ECONNRESET);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 4), 0);
	vse_close(&vse);
}

/* connect() to AF_UNSPEC; the positions of the bytes go on. */
static void dissolved_and_connected_again(void **state)
{
	struct lfp_addr unspec = {.family = LFP_AF_UNSPEC}, addr;
	unsigned int port;
	char buf[8];
	int listener, fd;

	(void)state;
	start();
	fd = connect_socket(1);
	vse_data(&vse, 1, 0, "one", 3);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 3);
	assert_int_equal(vse_connect_to(&vse, 1, &unspec), 0);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);

	listener = tcp_listen(&port);
	addr = vse_addr("127.0.0.1", port);
	assert_int_equal(vse_connect_to(&vse, 1, &addr), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	/* The next connection begins with a whole window. */
	assert_int_equal(vse_expect(&vse, LFP_WINDOW).window.consumed, 3);
	fd = tcp_accept(&host, listener);
	vse_data(&vse, 1, 3, "two", 3);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 3);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(vse_expect(&vse, LFP_DATA).data.position, 0);
	close(fd);
	close(listener);
	vse_close(&vse);
}

/* The peer ends in order and then resets: a program that only waits must hear of it. */
static void reset_after_end_of_file(void **state)
{
	static const struct linger at_once = {.l_onoff = 1};
	int fd;

	(void)state;
	start();
	fd = connect_socket(1);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	assert_int_equal(vse_expect(&vse, LFP_SHUTDOWN).shutdown.position, 0);
	for (int i = 0; i < 5; i++)
		host_turn(&host);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	close(fd);
	assert_int_not_equal(vse_expect(&vse, LFP_RESET).status, 0);
	vse_close(&vse);
}

/* The window of the z/VSE side stops the host, and WINDOW lets it go on. */
static void window_of_the_reader(void **state)
{
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1};
	static char bytes[4 * VSE_WINDOW];
	uint64_t got = 0;
	int fd;

	(void)state;
	start();
	fd = connect_socket(1);
	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	while (got < sizeof(bytes)) {
		struct lfp_frame frame = vse_expect(&vse, LFP_DATA);

		assert_int_equal(frame.data.position, got);
		got += frame.data.payload.len;
		assert_true(got - window.window.consumed <= VSE_WINDOW);
		/* lfpd may leave room of less than an eighth unused. */
		if (got - window.window.consumed > VSE_WINDOW - VSE_WINDOW / 8) {
			for (int i = 0; i < 5; i++)
				host_turn(&host);
			window.window.consumed = got;
			vse_send(&vse, &window);
		}
	}
	close(fd);
	vse_expect(&vse, LFP_SHUTDOWN);
	vse_close(&vse);
}

/* What the host does not take is queued, at most a window; CLOSE in order still delivers all of it.
 */
static void close_flushes(void **state)
{
	static char bytes[4096];
	struct lfp_frame option = {.code = LFP_SETSOCKOPT, .sock = 1};
	uint64_t sent = 0, got = 0;
	uint32_t window = 65536;
	struct lfp_frame frame;
	uint64_t consumed = 0;
	int fd, small = 4096;

	(void)state;
	start();
	fd = connect_socket(1);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	option.setsockopt.level = SOL_SOCKET;
	option.setsockopt.name = SO_SNDBUF;
	option.setsockopt.value.ptr = (const uint8_t *)"\0\0\x10\0";
	option.setsockopt.value.len = 4;
	assert_int_equal(vse_ask(&vse, option).status, 0);

	/* Until nothing is consumed any more. */
	for (;;) {
		for (int i = 0; i < 3; i++)
			host_turn(&host);
		while (recv(vse.fd, bytes, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
			consumed = vse_expect(&vse, LFP_WINDOW).window.consumed;
		if (sent + sizeof(bytes) > consumed + window)
			break;
		vse_data(&vse, 1, sent, bytes, sizeof(bytes));
		sent += sizeof(bytes);
	}
	assert_true(host.inst.pool.in_use > 0);
	assert_true(host.inst.pool.in_use <= 65536 / 8192 + 2);
	frame = (struct lfp_frame){.code = LFP_CLOSE, .sock = 1};
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	assert_int_equal(host.inst.nr_sockets, 1);
	vse_close(&vse); /* the path may end, too */
	for (;;) {
		ptrdiff_t n = tcp_read(&host, fd, bytes, sizeof(bytes));

		assert_true(n >= 0);
		if (!n)
			break;
		got += (uint64_t)n;
	}
	assert_int_equal(got, sent);
	assert_int_equal(host.inst.nr_sockets, 0);
	close(fd);
}

static void close_with_unread_data_resets(void **state)
{
	char buf[8];
	int fd;

	(void)state;
	start();
	fd = connect_socket(1);
	assert_int_equal(write(fd, "data", 4), 4);
	vse_expect(&vse, LFP_DATA);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);
	vse_close(&vse);
}

static void reset_of_the_peer(void **state)
{
	static const struct linger at_once = {.l_onoff = 1};
	struct lfp_frame frame;
	int fd;

	(void)state;
	start();
	fd = connect_socket(1);
	assert_int_equal(write(fd, "last", 4), 4);
	assert_int_equal(vse_expect(&vse, LFP_DATA).data.payload.len, 4);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	close(fd);
	frame = vse_expect(&vse, LFP_RESET);
	assert_int_equal(frame.status, ECONNRESET);
	/* Data that was under way is thrown away; the path lives. */
	vse_data(&vse, 1, 0, "late", 4);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 4), 0);
	vse_close(&vse);
}

static void path_end_resets(void **state)
{
	char buf[8];
	int fd;

	(void)state;
	start();
	fd = connect_socket(1);
	vse_close(&vse);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), -1);
	assert_int_equal(errno, ECONNRESET);
	assert_int_equal(host.inst.nr_sockets, 0);
	close(fd);
}

/* --- Listening --- */

static int connect_native(const struct lfp_addr *addr)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(addr->port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(&in.sin_addr, addr->ip, 4);
	assert_int_equal(connect(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	return fd;
}

static struct lfp_addr listen_at_loopback(uint64_t id)
{
	struct lfp_frame frame = {
		.code = LFP_BIND, .sock = id, .bind.local = vse_addr("127.0.0.1", 0)};

	assert_int_equal(vse_socket(&vse, id, LFP_AF_INET), 0);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_LISTEN, .sock = id, .listen.backlog = 16};
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = id};
	return vse_ask(&vse, frame).name.addr;
}

static void accept_takes_credits(void **state)
{
	struct lfp_frame credit = {.code = LFP_ACCEPT, .sock = 1}, accepted;
	struct lfp_addr addr;
	uint64_t last = 0;
	char buf[8];
	int fds[3];

	(void)state;
	start();
	addr = listen_at_loopback(1);
	for (int i = 0; i < 3; i++)
		fds[i] = connect_native(&addr);
	for (int i = 0; i < 5; i++)
		host_turn(&host);
	assert_int_equal(host.inst.nr_sockets, 1);
	credit.accept.count = 2;
	vse_send(&vse, &credit);
	for (int i = 0; i < 2; i++) {
		accepted = vse_expect(&vse, LFP_ACCEPTED);
		assert_int_equal(accepted.sock, 1);
		assert_true(accepted.accepted.id & LFP_ID_LFPD);
		assert_true(accepted.accepted.id > last);
		assert_int_equal(accepted.accepted.local.port, addr.port);
		last = accepted.accepted.id;
	}
	for (int i = 0; i < 5; i++)
		host_turn(&host);
	assert_int_equal(host.inst.nr_sockets, 3);
	vse_data(&vse, last, 0, "hi", 2);
	assert_int_equal(tcp_read(&host, fds[1], buf, sizeof(buf)), 2);
	vse_close(&vse);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

static void accept_waits_for_max_sockets(void **state)
{
	struct lfp_frame credit = {.code = LFP_ACCEPT, .sock = 1, .accept.count = 9};
	struct lfp_addr addr;
	int fds[2];

	(void)state;
	host.config.max_sockets = 2;
	start();
	addr = listen_at_loopback(1);
	vse_send(&vse, &credit);
	fds[0] = connect_native(&addr);
	fds[1] = connect_native(&addr);
	assert_int_equal(vse_expect(&vse, LFP_ACCEPTED).accepted.id, LFP_ID_LFPD | 1);
	for (int i = 0; i < 5; i++)
		host_turn(&host);
	assert_int_equal(host.inst.nr_sockets, 2);
	assert_int_equal(vse_close_socket(&vse, LFP_ID_LFPD | 1, 0, 0), 0);
	assert_int_equal(vse_expect(&vse, LFP_ACCEPTED).accepted.id, LFP_ID_LFPD | 2);
	vse_close(&vse);
	close(fds[0]);
	close(fds[1]);
}

/* --- Options --- */

static int set_option(int level, int name, const void *value, uint32_t len)
{
	struct lfp_frame frame = {.code = LFP_SETSOCKOPT, .sock = 1};

	frame.setsockopt.level = level;
	frame.setsockopt.name = name;
	frame.setsockopt.value.ptr = value;
	frame.setsockopt.value.len = len;
	return vse_ask(&vse, frame).status;
}

static struct lfp_bytes get_option(int level, int name)
{
	struct lfp_frame frame = {.code = LFP_GETSOCKOPT, .sock = 1}, reply;

	frame.getsockopt.level = level;
	frame.getsockopt.name = name;
	frame.getsockopt.length = 64;
	reply = vse_ask(&vse, frame);
	assert_int_equal(reply.status, 0);
	return reply.value.value;
}

static void linger_of_no_time_aborts(void **state)
{
	static const uint8_t linger[] = {0, 0, 0, 1, 0, 0, 0, 0};
	char buf[8];
	int fd;

	(void)state;
	start();
	fd = connect_socket(1);
	assert_int_equal(set_option(SOL_SOCKET, SO_LINGER, linger, 8), 0);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);
	vse_close(&vse);
}

static void options(void **state)
{
	static const uint8_t linger[] = {0, 0, 0, 1, 0, 0, 0, 9};
	struct lfp_bytes value;

	(void)state;
	start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	assert_int_equal(set_option(SOL_SOCKET, SO_KEEPALIVE, "\0\0\0\1", 4), 0);
	value = get_option(SOL_SOCKET, SO_KEEPALIVE);
	assert_int_equal(value.len, 4);
	assert_memory_equal(value.ptr, "\0\0\0\1", 4);

	assert_int_equal(set_option(SOL_SOCKET, SO_LINGER, linger, 8), 0);
	value = get_option(SOL_SOCKET, SO_LINGER);
	assert_int_equal(value.len, 8);
	assert_memory_equal(value.ptr, linger, 8);

	assert_int_equal(set_option(SOL_SOCKET, SO_RCVBUF, "\0\0\x20\0", 4), 0);
	value = get_option(SOL_SOCKET, SO_RCVBUF);
	assert_memory_equal(value.ptr, "\0\0\x40\0", 4);

	assert_int_equal(set_option(SOL_SOCKET, SO_ATTACH_FILTER, linger, 8), ENOPROTOOPT);
	assert_int_equal(set_option(SOL_SOCKET, SO_MARK, "\0\0\0\1", 4), EPERM);
	assert_int_equal(set_option(IPPROTO_TCP, 9999, "\0\0\0\1", 4), ENOPROTOOPT);
	vse_close(&vse);
}

/* --- RESTRICT_TO_HOSTID, with an address that every host has --- */

static void restricted(void **state)
{
	struct lfp_frame frame = {.code = LFP_LISTEN, .sock = 1};
	struct lfp_addr addr;

	(void)state;
	host.config.restrict_to_hostid = host.config.has_vse_hostid = true;
	host.config.vse_hostid.s_addr = htonl(0x7f000002);
	start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = 1};
	addr = vse_ask(&vse, frame).name.addr;
	assert_memory_equal(addr.ip, "\x7f\0\0\2", 4);
	assert_int_not_equal(addr.port, 0);

	assert_int_equal(vse_socket(&vse, 2, LFP_AF_INET), 0);
	frame = (struct lfp_frame){
		.code = LFP_BIND, .sock = 2, .bind.local = vse_addr("127.0.0.1", 0)};
	assert_int_equal(vse_ask(&vse, frame).status, EADDRNOTAVAIL);
	addr = vse_addr("127.0.0.1", 1);
	assert_int_equal(vse_connect_to(&vse, 2, &addr), ENETUNREACH);
	assert_int_equal(vse_socket(&vse, 3, LFP_AF_INET6), 0);
	frame = (struct lfp_frame){.code = LFP_BIND, .sock = 3, .bind.local = vse_addr("::", 0)};
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = 3};
	addr = vse_ask(&vse, frame).name.addr;
	assert_memory_equal(addr.ip, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\2", 16);
	frame = (struct lfp_frame){.code = LFP_GETHOSTID};
	assert_int_equal(vse_ask(&vse, frame).gethostid_reply.id, 0x7f000002);
	vse_close(&vse);
}

/* --- Names --- */

static void numbers_resolve(void **state)
{
	/* "127.0.0.1" and "80" in EBCDIC */
	static const uint8_t node[] = {0xf1, 0xf2, 0xf7, 0x4b, 0xf0, 0x4b, 0xf0, 0x4b, 0xf1};
	static const uint8_t service[] = {0xf8, 0xf0};
	struct lfp_frame frame = {.code = LFP_GETADDRINFO}, reply;
	struct lfp_addr addr;

	(void)state;
	start();
	frame.getaddrinfo.kind = SOCK_STREAM;
	frame.getaddrinfo.given = 3;
	frame.getaddrinfo.node = (struct lfp_text){node, sizeof(node)};
	frame.getaddrinfo.service = (struct lfp_text){service, sizeof(service)};
	reply = vse_ask(&vse, frame);
	assert_int_equal(reply.getaddrinfo_reply.error, 0);
	assert_int_equal(reply.getaddrinfo_reply.entries.len, 32);
	assert_int_equal(lfp_addr_get(reply.getaddrinfo_reply.entries.ptr + 4, &addr), 0);
	assert_int_equal(addr.port, 80);
	assert_memory_equal(addr.ip, "\x7f\0\0\1", 4);

	frame = (struct lfp_frame){.code = LFP_GETHOSTBYNAME};
	frame.gethostbyname.family = LFP_AF_INET;
	frame.gethostbyname.name = (struct lfp_text){node, sizeof(node)};
	reply = vse_ask(&vse, frame);
	assert_int_equal(reply.hostent.h_errno_, 0);
	assert_int_equal(reply.hostent.name.len, sizeof(node));
	assert_memory_equal(reply.hostent.name.ptr, node, sizeof(node));
	assert_int_equal(reply.hostent.rest.len, LFP_ADDR_SIZE);

	frame = (struct lfp_frame){.code = LFP_GETNAMEINFO};
	frame.getnameinfo.addr = vse_addr("127.0.0.1", 80);
	frame.getnameinfo.flags = 3; /* NI_NUMERICHOST, NI_NUMERICSERV */
	reply = vse_ask(&vse, frame);
	assert_int_equal(reply.getnameinfo_reply.error, 0);
	assert_memory_equal(reply.getnameinfo_reply.host.ptr, node, sizeof(node));
	assert_memory_equal(reply.getnameinfo_reply.service.ptr, service, sizeof(service));
	vse_close(&vse);
}

/* The path ends while a thread is looking up. */
static void resolver_outlives_the_path(void **state)
{
	static const uint8_t node[] = {0xf1};
	struct lfp_frame frame = {.code = LFP_GETHOSTBYNAME, .request = 99};

	(void)state;
	start();
	frame.gethostbyname.family = LFP_AF_INET;
	frame.gethostbyname.name = (struct lfp_text){node, sizeof(node)};
	vse_send(&vse, &frame);
	host_turn(&host);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hello_is_answered),
		TEST(wrong_names_are_refused),
		TEST(second_instance_is_refused),
		TEST(dead_instance_is_replaced),
		TEST(malformed_packet),
		TEST(message_before_hello),
		TEST(unknown_socket),
		TEST(id_that_does_not_rise),
		TEST(window_violation),
		TEST(a_task_takes_a_socket),
		TEST(data_without_connection),
		TEST(random_frames),
		TEST(max_sockets),
		TEST(max_tasks),
		TEST(kinds_that_are_not_there),
		TEST(data_both_ways),
		TEST(refused_port_can_be_tried_again),
		TEST(reset_before_it_was_seen),
		TEST(dissolved_and_connected_again),
		TEST(reset_after_end_of_file),
		TEST(window_of_the_reader),
		TEST(close_flushes),
		TEST(close_with_unread_data_resets),
		TEST(reset_of_the_peer),
		TEST(path_end_resets),
		TEST(accept_takes_credits),
		TEST(accept_waits_for_max_sockets),
		TEST(linger_of_no_time_aborts),
		TEST(options),
		TEST(restricted),
		TEST(numbers_resolve),
		TEST(resolver_outlives_the_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
