/* SPDX-License-Identifier: Apache-2.0 */
/* test-gate.c - connections by rules with "sni": nothing goes out before the server's name */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfpd/names/ruling.h"
#include "lfpd/sock/cut.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/client-hello.h"
#include "tests/lfpd/one-path.h"

static uint8_t hello[4096];

static int set_up(void **state)
{
	FILE *out;

	one_path_set_up(state);
	snprintf(host.config.policy_file, sizeof(host.config.policy_file), "%s-rules", host.root);
	out = fopen(host.config.policy_file, "we");
	assert_non_null(out);
	/* A name that is denied may lead to a loopback address, a name that is allowed may not. So
	 * the address is allowed last, and names before. */
	fputs("deny connect evil.example.net\n"
	      "allow connect localhost:1-65535\n"
	      "default deny\n",
	      out);
	fclose(out);
	return 0;
}

static int tear_down(void **state)
{
	unlink(host.config.policy_file);
	return one_path_tear_down(state);
}

/* Connects socket 1, as if a rule with "sni" had allowed it. Returns the other end. */
static int connect_gated(void)
{
	struct lfp_table_link *link;
	int fd = connect_socket(1);

	link = lfp_table_find(&host.inst.session->sockets, 1);
	assert_non_null(link);
	socket_of(link)->stream.gated = RULES_BY_TLS;
	return fd;
}

static bool is_silent(int fd)
{
	char byte;

	for (int i = 0; i < 20; i++)
		host_turn(&host);
	return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
}

static void send_text(uint64_t position, const void *bytes, size_t len)
{
	vse_data(&vse, 1, position, bytes, len);
}

static void expect_refusal(int fd)
{
	struct lfp_frame frame;
	uint16_t epoch;
	char byte;

	do /* the bytes that are thrown away count as consumed */
		assert_true(vse_next(&vse, &frame));
	while (frame.code == LFP_WINDOW);
	assert_int_equal(frame.code, LFP_RESET);
	epoch = frame.epoch;

	assert_int_equal(frame.status, ECONNRESET);
	assert_int_equal(tcp_read(&host, fd, &byte, 1), -1);
	assert_int_equal(errno, ECONNRESET);
	assert_int_equal(host.inst.counters.rules_refused, 1);
	/* The kernel would let the socket listen, which the rules do not allow. */
	frame = (struct lfp_frame){
		.code = LFP_LISTEN, .sock = 1, .epoch = epoch, .listen.backlog = 5};
	assert_int_equal(vse_ask(&vse, frame).status, ECONNREFUSED);
	assert_int_equal(host.inst.counters.rules_refused, 2);
	close(fd);
	vse_close(&vse);
}

/* Byte by byte: none goes out before the last one, and all go then, with those that follow. */
static void opens(void **state)
{
	size_t len = client_hello(hello, "www.example.org", CLIENT_HELLO_PLAIN, 40), got = 0;
	uint8_t back[4096];
	int fd;

	(void)state;
	one_path_start();
	fd = connect_gated();
	for (size_t i = 0; i + 1 < len; i++)
		send_text(i, hello + i, 1);
	assert_true(is_silent(fd));
	/* The other direction is open. */
	assert_int_equal(write(fd, "hi", 2), 2);
	assert_int_equal(vse_expect(&vse, LFP_DATA).data.payload.len, 2);
	send_text(len - 1, hello + len - 1, 1);
	while (got < len) {
		ptrdiff_t n = tcp_read(&host, fd, back + got, len - got);

		assert_true(n > 0);
		got += (size_t)n;
	}
	assert_memory_equal(back, hello, len);
	send_text(len, "more", 4);
	assert_int_equal(tcp_read(&host, fd, back, 4), 4);
	assert_int_equal(host.inst.counters.rules_refused, 0);
	close(fd);
	vse_close(&vse);
}

static void other_name(void **state)
{
	size_t len = client_hello(hello, "evil.example.net", CLIENT_HELLO_PLAIN, 1000);
	int fd;

	(void)state;
	one_path_start();
	fd = connect_gated();
	send_text(0, hello, len);
	expect_refusal(fd);
}

static void no_tls(void **state)
{
	int fd;

	(void)state;
	one_path_start();
	fd = connect_gated();
	send_text(0, "SSH-2.0", 7);
	expect_refusal(fd);
}

/* Half a message, and then the end of the data, or of the socket. */
static void ends_early(void **state)
{
	struct lfp_frame frame = {.code = LFP_SHUTDOWN, .sock = 1, .shutdown.how = SHUT_WR};
	size_t len = client_hello(hello, "www.example.org", CLIENT_HELLO_PLAIN, 1000);
	int fd;

	(void)state;
	one_path_start();
	fd = connect_gated();
	send_text(0, hello, len - 1);
	assert_true(is_silent(fd));
	frame.shutdown.position = len - 1;
	vse_send(&vse, &frame);
	expect_refusal(fd);
}

static void closed_early(void **state)
{
	size_t len = client_hello(hello, "www.example.org", CLIENT_HELLO_PLAIN, 1000);
	char byte;
	int fd;

	(void)state;
	one_path_start();
	fd = connect_gated();
	send_text(0, hello, len - 1);
	assert_true(is_silent(fd));
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	assert_int_equal(tcp_read(&host, fd, &byte, 1), -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);
	vse_close(&vse);
}

/* A message that does not fit the window would wait for ever. */
static void longer_than_the_window(void **state)
{
	uint8_t part[1024];
	uint64_t sent = 0;
	int fd;

	(void)state;
	one_path_start();
	fd = connect_gated();
	memset(part, 0, sizeof(part));
	/* a record of 16 KB with a ClientHello of 16 KB */
	memcpy(part, "\x16\3\1\x40\0\1\0\x3f\xf0\3\3", 11);
	while (!host.inst.counters.rules_refused && sent < 65536) {
		send_text(sent, part, sizeof(part));
		sent += sizeof(part);
		memset(part, 0, sizeof(part));
		for (int i = 0; i < 5; i++)
			host_turn(&host);
	}
	expect_refusal(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void set_rules(const char *rules)
{
	FILE *out = fopen(host.config.policy_file, "we");
	struct lfp_reader_error err;
	struct rules *fresh;

	assert_non_null(out);
	fputs(rules, out);
	fclose(out);
	assert_int_equal(rules_read(&fresh, host.config.policy_file, &err), 0);
	assert_true(ruling_use(&host.inst, fresh));
}

/* --cut asks about the name that the client has sent, not about the address. */
static void cut_by_server(void **state)
{
	size_t len = client_hello(hello, "www.example.org", CLIENT_HELLO_PLAIN, 40);
	uint8_t back[4096];
	int fd;

	(void)state;
	one_path_start();
	fd = connect_gated();
	send_text(0, hello, len);
	assert_int_equal(tcp_read(&host, fd, back, len), len);
	set_rules(
		"deny connect other.example.org\nallow connect localhost:1-65535\ndefault deny\n");
	assert_int_equal(cut_forbidden(&host.inst), 0);
	set_rules("deny connect www.example.org\nallow connect localhost:1-65535\ndefault deny\n");
	assert_int_equal(cut_forbidden(&host.inst), 1);
	assert_int_equal(vse_expect(&vse, LFP_RESET).status, ECONNRESET);
	close(fd);
	vse_close(&vse);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(opens),         TEST(other_name),   TEST(no_tls),
		TEST(ends_early),    TEST(closed_early), TEST(longer_than_the_window),
		TEST(cut_by_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
