/* SPDX-License-Identifier: Apache-2.0 */
/* test-datagram.c - datagram sockets of a hosted instance against a scripted lfpd */
#include "datagram.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/link/link.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/datagram.h"
#include "lfp/log.h"
#include "transport/path.h"

#define COST LFP_DATAGRAM_COST

static void new_one(void **state)
{
	struct host *host = *state;
	struct sockaddr_un near;
	uint64_t id;
	int fd = new_datagram(host, &id, &near);

	assert_int_equal(poll_now(fd), POLLOUT);
	assert_int_equal(recv(fd, &id, 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fd), 0);
	assert_int_equal(call(host, LFP_CTL_LISTEN, 1, 0, fd), EOPNOTSUPP);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), 0);
	assert_int_equal(host->inst->socks->by_state[VSOCK_DATAGRAM], 1);
	/* No event reports its close: the sweep finds it. */
	close(fd);
	host_expect(host, LFP_CLOSE);
	host_until(host, host->inst->socks->by_id.count == 0);
}

static void both_ways(void **state)
{
	struct host *host = *state;
	struct lfp_meta meta = {.addr = some_addr(53), .has = LFP_HAS_TTL, .ttl = 9};
	struct sockaddr_un near;
	struct got got;
	char buf[64];
	uint64_t id;
	int fd = new_datagram(host, &id, &near);

	assert_int_equal(send_to(fd, &near, &meta, "abc", 3), LFP_META_SIZE + 3);
	got = host_expect(host, LFP_DATAGRAM);
	assert_int_equal(got.addr.port, 53);
	assert_int_equal(got.datagram.total, 3);
	assert_int_equal(got.datagram.has, LFP_HAS_TTL);
	assert_int_equal(got.datagram.ttl, 9);
	assert_int_equal(got.first, 'a');
	assert_int_equal(send_to(fd, &near, &meta, "", 0), LFP_META_SIZE);
	got = host_expect(host, LFP_DATAGRAM);
	assert_int_equal(got.consumed, 3 + COST);
	assert_int_equal(got.datagram.total, 0);

	from_lfpd(host, id, 0, 99, "hello");
	assert_int_equal(take(host, fd, buf), 99);
	assert_string_equal(buf, "hello");
	from_lfpd(host, id, 5 + COST, 98, "");
	assert_int_equal(take(host, fd, buf), 98);
	assert_string_equal(buf, "");
	close(fd);
	host_expect(host, LFP_CLOSE);
}

/* Datagrams that were sent before close() go out before CLOSE. */
static void sent_and_closed(void **state)
{
	struct host *host = *state;
	struct lfp_meta meta = {.addr = some_addr(53)};
	struct sockaddr_un near;
	uint64_t id;
	int fd = new_datagram(host, &id, &near);

	for (int i = 0; i < 20; i++)
		assert_true(send_to(fd, &near, &meta, "x", 1) > 0);
	close(fd);
	for (uint64_t i = 0; i < 20; i++)
		assert_int_equal(host_expect(host, LFP_DATAGRAM).consumed, i * (1 + COST));
	host_expect(host, LFP_CLOSE);
}

/* The kernel takes few of them. All arrive in order, and only then count as consumed. */
static void many(void **state)
{
	struct host *host = *state;
	struct sockaddr_un near;
	char text[64], buf[64];
	uint64_t id, at = 0;
	int fd = new_datagram(host, &id, &near), waiting = 0;

	for (int i = 0; i < 30; i++) {
		snprintf(text, sizeof(text), "number %d", i);
		from_lfpd(host, id, at, (uint16_t)(1000 + i % 3), text);
		at += strlen(text) + COST;
	}
	for (int i = 0; i < 30; i++) {
		snprintf(text, sizeof(text), "number %d", i);
		assert_int_equal(take(host, fd, buf), 1000 + i % 3);
		assert_string_equal(buf, text);
	}
	assert_int_equal(ioctl(fd, FIONREAD, &waiting), 0);
	assert_int_equal(waiting, 0);
	/* The window is 8192 bytes, and half of it is reported. */
	assert_true(host_expect(host, LFP_WINDOW).consumed >= 4096);
	close(fd);
	host_expect(host, LFP_CLOSE);
}

/* One source's send buffer holds three of these; the near end's queue holds them all, so that
 * nothing waits for room that is there. */
static void large_unread(void **state)
{
	struct host *host = *state;
	static uint8_t data[60000];
	struct sockaddr_un near;
	uint64_t id, at = 0;
	int fd = new_datagram(host, &id, &near);

	for (int i = 0; i < 8; i++) {
		struct parts parts = {
			.sock = id,
			.position = at,
			.meta.addr = some_addr(9),
			.data = data,
			.total = sizeof(data),
		};

		host_until(host, parts_send(host->path, &parts) == 0);
		at += sizeof(data) + COST;
		assert_int_equal(host_expect(host, LFP_WINDOW).consumed, at);
	}
	close(fd);
	host_expect(host, LFP_CLOSE);
}

