/* SPDX-License-Identifier: Apache-2.0 */
/* test-http.c - requests for metrics: accepted ones, and refused ones with their status */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lfpd/watch/http.h"

static struct http_request request;

static int parse(const char *text)
{
	return http_parse(text, strlen(text), &request);
}

#define GET  "GET /metrics HTTP/1.1\r\n"
#define HOST "Host: x\r\n"

static void good(void **state)
{
	(void)state;
	assert_int_equal(parse(GET HOST "\r\n"), 200);
	assert_string_equal(request.path, "/metrics");
	assert_false(request.head);
	assert_false(request.openmetrics);
	assert_int_equal(parse("HEAD /?a=b HTTP/1.0\r\n\r\n"), 200);
	assert_string_equal(request.path, "/");
	assert_true(request.head);
	assert_int_equal(parse(GET "hOST:\r\nX-Y: \tz \r\nContent-Length: 0\r\n\r\nrest"), 200);
}

static void refused(void **state)
{
	static const struct {
		const char *text;
		int status;
	} requests[] = {
		{"", 431},
		{GET HOST, 431},
		{"\r\n\r\n", 400},
		{"GET\r\n" HOST "\r\n", 400},
		{"GET  /metrics HTTP/1.1\r\n" HOST "\r\n", 400},
		{"GET /metrics\r\n" HOST "\r\n", 400},
		{"GET /metrics HTTP/1.1 \r\n" HOST "\r\n", 505},
		{"GET /metrics HTTP/2.0\r\n" HOST "\r\n", 505},
		{"GET /metrics http/1.1\r\n" HOST "\r\n", 400},
		{" GET /metrics HTTP/1.1\r\n" HOST "\r\n", 400},
		{"POST /metrics HTTP/1.1\r\n" HOST "\r\n", 405},
		{"get /metrics HTTP/1.1\r\n" HOST "\r\n", 405},
		{"GET http://x/metrics HTTP/1.1\r\n" HOST "\r\n", 404},
		{GET "\r\n", 400},
		{GET HOST HOST "\r\n", 400},
		{GET HOST "Folded: a\r\n b\r\n\r\n", 400},
		{GET HOST "Blank : a\r\n\r\n", 400},
		{GET HOST "no colon\r\n\r\n", 400},
		{GET HOST ": empty\r\n\r\n", 400},
		{GET HOST "Bare: a\nb\r\n\r\n", 400},
		{GET HOST "Bare: a\rb\r\n\r\n", 400},
		{GET HOST "Control: \001\r\n\r\n", 400},
		{GET HOST "Content-Length: 1\r\n\r\nx", 413},
		{GET HOST "Content-Length: -1\r\n\r\n", 413},
		{GET HOST "Transfer-Encoding: chunked\r\n\r\n", 413},
	};
	char target[200] = "GET /";

	(void)state;
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		int status = parse(requests[i].text);

		if (status != requests[i].status)
			fail_msg("%d, not %d: %s", status, requests[i].status, requests[i].text);
	}
	memset(target + 5, 'a', 100);
	strcpy(target + 105, " HTTP/1.0\r\n\r\n");
	assert_int_equal(parse(target), 404);
}

static bool openmetrics(const char *accept)
{
	char text[512] = GET HOST "Accept: ";

	strcat(text, accept);
	strcat(text, "\r\n\r\n");
	assert_int_equal(parse(text), 200);
	return request.openmetrics;
}

static void accept(void **state)
{
	(void)state;
	/* A request of Prometheus 2.42. */
	assert_true(openmetrics(
		"application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
		"version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
	assert_true(openmetrics("application/openmetrics-text"));
	assert_true(openmetrics("Application/OpenMetrics-Text; Version=\"1.0.0\"; charset=utf-8"));
	assert_false(openmetrics("application/openmetrics-text; version=0.0.1"));
	assert_false(openmetrics("application/openmetrics-text; q=0"));
	assert_false(openmetrics("application/openmetrics-text; q=0.5, text/plain; q=0.501"));
	assert_true(openmetrics("application/openmetrics-text; q=0.5, text/plain; q=0.5"));
	assert_false(openmetrics("text/plain"));
	assert_false(openmetrics("*/*"));
	assert_false(openmetrics(",,;;=,"));
	assert_false(openmetrics("application/openmetrics-text; q=2"));
	assert_false(openmetrics("application/openmetrics-text; q=0.5000"));
}

static void completeness(void **state)
{
	static const char text[] = GET HOST "\r\n";

	(void)state;
	for (size_t len = 0; len < sizeof(text) - 1; len++)
		assert_false(http_complete(text, len));
	assert_true(http_complete(text, sizeof(text) - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(refused),
		cmocka_unit_test(accept),
		cmocka_unit_test(completeness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
