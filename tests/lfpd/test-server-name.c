/* SPDX-License-Identifier: Apache-2.0 */
/* test-server-name.c - the name of the server in a ClientHello, whole, in parts, and wrong */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lfp/bigend.h"
#include "lfpd/policy/server-name.h"
#include "tests/lfpd/client-hello.h"

static uint8_t bytes[4096];
static struct server_name server;

static enum server_name_state read_hello(const char *name, enum client_hello kind, size_t record)
{
	size_t len = client_hello(bytes, name, kind, record);

	return server_name_tls(bytes, len, &server);
}

static void names(void **state)
{
	(void)state;
	for (size_t record = 1; record < 200; record++) {
		assert_int_equal(read_hello("WWW.example.org", CLIENT_HELLO_PLAIN, record),
				 SERVER_NAME_FOUND);
		assert_string_equal(server.name, "www.example.org");
		assert_false(server.is_encrypted);
	}
	assert_int_equal(read_hello("www.example.org", CLIENT_HELLO_ECH, 1000), SERVER_NAME_FOUND);
	assert_true(server.is_encrypted);
}

/* Nothing is decided before the message is complete, nor by what follows it. */
static void parts(void **state)
{
	size_t len;

	(void)state;
	for (size_t record = 1; record < 200; record += 50) {
		len = client_hello(bytes, "www.example.org", CLIENT_HELLO_PLAIN, record);
		for (size_t part = 0; part < len; part++)
			assert_int_equal(server_name_tls(bytes, part, &server), SERVER_NAME_MORE);
	}
	memset(bytes + len, 0x17, 100);
	assert_int_equal(server_name_tls(bytes, len + 100, &server), SERVER_NAME_FOUND);
}

static void no_names(void **state)
{
	static const char *const wrong[] = {"", "a..b", "www.example.org.", "a b", "x\x01y"};

	(void)state;
	assert_int_equal(read_hello(NULL, CLIENT_HELLO_PLAIN, 1000), SERVER_NAME_NONE);
	assert_int_equal(read_hello("a.example", CLIENT_HELLO_TWICE, 1000), SERVER_NAME_NONE);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(read_hello(wrong[i], CLIENT_HELLO_PLAIN, 1000), SERVER_NAME_NONE);
	assert_int_equal(server_name_tls((const uint8_t *)"GET / HTTP/1.1", 14, &server),
			 SERVER_NAME_NONE);
	assert_int_equal(server_name_tls((const uint8_t *)"\x80\x2e\1\3\1", 5, &server),
			 SERVER_NAME_NONE); /* SSL 2 */
	assert_int_equal(server_name_tls((const uint8_t *)"\x16\3\1\0\0", 5, &server),
			 SERVER_NAME_NONE);
	assert_int_equal(server_name_tls((const uint8_t *)"\x16\3\1\0\4\2\0\0\0", 9, &server),
			 SERVER_NAME_NONE);
	/* a message of 16 MB */
	assert_int_equal(server_name_tls((const uint8_t *)"\x16\3\1\0\4\1\xff\xff\xff", 9, &server),
			 SERVER_NAME_NONE);
	assert_non_null(server.why);
}

/* A wrong length is no reason to read elsewhere, and never a name. */
static void wrong_lengths(void **state)
{
	size_t len = client_hello(bytes, "www.example.org", CLIENT_HELLO_PLAIN, 1000);
	uint8_t changed[4096];

	(void)state;
	for (size_t at = 5 + 4 + 34; at < len - 18; at++) {
		for (unsigned int value = 0; value < 256; value++) {
			memcpy(changed, bytes, len);
			changed[at] = (uint8_t)value;
			if (server_name_tls(changed, len, &server) == SERVER_NAME_FOUND)
				assert_string_equal(server.name, "www.example.org");
		}
	}
}

static enum server_name_state read_request(const char *text)
{
	size_t len = strlen(text);
	enum server_name_state state = server_name_http((const uint8_t *)text, len, &server);

