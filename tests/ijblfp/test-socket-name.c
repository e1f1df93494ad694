/* SPDX-License-Identifier: Apache-2.0 */
/* test-socket-name.c - getsockname() and getpeername(): one address, or both of a connection */
#include "host.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void tell(struct host *host, struct got got, uint16_t status, uint16_t port)
{
	host_send(host, (struct lfp_frame){.code = (uint8_t)(got.code | 0x80),
					   .sock = got.sock,
					   .request = got.request,
					   .status = status,
					   .name.addr = some_addr(port)});
}

static int ask(struct host *host, int op, int fd)
{
	return call_send(host, op, 0, LFP_CTL_BOTH, 0, 0, "", 0, fd);
}

/* Waits for the answer; returns the number of addresses in it. */
static size_t answer(struct host *host, int conn, struct lfp_addr names[2])
{
	struct lfp_ctl_reply reply;

	assert_int_equal(call_wait(host, conn, &reply, NULL), 0);
	assert_true(reply.len <= 2 * sizeof(*names));
	memcpy(names, reply.data, reply.len);
	return reply.len / sizeof(*names);
}

static void both(void **state)
{
	struct host *host = *state;
	struct lfp_addr names[2];
	struct got local, peer;
	uint64_t id;
	int fd = connected_socket(host, &id), conn;

	conn = ask(host, LFP_CTL_GETPEERNAME, fd);
	peer = host_expect(host, LFP_GETPEERNAME);
	local = host_expect(host, LFP_GETSOCKNAME);
	/* Answers come in any order. */
	tell(host, local, 0, 1001);
	tell(host, peer, 0, 80);
	assert_int_equal(answer(host, conn, names), 2);
	assert_int_equal(names[0].port, 80);
	assert_int_equal(names[1].port, 1001);

	conn = ask(host, LFP_CTL_GETSOCKNAME, fd);
	local = host_expect(host, LFP_GETSOCKNAME);
	peer = host_expect(host, LFP_GETPEERNAME);
	tell(host, local, 0, 1001);
	tell(host, peer, ENOTCONN, 0);
	assert_int_equal(answer(host, conn, names), 1);
	assert_int_equal(names[0].port, 1001);

	conn = ask(host, LFP_CTL_GETPEERNAME, fd);
	peer = host_expect(host, LFP_GETPEERNAME);
	tell(host, peer, ENOTCONN, 0);
	tell(host, host_expect(host, LFP_GETSOCKNAME), 0, 1001);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENOTCONN);
	close(fd);
}

/* An address may still change, or the connection has ended meanwhile. */
static void one(void **state)
{
	struct host *host = *state;
	struct lfp_addr names[2];
	struct got local;
	uint64_t id;
	int fd = new_socket(host, &id), conn;

	conn = ask(host, LFP_CTL_GETSOCKNAME, fd);
	tell(host, host_expect(host, LFP_GETSOCKNAME), 0, 7);
	assert_int_equal(answer(host, conn, names), 1);
	close(fd);

	fd = connected_socket(host, &id);
	conn = ask(host, LFP_CTL_GETSOCKNAME, fd);
	local = host_expect(host, LFP_GETSOCKNAME);
	host_send(host, (struct lfp_frame){.code = LFP_RESET, .sock = id, .status = ECONNRESET});
	tell(host, local, 0, 7);
	tell(host, host_expect(host, LFP_GETPEERNAME), 0, 8);
	assert_int_equal(answer(host, conn, names), 1);
	close(fd);

	/* A program of an earlier version asks for one. */
	fd = connected_socket(host, &id);
	conn = call_send(host, LFP_CTL_GETSOCKNAME, 0, 0, 0, 0, "", 0, fd);
	tell(host, host_expect(host, LFP_GETSOCKNAME), 0, 7);
	assert_int_equal(answer(host, conn, names), 1);
	close(fd);
}

static void without_a_path(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = connected_socket(host, &id), conn = ask(host, LFP_CTL_GETPEERNAME, fd);

	host_expect(host, LFP_GETPEERNAME);
	host_deafen(host);
	path_close(host->path, "test");
	host->path = NULL;
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENETDOWN);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(both),
		TEST(one),
		TEST(without_a_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
