/* SPDX-License-Identifier: Apache-2.0 */
/* test-proxy.c - messages to proxies, and their answers: whole, in parts, and wrong */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lfpd/policy/proxy.h"

static const struct upstream plain = {.kind = UPSTREAM_SOCKS5, .name = "p"};
static const struct upstream login = {
	.kind = UPSTREAM_SOCKS5, .name = "p", .user = "me", .password = "it"};
static const struct upstream http = {
	.kind = UPSTREAM_HTTP, .name = "p", .user = "Aladdin", .password = "open sesame"};

static const struct proxy_target v4 = {.addr = {.s6_addr = {[10] = 0xff, 0xff, 203, 0, 113, 5}},
				       .port = 443};
static const struct proxy_target v6 = {.addr = {.s6_addr = {0x20, 1, 0xd, 0xb8, [15] = 5}},
				       .port = 80};
static const struct proxy_target named = {.name = "www.example.org", .port = 443};

static void expect(const struct upstream *upstream, enum proxy_step step,
		   const struct proxy_target *target, const char *bytes, size_t len)
{
	uint8_t out[PROXY_MESSAGE_MAX];

	assert_int_equal(proxy_message(upstream, step, target, out), len);
	assert_memory_equal(out, bytes, len);
}
#define EXPECT(upstream, step, target, text) expect(upstream, step, target, text, sizeof(text) - 1)

static void messages(void **state)
{
	(void)state;
	EXPECT(&plain, PROXY_METHOD, &v4, "\5\1\0");
	EXPECT(&login, PROXY_METHOD, &v4, "\5\1\2");
	EXPECT(&login, PROXY_LOGIN, &v4, "\1\2me\2it");
	EXPECT(&plain, PROXY_REQUEST, &v4, "\5\1\0\1\313\0\161\5\1\273");
	EXPECT(&plain, PROXY_REQUEST, &v6, "\5\1\0\4\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\5\0\120");
	EXPECT(&plain, PROXY_REQUEST, &named, "\5\1\0\3\17www.example.org\1\273");
	EXPECT(&http, PROXY_HEAD, &named,
	       "CONNECT www.example.org:443 HTTP/1.1\r\nHost: www.example.org:443\r\n"
	       "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n");
	EXPECT(&http, PROXY_HEAD, &v6,
	       "CONNECT [2001:db8::5]:80 HTTP/1.1\r\nHost: [2001:db8::5]:80\r\n"
	       "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n");
}

/* The longest messages fit. */
static void longest(void **state)
{
	static struct upstream large = {.name = "p"};
	char name[254];
	struct proxy_target target = {.name = name, .port = 65535};
	uint8_t out[PROXY_MESSAGE_MAX];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memset(large.user, 'u', sizeof(large.user) - 1);
	memset(large.password, 'p', sizeof(large.password) - 1);
	assert_int_equal(proxy_message(&large, PROXY_LOGIN, &target, out), 513);
	assert_int_equal(proxy_message(&large, PROXY_REQUEST, &target, out), 260);
	large.kind = UPSTREAM_HTTP;
	assert_true(proxy_message(&large, PROXY_HEAD, &target, out) < PROXY_MESSAGE_MAX - 1);
	assert_int_equal(out[strlen((char *)out) - 1], '\n');
}