/* Descriptors that a program has put into the queue of a near end do not stay in the instance. */
static void foreign_descriptors(void **state)
{
	struct host *host = *state;
	const struct sockaddr unspec = {.sa_family = AF_UNSPEC};
	struct lfp_addr peer = some_addr(53), other = some_addr(54);
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(20 * sizeof(int))];
	} control = {0};
	char byte = 0;
	struct iovec iov = {&byte, 1};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};
	int pair[2], conn, zero = 0;
	unsigned int before;

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	assert_int_equal(connect(pair[0], &unspec, sizeof(unspec)), 0);
	conn = call_send(host, LFP_CTL_SOCKET, 0, AF_INET, SOCK_DGRAM, 0, "", 0, pair[0]);
	host_answer(host, host_expect(host, LFP_SOCKET), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	control.align.cmsg_level = SOL_SOCKET;
	control.align.cmsg_type = SCM_RIGHTS;
	control.align.cmsg_len = CMSG_LEN(20 * sizeof(int));
	for (size_t i = 0; i < 20; i++)
		memcpy(CMSG_DATA(&control.align) + i * sizeof(int), &zero, sizeof(int));
	assert_int_equal(sendmsg(pair[1], &msg, 0), 1);
	connect_to(host, pair[0], &peer);
	before = open_descriptors();
	connect_to(host, pair[0], &other);
	/* Except for the source by which it is delivered again. */
	host_until(host, open_descriptors() <= before + 1);
	close(pair[0]);
	close(pair[1]);
	host_expect(host, LFP_CLOSE);
}

/* Datagrams that do not fit lfpd's window wait in the near end, whose buffer stops the program. */
static void no_window(void **state)
{
	struct host *host = *state;
	struct lfp_meta meta = {.addr = some_addr(53)};
	struct sockaddr_un near;
	static char data[2000];
	uint64_t id, told;
	int fd = new_datagram(host, &id, &near), sent = 0, came = 0;

	while (send_to(fd, &near, &meta, data, 1000) > 0)
		sent++;
	assert_int_equal(errno, EAGAIN);
	assert_true(sent > 20);
	/* 16384 bytes are open when the last one begins. */
	for (; came * (1000 + (int)COST) < 16384; came++)
		host_expect(host, LFP_DATAGRAM);
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, fd), 0);
	assert_int_equal(host->seen, host->nr_got);
	told = 2 * (1000 + COST);
	host_send(host,
		  (struct lfp_frame){.code = LFP_WINDOW, .sock = id, .window.consumed = told});
	host_expect(host, LFP_DATAGRAM);
	host_expect(host, LFP_DATAGRAM);
	/* So there is room again. */
	host_until(host, send_to(fd, &near, &meta, data, 1000) > 0);
	sent++;
	/* Datagrams that wait for a window when their program closes still wait. */
	close(fd);
	for (came += 2; came < sent; came++) {
		host_send(host,
			  (struct lfp_frame){.code = LFP_WINDOW,
					     .sock = id,
					     .window.consumed = (uint64_t)(came) * (1000 + COST)});
		host_expect(host, LFP_DATAGRAM);
	}
	host_expect(host, LFP_CLOSE);
}

static void large(void **state)
{
	struct host *host = *state;
	struct lfp_meta meta = {.addr = some_addr(53)};
	static uint8_t data[LFP_DATAGRAM_MAX4];
	struct sockaddr_un near;
	uint64_t id;
	uint32_t at = 0;
	int fd = new_datagram(host, &id, &near);

	assert_int_equal(send_to(fd, &near, &meta, data, sizeof(data)),
			 LFP_META_SIZE + sizeof(data));
	while (at < sizeof(data)) {
		struct got got = host_expect(host, LFP_DATAGRAM);

		assert_int_equal(got.datagram.offset, at);
		assert_int_equal(got.datagram.total, sizeof(data));
		assert_int_equal(got.consumed, 0);
		at += got.count;
	}
	close(fd);
	host_expect(host, LFP_CLOSE);
}

