/* SPDX-License-Identifier: Apache-2.0 */
/* test-proxy-datagram.c - heads of datagrams that a proxy relays: written, read, cut and wrong */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lfpd/policy/proxy-datagram.h"

static const struct proxy_target v4 = {.addr = {.s6_addr = {[10] = 0xff, 0xff, 203, 0, 113, 5}},
				       .port = 443};
static const struct proxy_target v6 = {.addr = {.s6_addr = {0x20, 1, 0xd, 0xb8, [15] = 5}},
				       .port = 80};
static const struct proxy_target named = {.name = "www.example.org", .port = 443};

static void expect(const struct proxy_target *target, const char *bytes, size_t len)
{
	uint8_t out[PROXY_HEAD_MAX];

	assert_int_equal(proxy_datagram_head(target, out), len);
	assert_memory_equal(out, bytes, len);
}
#define EXPECT(target, text) expect(target, text, sizeof(text) - 1)

static void writes(void **state)
{
	char name[254];
	const struct proxy_target longest = {.name = name, .port = 65535};
	uint8_t out[PROXY_HEAD_MAX];

	(void)state;
	EXPECT(&v4, "\0\0\0\1\313\0\161\5\1\273");
	EXPECT(&v6, "\0\0\0\4\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\5\0\120");
	EXPECT(&named, "\0\0\0\3\17www.example.org\1\273");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(proxy_datagram_head(&longest, out), 3 + 2 + 253 + 2);
}

/* Reads what was written, with each number of bytes after it. Without all of them it is no head. */
static void round_trip(const struct proxy_target *target)
{
	uint8_t bytes[PROXY_HEAD_MAX + 8] = {0};
	size_t len = proxy_datagram_head(target, bytes);
	struct proxy_addr from;

	for (size_t cut = 0; cut < len; cut++)
		assert_int_equal(proxy_datagram_read(bytes, cut, &from), -EPROTO);
	for (size_t more = 0; more <= 8; more++) {
		assert_int_equal(proxy_datagram_read(bytes, len + more, &from), len);
		assert_int_equal(from.port, target->port);
		assert_int_equal(from.is_name, target->name != NULL);
		if (target->name) {
			assert_int_equal(from.name_len, strlen(target->name));
			assert_memory_equal(from.name, target->name, from.name_len);
		} else {
			assert_memory_equal(&from.addr, &target->addr, sizeof(from.addr));
		}
	}
}

static void reads(void **state)
{
	(void)state;
	round_trip(&v4);
	round_trip(&v6);
	round_trip(&named);
}

static int wrong(const char *bytes, size_t len)
{
	struct proxy_addr from;

	return (int)proxy_datagram_read((const uint8_t *)bytes, len, &from);
}
#define WRONG(text) wrong(text, sizeof(text) - 1)

static void refuses(void **state)
{
	(void)state;
	assert_int_equal(WRONG("\0\0\1\1\1\2\3\4\0\65"), -EMSGSIZE);
	assert_int_equal(WRONG("\0\0\200\1\1\2\3\4\0\65"), -EMSGSIZE);
	assert_int_equal(WRONG("\1\0\0\1\1\2\3\4\0\65"), -EPROTO);
	assert_int_equal(WRONG("\0\1\0\1\1\2\3\4\0\65"), -EPROTO);
	assert_int_equal(WRONG("\0\0\0\2\1\2\3\4\0\65"), -EPROTO);
	assert_int_equal(WRONG("\0\0\0\1\1\2\3\4\0\0"), -EPROTO);
	assert_int_equal(WRONG("\0\0\0\3\377abc\0\65"), -EPROTO);
}

/* The request for a relay, and the relay's address in the answer. */
static void associates(void **state)
{
	static const struct upstream plain = {.kind = UPSTREAM_SOCKS5, .name = "p"};
	struct proxy_target target = v6;
	uint8_t out[PROXY_MESSAGE_MAX];
	struct proxy_answer answer;

	(void)state;
	target.associates = true;
	assert_int_equal(proxy_message(&plain, PROXY_REQUEST, &target, out), 10);
	assert_memory_equal(out, "\5\3\0\1\0\0\0\0\0\0", 10);
	answer = proxy_read(&plain, PROXY_REQUEST, (const uint8_t *)"\5\0\0\1\313\0\161\5\1\273",
			    10);
	assert_int_equal(answer.next, PROXY_DONE);
	assert_true(answer.has_bound);
	assert_memory_equal(&answer.bound, &v4.addr, sizeof(answer.bound));
	assert_int_equal(answer.bound_port, 443);
	answer = proxy_read(&plain, PROXY_REQUEST, (const uint8_t *)"\5\0\0\3\1p\1\273", 8);
	assert_int_equal(answer.next, PROXY_DONE);
	assert_false(answer.has_bound);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes),
		cmocka_unit_test(reads),
		cmocka_unit_test(refuses),
		cmocka_unit_test(associates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