/* An answer, with "early" after it. @used is 0 for an error. */
static const struct answer {
	const struct upstream *upstream;
	enum proxy_step step, next;
	int error;
	size_t used;
	const char *bytes;
	size_t len;
} answers[] = {
#define GOOD(upstream, step, next, text)                                                           \
	{                                                                                          \
		upstream, step, next, 0, sizeof(text) - 1, text "early", sizeof(text) + 4          \
	}
#define BAD(upstream, step, error, text)                                                           \
	{                                                                                          \
		upstream, step, step, error, 0, text, sizeof(text) - 1                             \
	}
	GOOD(&plain, PROXY_METHOD, PROXY_REQUEST, "\5\0"),
	GOOD(&login, PROXY_METHOD, PROXY_LOGIN, "\5\2"),
	BAD(&plain, PROXY_METHOD, EACCES, "\5\377"),
	BAD(&login, PROXY_METHOD, EACCES, "\5\377"),
	BAD(&plain, PROXY_METHOD, ECONNABORTED, "\5\2"),
	BAD(&login, PROXY_METHOD, ECONNABORTED, "\5\0"),
	BAD(&plain, PROXY_METHOD, ECONNABORTED, "H"),
	GOOD(&login, PROXY_LOGIN, PROXY_REQUEST, "\1\0"),
	BAD(&login, PROXY_LOGIN, EACCES, "\1\1"),
	BAD(&login, PROXY_LOGIN, ECONNABORTED, "\5\0"),
	GOOD(&plain, PROXY_REQUEST, PROXY_DONE, "\5\0\0\1\1\2\3\4\5\6"),
	GOOD(&plain, PROXY_REQUEST, PROXY_DONE, "\5\0\0\4................\5\6"),
	GOOD(&plain, PROXY_REQUEST, PROXY_DONE, "\5\0\0\3\0\5\6"),
	GOOD(&plain, PROXY_REQUEST, PROXY_DONE, "\5\0\0\3\3abc\5\6"),
	BAD(&plain, PROXY_REQUEST, ECONNREFUSED, "\5\1"),
	BAD(&plain, PROXY_REQUEST, EACCES, "\5\2"),
	BAD(&plain, PROXY_REQUEST, ENETUNREACH, "\5\3"),
	BAD(&plain, PROXY_REQUEST, EHOSTUNREACH, "\5\4"),
	BAD(&plain, PROXY_REQUEST, ECONNREFUSED, "\5\5"),
	BAD(&plain, PROXY_REQUEST, ETIMEDOUT, "\5\6"),
	BAD(&plain, PROXY_REQUEST, EOPNOTSUPP, "\5\7"),
	BAD(&plain, PROXY_REQUEST, EAFNOSUPPORT, "\5\10"),
	BAD(&plain, PROXY_REQUEST, ECONNREFUSED, "\5\377"),
	BAD(&plain, PROXY_REQUEST, ECONNABORTED, "\4"),
	BAD(&plain, PROXY_REQUEST, ECONNABORTED, "\5\0\1"),
	BAD(&plain, PROXY_REQUEST, ECONNABORTED, "\5\0\0\2"),
	GOOD(&http, PROXY_HEAD, PROXY_DONE, "HTTP/1.1 200 OK\r\n\r\n"),
	GOOD(&http, PROXY_HEAD, PROXY_DONE, "HTTP/1.0 200\n\n"),
	GOOD(&http, PROXY_HEAD, PROXY_DONE, "HTTP/1.1 299 \r\nContent-Length: 5\r\nX: y\r\n\r\n"),
	GOOD(&http, PROXY_HEAD, PROXY_DONE,
	     "HTTP/1.1 100 Wait\r\nA: b\r\n\r\nHTTP/1.1 102 \r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
	BAD(&http, PROXY_HEAD, EACCES, "HTTP/1.1 407 "),
	BAD(&http, PROXY_HEAD, EACCES, "HTTP/1.1 403\r"),
	BAD(&http, PROXY_HEAD, EHOSTUNREACH, "HTTP/1.1 100 \r\n\r\nHTTP/1.1 502 Bad\r\n\r\n"),
	BAD(&http, PROXY_HEAD, EHOSTUNREACH, "HTTP/1.1 404 No"),
	BAD(&http, PROXY_HEAD, ETIMEDOUT, "HTTP/1.1 504 No"),
	BAD(&http, PROXY_HEAD, EOPNOTSUPP, "HTTP/1.1 405 No"),
	BAD(&http, PROXY_HEAD, ECONNREFUSED, "HTTP/1.1 302 No"),
	BAD(&http, PROXY_HEAD, ECONNABORTED, "HTTP/2"),
	BAD(&http, PROXY_HEAD, ECONNABORTED, "HTTP/1.1 2000"),
	BAD(&http, PROXY_HEAD, ECONNABORTED, "HTTP/1.1 2x"),
	BAD(&http, PROXY_HEAD, ECONNABORTED, "\r\n"),
	BAD(&http, PROXY_HEAD, ECONNABORTED, "\5\0"),
};

/* Cut anywhere, an answer means the same, and no byte after it is taken. */
static void reads_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		const struct answer *want = &answers[i];
		const uint8_t *bytes = (const uint8_t *)want->bytes;
		size_t whole = want->error ? want->len : want->used;

		for (size_t len = 0; len < whole; len++) {
			struct proxy_answer got =
				proxy_read(want->upstream, want->step, bytes, len);

			/* An error may be clear before the last byte. */
			if (want->error && got.error) {
				assert_int_equal(got.error, want->error);
				continue;
			}
			assert_int_equal(got.error, 0);
			assert_int_equal(got.next, want->step);
			assert_int_equal(got.used, len);
		}
		for (size_t len = whole; len <= want->len; len++) {
			struct proxy_answer got =
				proxy_read(want->upstream, want->step, bytes, len);

			if (got.error != want->error)
				print_error("%zu: %d\n", i, got.error);
			assert_int_equal(got.error, want->error);
			if (want->error) {
				assert_non_null(got.why);
				continue;
			}
			assert_int_equal(got.next, want->next);
			assert_int_equal(got.used, want->used);
		}
	}
}

