/* SPDX-License-Identifier: Apache-2.0 */
/* vse.c - an lfpd instance in this process, and a scripted z/VSE side for it */
#include "tests/lfpd/vse.h"

#include <setjmp.h>
#include <stdarg.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lfp/log.h"
#include "lfp/places.h"
#include "lfpd/instance.h"
#include "lfpd/state/session.h"

#define NAME        "TEST"
#define VMID        "LINUX1"
#define PATIENCE_MS 60000

void host_init(struct host *host)
{
	const struct lfp_field *fields;
	size_t nr;

	memset(host, 0, sizeof(*host));
	/* lfpd's messages are expected here; LFPD_TEST_LOG=/dev/stderr shows them. */
	lfp_log_open("lfpd", LFP_LOG_FILE,
		     getenv("LFPD_TEST_LOG") ? getenv("LFPD_TEST_LOG") : "/dev/null");
	strcpy(host->root, "/tmp/lfpd-test-XXXXXX");
	assert_non_null(mkdtemp(host->root));
	setenv("LFP_ROOT", host->root, 1);

	fields = lfpd_config_fields(&nr);
	lfp_fields_init(fields, nr, &host->config, sizeof(host->config));
	strcpy(host->config.iucv_src_appname, NAME);
	host->config.iucv_msglimit = 64;
	host->config.mtu_size = 8192;
	host->config.max_sockets = 8;
	host->config.max_vse_tasks = 4;
	host->config.initial_io_bufs = 4;
	host->config.window_size = 65535;
	host->config.window_threshold = 25;
	strcpy(host->config.vse_codepage, "EBCDIC-US");
}

void host_start(struct host *host)
{
	char place[LFP_PLACE_MAX];

	assert_int_equal(lfp_place_lfpd(place, NAME, "path"), 0);
	assert_int_equal(lfp_place_make_parent(place), 0);
	assert_int_equal(uv_loop_init(&host->loop), 0);
	assert_int_equal(instance_start(&host->inst, &host->loop, &host->config, VMID, true), 0);
}

void host_stop(struct host *host)
{
	char command[128];

	instance_stop(&host->inst, "the test is over");
	uv_run(&host->loop, UV_RUN_DEFAULT);
	assert_int_equal(host->inst.nr_sockets, 0);
	assert_int_equal(host->inst.pool.in_use, 0);
	assert_int_equal(host->inst.pool.allocated, 0);
	assert_int_equal(host->inst.shares.users.count, 0);
	assert_int_equal(host->inst.meters.count, 0);
	assert_int_equal(uv_loop_close(&host->loop), 0);
	snprintf(command, sizeof(command), "rm -rf %s", host->root);
	assert_int_equal(system(command), 0);
}

void (*host_on_turn)(bool begins);

void host_turn(struct host *host)
{
	if (host_on_turn)
		host_on_turn(true);
	uv_run(&host->loop, UV_RUN_NOWAIT);
	if (host_on_turn)
		host_on_turn(false);
}