	/* A decision holds, whatever follows: each part leads to the same one, or to none yet. */
	for (size_t part = 0; part < len; part++) {
		struct server_name first;
		enum server_name_state of_part =
			server_name_http((const uint8_t *)text, part, &first);

		assert_true(of_part == SERVER_NAME_MORE || of_part == state);
	}
	return state;
}

static void requests(void **state)
{
	static const char *const right[] = {
		"GET / HTTP/1.1\r\nHost: www.example.org\r\n\r\n",
		"POST /a?b=c:d HTTP/1.0\r\nAccept: */*\r\nhOST:\tWWW.example.ORG.:8080 \r\nX: y\r\n\r\nbody",
		"OPTIONS * HTTP/1.1\r\nHost:www.example.org:\r\n\r\nGET / HTTP/1.1\r\n",
		"GET http://www.example.org/ HTTP/1.1\r\nHost: www.example.org\r\n\r\n",
		"GET http://WWW.example.org:80?q HTTP/1.1\r\nHost: www.example.org:80\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: www.example.org\r\nX-Host: evil.example.net\r\n\r\n",
	};
	static const char *const more[] = {
		"",
		"G",
		"GET",
		"GET / HTTP/1.1\r\n",
		"GET / HTTP/1.1\r\nHost: www.example.org\r\n",
		"GET / HTTP/1.1\r\nHost: www.example.org\r\n\r",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		assert_int_equal(read_request(right[i]), SERVER_NAME_FOUND);
		assert_string_equal(server.name, "www.example.org");
	}
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		assert_int_equal(read_request(more[i]), SERVER_NAME_MORE);
}

static void no_requests(void **state)
{
	static const char *const wrong[] = {
		"\x16\3\1",
		"get / HTTP/1.1",
		" GET / HTTP/1.1",
		"\r\nGET / HTTP/1.1",
		"GET\t/",
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		"PRI * HTTP/2.0\r\n",
		"GET /\r\n",
		"GET / HTTP/1.2\r\n",
		"GET  / HTTP/1.1\r\n",
		"GET / a HTTP/1.1\r\n",
		"GET / HTTP/1.1 \r\n",
		"GET / HTTP/1.1\n",
		"GET /\t HTTP/1.1\r\n",
		"CONNECT www.example.org:80 HTTP/1.1\r\n",
		"GET www.example.org HTTP/1.1\r\n",
		"GET http:/www.example.org HTTP/1.1\r\n",
		"GET http://a@www.example.org/ HTTP/1.1\r\n",
		"GET / HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost:\r\n",
		"GET / HTTP/1.1\r\nHost: a b\r\n",
		"GET / HTTP/1.1\r\nHost: a.org:x\r\n",
		"GET / HTTP/1.1\r\nHost: [::1]\r\n",
		"GET / HTTP/1.1\r\nHost: a.org\r\nHost: a.org\r\n",
		"GET / HTTP/1.1\r\nHost : a.org\r\n",
		"GET / HTTP/1.1\r\nX: y\r\n Host: a.org\r\n",
		"GET / HTTP/1.1\r\nHost: a.org\n",
		"GET / HTTP/1.1\r\nX: a\rHost: b.org\r\n",
		"GET / HTTP/1.1\r\nHost\r\n",
		"GET / HTTP/1.1\r\nHost: a.org, b.org\r\n",
		"GET http://b.org/ HTTP/1.1\r\nHost: a.org\r\n\r\n",
	};
	static const char nul[] = "GET / HTTP/1.1\r\nX: \0\r\n";

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (read_request(wrong[i]) != SERVER_NAME_NONE)
			fail_msg("%s", wrong[i]);
		assert_non_null(server.why);
	}
	assert_int_equal(server_name_http((const uint8_t *)nul, sizeof(nul) - 1, &server),
			 SERVER_NAME_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),    cmocka_unit_test(parts),
		cmocka_unit_test(no_names), cmocka_unit_test(wrong_lengths),
		cmocka_unit_test(requests), cmocka_unit_test(no_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