static void connected(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(53), none = {.family = LFP_AF_UNSPEC};
	struct sockaddr_un near;
	struct got got;
	char buf[64];
	uint64_t id;
	int fd = new_datagram(host, &id, &near);

	assert_int_equal(send(fd, "x", 1, 0), -1);
	assert_int_equal(errno, ENOTCONN);
	/* Datagrams that arrived before stay, with their senders. */
	from_lfpd(host, id, 0, 99, "before");
	host_until(host, poll_now(fd) & POLLIN);
	connect_to(host, fd, &peer);
	assert_int_equal(take(host, fd, buf), 99);
	assert_string_equal(buf, "before");

	assert_int_equal(write(fd, "bare", 4), 4);
	got = host_expect(host, LFP_DATAGRAM);
	assert_int_equal(got.addr.family, LFP_AF_UNSPEC);
	assert_int_equal(got.first, 'b');
	from_lfpd(host, id, 6 + COST, 53, "answer");
	host_until(host, poll_now(fd) & POLLIN);
	assert_int_equal(read(fd, buf, sizeof(buf)), 6);
	assert_memory_equal(buf, "answer", 6);
	/* A datagram of another sender, which the host got before. */
	from_lfpd(host, id, 12 + 2 * COST, 77, "late");
	assert_int_equal(take(host, fd, buf), 77);
	assert_string_equal(buf, "late");
	/* More than the queue of an unconnected one. */
	for (unsigned int i = 0; i < 20; i++)
		from_lfpd(host, id, 16 + 3 * COST + i * (1 + COST), 53, "x");
	for (int i = 0; i < 20; i++)
		assert_int_equal(take(host, fd, buf), 53);

	connect_to(host, fd, &none);
	assert_int_equal(send(fd, "x", 1, 0), -1);
	assert_int_equal(errno, ENOTCONN);
	close(fd);
	host_expect(host, LFP_CLOSE);
}

/* Nothing is lost or mixed up when the peer changes. */
static void other_peer(void **state)
{
	struct host *host = *state;
	struct lfp_addr first = some_addr(53), second = some_addr(54);
	struct sockaddr_un near;
	struct got got;
	char text[64], buf[64];
	uint64_t id, at = 0;
	int fd = new_datagram(host, &id, &near), conn;

	connect_to(host, fd, &first);
	for (int i = 0; i < 25; i++) {
		snprintf(text, sizeof(text), "%d", i);
		from_lfpd(host, id, at, 53, text);
		at += strlen(text) + COST;
	}
	host_until(host, poll_now(fd) & POLLIN);
	assert_int_equal(write(fd, "to 53", 5), 5);
	conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &second, sizeof(second), fd);
	got = host_expect(host, LFP_DATAGRAM);
	assert_int_equal(got.count, 5);
	got = host_expect(host, LFP_CONNECT);
	/* Written while connect() is under way: these still go to the old peer. */
	assert_int_equal(write(fd, "also", 4), 4);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	got = host_expect(host, LFP_DATAGRAM);
	assert_int_equal(got.first, 'a');
	assert_int_equal(got.addr.port == 53 || got.addr.family == LFP_AF_UNSPEC, 1);
	for (int i = 0; i < 25; i++) {
		snprintf(text, sizeof(text), "%d", i);
		assert_int_equal(take(host, fd, buf), 53);
		assert_string_equal(buf, text);
	}
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(host_expect(host, LFP_DATAGRAM).addr.family, LFP_AF_UNSPEC);
	from_lfpd(host, id, at, 54, "new");
	assert_int_equal(take(host, fd, buf), 54);
	close(fd);
	host_expect(host, LFP_CLOSE);
}

static void send_error(struct host *host, uint64_t id, uint16_t error)
{
	host_send(host, (struct lfp_frame){.code = LFP_DATAGRAM_ERROR,
					   .sock = id,
					   .datagram_error.error = error});
}

static void errors(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(53);
	struct sockaddr_un near;
	char buf[64];
	uint64_t id;
	int fd = new_datagram(host, &id, &near), error = 0;
	socklen_t len = sizeof(error);

	connect_to(host, fd, &peer);
	from_lfpd(host, id, 0, 53, "queued");
	host_until(host, poll_now(fd) & POLLIN);
	assert_int_equal(write(fd, "written", 7), 7);
	send_error(host, id, ECONNREFUSED);
	host_until(host, poll_now(fd) & POLLERR);
	assert_int_equal(host_expect(host, LFP_DATAGRAM).count, 7);
	assert_int_equal(recv(fd, buf, sizeof(buf), MSG_DONTWAIT), -1);
	assert_int_equal(errno, ECONNRESET);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), ECONNREFUSED);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), 0);
	assert_int_equal(poll_now(fd), POLLIN | POLLOUT);
	assert_int_equal(take(host, fd, buf), 53);
	assert_string_equal(buf, "queued");
	/* The socket works on, and gets its error again. */
	assert_int_equal(write(fd, "x", 1), 1);
	host_expect(host, LFP_DATAGRAM);
	send_error(host, id, EHOSTUNREACH);
	host_until(host, poll_now(fd) & POLLERR);
	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len), 0);
	assert_int_equal(error, ECONNRESET);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), EHOSTUNREACH);
	close(fd);
	host_expect(host, LFP_CLOSE);
}

