/* SPDX-License-Identifier: Apache-2.0 */
/* joining.c - a connection between two sockets of one instance, whose path is open */
#include "tests/lfpd/joining.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

#include "lfpd/sock/joined.h"
#include "lfpd/state/session.h"

struct lfp_addr joining_connect(unsigned int family, const char *ip)
{
	struct lfp_frame frame = {.code = LFP_LISTEN, .sock = LISTENER, .listen.backlog = 4};
	struct lfp_addr at;

	assert_int_equal(vse_socket(&vse, LISTENER, family), 0);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	frame = (struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = LISTENER};
	at = vse_addr(ip, vse_ask(&vse, frame).name.addr.port);
	assert_int_equal(vse_socket(&vse, CLIENT, LFP_AF_INET), 0);
	assert_int_equal(vse_connect_to(&vse, CLIENT, &at), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	return at;
}

uint64_t joining_accept(void)
{
	const struct lfp_frame frame = {.code = LFP_ACCEPT, .sock = LISTENER, .accept.count = 1};

	vse_send(&vse, &frame);
	return vse_expect(&vse, LFP_ACCEPTED).accepted.id;
}

uint64_t joining_make(void)
{
	uint64_t server;

	(void)joining_connect(LFP_AF_INET, "127.0.0.1");
	server = joining_accept();
	assert_ptr_equal(get_socket(server)->stream.joined.other, get_socket(CLIENT));
	assert_ptr_equal(get_socket(CLIENT)->stream.joined.other, get_socket(server));
	return server;
}

uint64_t joining_start(void)
{
	one_path_start();
	return joining_make();
}

uint64_t joining_info(uint64_t id, size_t at)
{
	struct lfp_frame frame = {.code = LFP_GETSOCKOPT, .sock = id};
	uint64_t value;

	frame.getsockopt.level = IPPROTO_TCP;
	frame.getsockopt.name = TCP_INFO;
	frame.getsockopt.length = 208;
	frame.request = ++vse.request;
	vse_send(&vse, &frame);
	frame = joining_expect_frame(LFP_GETSOCKOPT_REPLY);
	assert_int_equal(frame.status, 0);
	assert_int_equal(frame.value.value.len, 208);
	memcpy(&value, frame.value.value.ptr + at, sizeof(value));
	return be64toh(value);
}

void joining_expect(uint64_t id, uint64_t position, const char *bytes, size_t len)
{
	struct lfp_frame frame;

	while (len) {
		assert_true(vse_next(&vse, &frame));
		if (frame.code == LFP_WINDOW)
			continue;
		assert_int_equal(frame.code, LFP_DATA);
		assert_int_equal(frame.sock, id);
		assert_int_equal(frame.data.position, position);
		assert_in_range(frame.data.payload.len, 1, len);
		assert_memory_equal(frame.data.payload.ptr, bytes, frame.data.payload.len);
		position += frame.data.payload.len;
		bytes += frame.data.payload.len;
		len -= frame.data.payload.len;
	}
}

struct lfp_frame joining_expect_frame(enum lfp_code code)
{
	struct lfp_frame frame;

	do
		assert_true(vse_next(&vse, &frame));
	while (frame.code == LFP_WINDOW);
	assert_int_equal(frame.code, code);
	return frame;
}

void joining_report(uint64_t id, uint64_t consumed)
{
	const struct lfp_frame frame = {
		.code = LFP_WINDOW, .sock = id, .window.consumed = consumed};

	vse_send(&vse, &frame);
}

const char joining_block[VSE_WINDOW];

void joining_fill(uint64_t server)
{
	const size_t half = VSE_WINDOW / 2;

	vse_data(&vse, CLIENT, 0, joining_block, half);
	joining_expect(server, 0, joining_block, half);
	vse_data(&vse, CLIENT, half, joining_block, half);
	joining_expect(server, half, joining_block, half);
	vse_data(&vse, CLIENT, VSE_WINDOW, joining_block, 100);
}

void joining_drain(uint64_t server)
{
	joining_report(server, VSE_WINDOW);
	joining_expect(server, VSE_WINDOW, joining_block, 100);
}

void joining_close(uint64_t server, uint64_t client_got, uint64_t server_got)
{
	assert_int_equal(vse_close_socket(&vse, CLIENT, 0, client_got), 0);
	joining_expect_frame(LFP_SHUTDOWN);
	assert_int_equal(vse_close_socket(&vse, server, 0, server_got), 0);
	assert_int_equal(vse_close_socket(&vse, LISTENER, 0, 0), 0);
	vse_close(&vse);
}
