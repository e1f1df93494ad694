/* SPDX-License-Identifier: Apache-2.0 */
/* test-admin-request.c - requests that lfpd accepts, and its answers to others */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lfp/admin-request.h"

static struct lfp_admin_request request;
static char why[96];

static int decode(const char *text)
{
	char line[512];

	why[0] = '\0';
	snprintf(line, sizeof(line), "%s", text);
	return lfp_admin_decode(line, strlen(line), &request, why);
}

static void verbs(void **state)
{
	static const char *const names[] = {
		"status",     "tasks",       "sockets",    "users",        "statistics", "reload",
		"reload-cut", "trace-start", "trace-stop", "trace-status", "limits"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char again[64];
		FILE *out = fmemopen(again, sizeof(again), "w");

		assert_int_equal(decode(names[i]), 0);
		lfp_admin_encode(&request, out);
		fclose(out);
		assert_string_equal(again, names[i]);
	}
	assert_int_equal(decode("trace-start"), 0);
	assert_true(request.filter.any_task && request.filter.any_socket &&
		    request.filter.any_kind);
	assert_int_equal(request.filter.payload, 0);
}

static void conditions(void **state)
{
	(void)state;
	assert_int_equal(decode("trace-start task=2e socket=0x8000000000000001 kind=CONNECT,empty "
				"payload=100"),
			 0);
	assert_int_equal(request.filter.task, 0x2e);
	assert_true(request.filter.socket == UINT64_C(0x8000000000000001));
	assert_int_equal(request.filter.payload, 100);
	assert_true(lfp_trace_wants_kind(&request.filter, LFP_CONNECT));
	assert_true(lfp_trace_wants_kind(&request.filter, LFP_CONNECT_REPLY));
	assert_true(lfp_trace_wants_kind(&request.filter, 0));
	assert_false(lfp_trace_wants_kind(&request.filter, LFP_CONNECTED));
	assert_false(lfp_trace_wants_kind(&request.filter, LFP_DATA));
	assert_int_equal(decode("trace-start kind=payload"), 0);
	assert_true(lfp_trace_wants_kind(&request.filter, LFP_DATA));
	assert_true(lfp_trace_wants_kind(&request.filter, LFP_DATAGRAM));
	assert_false(lfp_trace_wants_kind(&request.filter, LFP_WINDOW));
	assert_int_equal(decode("trace-start kind=control"), 0);
	assert_false(lfp_trace_wants_kind(&request.filter, LFP_DATA));
	assert_true(lfp_trace_wants_kind(&request.filter, LFP_HELLO));
	/* DATA is a message as well: the word in lower case is no group. */
	assert_int_equal(decode("trace-start kind=data"), 0);
	assert_true(lfp_trace_wants_kind(&request.filter, LFP_DATA));
	assert_false(lfp_trace_wants_kind(&request.filter, LFP_DATAGRAM));
}

static void refused(void **state)
{
	static const struct {
		const char *line, *part;
	} lines[] = {
		{"", "unknown request"},
		{"statusx", "unknown request"},
		{" status", "unknown request"},
		{"status ", "takes no conditions"},
		{"status task=1", "takes no conditions"},
		{"trace-start ", "not a condition"},
		{"trace-start task", "task is not a condition"},
		{"trace-start task=", "hexadecimal"},
		{"trace-start task=12345", "hexadecimal"},
		{"trace-start task=-1", "hexadecimal"},
		{"trace-start pid=0", "from 1"},
		{"trace-start pid=4294967296", "from 1"},
		{"trace-start program=", "1 to 64 characters"},
		{"trace-start program=my curl", "curl is not a condition"},
		{"trace-start program=0123456789012345678901234567890123456789012345678901234567890123"
		 "4",
		 "1 to 64 characters"},
		{"trace-start socket=0", "from 1"},
		{"trace-start socket=18446744073709551616", "from 1"},
		{"trace-start socket=0x", "from 1"},
		{"trace-start kind=", "unknown message"},
		{"trace-start kind=DATA,", "unknown message"},
		{"trace-start kind=NONE", "unknown message NONE"},
		{"trace-start payload=65537", "0 to 65536"},
		{"trace-start payload=1k", "0 to 65536"},
		{"trace-start colour=red", "unknown condition colour"},
		{"sta\ttus", "unprintable"},
		{"st\x80tus", "unprintable"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(decode(lines[i].line), -EINVAL);
		if (!strstr(why, lines[i].part))
			fail_msg("'%s': '%s' lacks '%s'", lines[i].line, why, lines[i].part);
	}
	{
		char nul[] = "status\0tasks";

		assert_int_equal(lfp_admin_decode(nul, sizeof(nul) - 1, &request, why), -EINVAL);
	}
}

static void printed_conditions_are_read_again(void **state)
{
	static const char *const lines[] = {"trace-start task=02",
					    "trace-start program=curl pid=4294967295 kind=DATA",
					    "trace-start pid=7 socket=2",
					    "trace-start socket=0x11 payload=7",
					    "trace-start kind=control",
					    "trace-start kind=empty,DATA task=FFFF payload=65536"};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct lfp_admin_request first;
		char again[2048];
		FILE *out = fmemopen(again, sizeof(again), "w");

		assert_int_equal(decode(lines[i]), 0);
		first = request;
		lfp_admin_encode(&request, out);
		fclose(out);
		assert_int_equal(lfp_admin_decode(again, strlen(again), &request, why), 0);
		assert_memory_equal(&first.filter.kinds, &request.filter.kinds, 32);
		assert_int_equal(first.filter.task, request.filter.task);
		assert_int_equal(first.filter.pid, request.filter.pid);
		assert_string_equal(first.filter.program, request.filter.program);
		assert_true(first.filter.socket == request.filter.socket);
		assert_int_equal(first.filter.payload, request.filter.payload);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verbs),
		cmocka_unit_test(conditions),
		cmocka_unit_test(refused),
		cmocka_unit_test(printed_conditions_are_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