/* The answer to SENT comes after the datagrams that were sent. */
static void sent(void **state)
{
	struct host *host = *state;
	struct lfp_meta meta = {.addr = some_addr(53)};
	struct sockaddr_un near;
	uint64_t id;
	int fd = new_datagram(host, &id, &near), conn;

	assert_true(send_to(fd, &near, &meta, "x", 1) > 0);
	conn = call_send(host, LFP_CTL_SENT, 0, 0, 0, 0, "", 0, fd);
	host_until(host, host->nr_got >= host->seen + 2);
	assert_int_equal(host->got[host->seen].code, LFP_DATAGRAM);
	host_answer(host, host_expect(host, LFP_SENT), EACCES);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EACCES);
	close(fd);
	host_expect(host, LFP_CLOSE);
}

/* A process that does not possess a near end can send neither to its head nor to the near end. */
static void strangers(void **state)
{
	struct host *host = *state;
	struct lfp_meta meta = {.addr = some_addr(53)};
	struct sockaddr_un near, head;
	uint64_t id;
	int fd = new_datagram(host, &id, &near), other = socket(AF_UNIX, SOCK_DGRAM, 0);
	struct sockaddr_un forged;
	char dir[256];
	socklen_t len;

	assert_int_equal(send_to(other, &near, &meta, "x", 1), -1);
	assert_int_equal(errno, EPERM);
	len = lfp_head_name(&near, &head);
	assert_int_equal(connect(other, (struct sockaddr *)&head, len), -1);
	close(other);

	/* Another socket with the same name. */
	other = socket(AF_UNIX, SOCK_DGRAM, 0);
	forged = near;
	assert_non_null(getcwd(dir, sizeof(dir)));
	assert_int_equal(chdir(host->root), 0);
	assert_int_equal(system("mkdir -p vselfp/07/$(ls run/vselfp/07/private/vselfp/07)"), 0);
	assert_int_equal(bind(other, (struct sockaddr *)&forged, sizeof(forged)), 0);
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(call(host, LFP_CTL_IDENTIFY, 0, 0, other), EBADF);
	assert_int_equal(call(host, LFP_CTL_SENT, 0, 0, other), EBADF);
	close(other);
	close(fd);
	host_expect(host, LFP_CLOSE);
}

static void path_lost(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(53);
	struct lfp_meta meta = {.addr = some_addr(53)};
	struct sockaddr_un near;
	uint64_t id;
	int fd = new_datagram(host, &id, &near), plain = new_datagram(host, &id, &near);

	connect_to(host, fd, &peer);
	host_deafen(host);
	path_close(host->path, "the end");
	host->path = NULL;
	/* A program that waits at the connected socket wakes up. */
	host_until(host, poll_now(fd) & POLLERR);
	assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), ENETDOWN);
	assert_int_equal(send_to(plain, &near, &meta, "x", 1), -1);
	assert_int_equal(errno, ECONNREFUSED);
	assert_int_equal(call(host, LFP_CTL_SENT, 0, 0, plain), ENETDOWN);
	close(fd);
	close(plain);
	host_listen(host);
	host_until(host, host->path && host->inst->link->state == LINK_UP);
	fd = new_datagram(host, &id, &near);
	close(fd);
	host_expect(host, LFP_CLOSE);
}

/* A port may be free again, although the instance has not noticed. */
static void address_in_use(void **state)
{
	struct host *host = *state;
	struct lfp_addr addr = some_addr(53);
	struct sockaddr_un near;
	uint64_t old, id;
	int fd, before, conn;
	struct got got;

	before = new_datagram(host, &old, &near);
	fd = new_datagram(host, &id, &near);
	close(before);
	conn = call_send(host, LFP_CTL_BIND, 0, 0, 0, 0, &addr, sizeof(addr), fd);
	/* The instance notices the close before the call. */
	host_until(host, host->nr_got >= host->seen + 2);
	assert_int_equal(host->got[host->seen].code, LFP_CLOSE);
	assert_int_equal(host->got[host->seen].sock, old);
	got = host_expect(host, LFP_BIND);
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	close(fd);
	host_expect(host, LFP_CLOSE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(new_one),      TEST(both_ways),           TEST(sent_and_closed), TEST(many),
		TEST(large_unread), TEST(foreign_descriptors), TEST(no_window),       TEST(large),
		TEST(connected),    TEST(other_peer),          TEST(errors),          TEST(sent),
		TEST(strangers),    TEST(path_lost),           TEST(address_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