void vse_connect(struct vse *vse, struct host *host)
{
	char place[LFP_PLACE_MAX];
	struct sockaddr_un addr;

	memset(vse, 0, sizeof(*vse));
	vse->host = host;
	vse->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_true(vse->fd >= 0);
	assert_int_equal(lfp_place_lfpd(place, NAME, "path"), 0);
	assert_int_equal(lfp_unix_addr(&addr, place), 0);
	assert_int_equal(connect(vse->fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
}

void vse_close(struct vse *vse)
{
	close(vse->fd);
	vse->fd = -1;
}

void vse_send_raw(struct vse *vse, const uint8_t *packet, size_t len)
{
	assert_int_equal(send(vse->fd, packet, len, MSG_NOSIGNAL), len);
}

void vse_send(struct vse *vse, const struct lfp_frame *frame)
{
	static uint8_t packet[VSE_PACKET_MAX];
	struct lfp_packet header = {
		.flags = lfp_is_data(frame->code) ? LFP_PACKET_DATA : 0,
		.sequence = ++vse->sequence,
		.taken = vse->taken,
	};
	int n = lfp_frame_encode(frame, packet + LFP_PACKET_HEADER,
				 sizeof(packet) - LFP_PACKET_HEADER);

	assert_true(n > 0);
	header.length = LFP_PACKET_HEADER + (uint32_t)n;
	lfp_packet_encode(&header, packet);
	vse_send_raw(vse, packet, header.length);
}

/* Run the loop; 1 with a packet, 0 if none is there, -1 at the end. */
static int take_packet(struct vse *vse)
{
	struct lfp_packet packet;
	const char *why;
	ssize_t n;

	/* Packets made in one turn are sent before the next turn waits. */
	host_turn(vse->host);
	host_turn(vse->host);
	n = recv(vse->fd, vse->in, sizeof(vse->in), MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n <= 0) {
		vse->ended = true;
		return -1;
	}
	assert_int_equal(lfp_packet_decode(vse->in, (size_t)n, &packet, &why), 0);
	if (packet.flags & LFP_PACKET_DATA)
		vse->taken++;
	vse->len = (size_t)n;
	vse->at = LFP_PACKET_HEADER;
	return 1;
}

/* The next packet; false at the end. */
static bool next_packet(struct vse *vse)
{
	uint64_t deadline = uv_hrtime() + PATIENCE_MS * UINT64_C(1000000);

	while (uv_hrtime() < deadline) {
		struct pollfd pfd = {.fd = uv_backend_fd(&vse->host->loop), .events = POLLIN};
		int rc = take_packet(vse);

		if (rc)
			return rc > 0;
		poll(&pfd, 1, 5);
	}
	fail_msg("nothing came");
	return false;
}

/* The frame that comes next in the packet. */
static void take_frame(struct vse *vse, struct lfp_frame *frame)
{
	const char *why = "";
	int n = lfp_frame_decode(vse->in + vse->at, vse->len - vse->at, LFP_FROM_LFPD, frame, &why);

	if (n < 0)
		fail_msg("lfpd has sent a bad frame: %s", why);
	vse->at += (size_t)n;
}

bool vse_next(struct vse *vse, struct lfp_frame *frame)
{
	while (vse->at >= vse->len) {
		if (!next_packet(vse))
			return false;
	}
	take_frame(vse, frame);
	return true;
}

bool vse_look(struct vse *vse, struct lfp_frame *frame)
{
	while (vse->at >= vse->len) {
		if (take_packet(vse) <= 0)
			return false;
	}
	take_frame(vse, frame);
	return true;
}

struct lfp_frame vse_expect(struct vse *vse, enum lfp_code code)
{
	struct lfp_frame frame;

	if (!vse_next(vse, &frame))
		fail_msg("the path has ended, not sent %s", lfp_message_name((uint8_t)code));
	if (frame.code != code)
		fail_msg("%s came (status %u), not %s", lfp_message_name(frame.code), frame.status,
			 lfp_message_name((uint8_t)code));
	return frame;
}

struct lfp_frame vse_ask(struct vse *vse, struct lfp_frame frame)
{
	struct lfp_frame reply;

	frame.request = ++vse->request;
	vse_send(vse, &frame);
	reply = vse_expect(vse, frame.code | 0x80);
	assert_int_equal(reply.request, frame.request);
	assert_int_equal(reply.sock, frame.sock);
	return reply;
}

void vse_expect_end(struct vse *vse)
{
	struct lfp_frame frame;

	while (vse_next(vse, &frame))
		;
	assert_true(vse->ended);
	vse_close(vse);
}

uint32_t vse_features;

struct lfp_frame vse_hello(struct vse *vse, const char *appname, const char *dest)
{
	struct lfp_frame frame = {
		.code = LFP_HELLO,
		.hello = {.version = 1,
			  .threshold = 25,
			  .features = vse_features,
			  .mtu = 8192,
			  .msglimit = 64,
			  .window = VSE_WINDOW,
			  .vmid = "VSER05",
			  .dest_vmid = VMID},
	};

	strcpy(frame.hello.appname, appname);
	strcpy(frame.hello.dest_appname, dest);
	return vse_ask(vse, frame);
}

void vse_open(struct vse *vse, struct host *host)
{
	struct lfp_frame task = {.code = LFP_TASK_BEGIN, .task = 1};

	vse_connect(vse, host);
	assert_int_equal(vse_hello(vse, "TESTV", NAME).status, 0);
	assert_int_equal(vse_ask(vse, task).status, 0);
}

int vse_socket(struct vse *vse, uint64_t id, unsigned int family)
{
	struct lfp_frame frame = {.code = LFP_SOCKET, .sock = id, .task = 1};

	frame.socket.family = (uint16_t)family;
	frame.socket.kind = 1;
	return vse_ask(vse, frame).status;
}

int vse_close_socket(struct vse *vse, uint64_t id, int how, uint64_t received)
{
	struct lfp_frame frame = {.code = LFP_CLOSE, .sock = id};

	frame.close.how = (uint8_t)how;
	frame.close.received = received;
	return vse_ask(vse, frame).status;
}

int vse_connect_to(struct vse *vse, uint64_t id, const struct lfp_addr *peer)
{
	struct lfp_frame frame = {.code = LFP_CONNECT, .sock = id, .connect.peer = *peer};

	return vse_ask(vse, frame).status;
}

void vse_data(struct vse *vse, uint64_t id, uint64_t position, const char *text, size_t len)
{
	struct lfp_frame frame = {.code = LFP_DATA, .sock = id};

	frame.data.position = position;
	frame.data.payload.ptr = (const uint8_t *)text;
	frame.data.payload.len = (uint32_t)len;
	vse_send(vse, &frame);
}

struct lfp_addr vse_addr(const char *ip, unsigned int port)
{
	struct lfp_addr addr = {.family = LFP_AF_INET, .port = (uint16_t)port};

	if (inet_pton(AF_INET, ip, addr.ip) != 1) {
		addr.family = LFP_AF_INET6;
		assert_int_equal(inet_pton(AF_INET6, ip, addr.ip), 1);
	}
	return addr;
}

int tcp_bind(unsigned int *port)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	*port = ntohs(addr.sin_port);
	return fd;
}

int tcp_listen(unsigned int *port)
{
	int fd = tcp_bind(port);

	assert_int_equal(listen(fd, 16), 0);
	return fd;
}

static void wait_readable(struct host *host, int fd)
{
	uint64_t deadline = uv_hrtime() + PATIENCE_MS * UINT64_C(1000000);
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	while (poll(&pfd, 1, 1) == 0) {
		host_turn(host);
		if (uv_hrtime() > deadline)
			fail_msg("nothing came by TCP");
	}
}

int tcp_accept(struct host *host, int fd)
{
	wait_readable(host, fd);
	return accept4(fd, NULL, NULL, SOCK_CLOEXEC);
}

ptrdiff_t tcp_read(struct host *host, int fd, void *buf, size_t room)
{
	wait_readable(host, fd);
	return read(fd, buf, room);
}