static void refuses_a_long_answer(void **state)
{
	static uint8_t bytes[PROXY_ANSWER_MAX];

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, "HTTP/1.1 200 OK\r\n", 17);
	assert_int_equal(proxy_read(&http, PROXY_HEAD, bytes, sizeof(bytes) - 1).error, 0);
	assert_int_equal(proxy_read(&http, PROXY_HEAD, bytes, sizeof(bytes)).error, ECONNABORTED);
	memcpy(bytes + sizeof(bytes) - 2, "\n\n", 2);
	assert_int_equal(proxy_read(&http, PROXY_HEAD, bytes, sizeof(bytes)).next, PROXY_DONE);
}

static char path[] = "/tmp/lfp-test-proxy-XXXXXX";

/* Returns the reason why these credentials are refused, or NULL. */
static const char *credentials(const char *text, size_t len, mode_t mode,
			       struct upstream **upstream)
{
	char *words[] = {(char[]){"p"}, (char[]){"http://a"}, (char[]){"credentials"}, path};
	static char why[512];
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	return upstream_read(upstream, words, 4, why, sizeof(why)) ? why : NULL;
}

static void reads_credentials(void **state)
{
	struct upstream *upstream;
	char large[600];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	memset(large, 'x', sizeof(large));
	large[1] = ':';
	assert_null(credentials("me:a:b c\n", 9, 0640, &upstream));
	assert_string_equal(upstream->user, "me");
	assert_string_equal(upstream->password, "a:b c");
	assert_int_equal(upstream->port, 80);
	upstream_drop(upstream);
	assert_null(credentials(large, 257, 0600, &upstream));
	upstream_drop(upstream);
	assert_non_null(strstr(credentials("me:it", 5, 0604, &upstream), "all users can read it"));
	assert_non_null(strstr(credentials("me", 2, 0600, &upstream), "USER:PASSWORD"));
	assert_non_null(strstr(credentials(":it", 3, 0600, &upstream), "USER:PASSWORD"));
	assert_non_null(strstr(credentials("me:", 3, 0600, &upstream), "is empty"));
	assert_non_null(strstr(credentials("me:it\nx", 7, 0600, &upstream), "one line"));
	assert_non_null(strstr(credentials("me:\rit", 6, 0600, &upstream), "control character"));
	assert_non_null(strstr(credentials("me:i\0t", 6, 0600, &upstream), "NUL"));
	assert_non_null(strstr(credentials(large, 258, 0600, &upstream), "255"));
	assert_non_null(strstr(credentials(large, sizeof(large), 0600, &upstream), "too long"));
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages),          cmocka_unit_test(longest),
		cmocka_unit_test(reads_answers),     cmocka_unit_test(refuses_a_long_answer),
		cmocka_unit_test(reads_credentials),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
