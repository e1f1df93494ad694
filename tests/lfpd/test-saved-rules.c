/* SPDX-License-Identifier: Apache-2.0 */
/* test-saved-rules.c - saved state whose records contradict each other is refused */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lfpd/saving.h"

static void test_missing_bytes(void **state)
{
	struct saved_record sock = saving_stream(1), next = saving_stream(2);

	(void)state;
	sock.socket.in_received = 5;
	saving_put_session();
	saving_put(&sock);
	saving_put_bytes("four");
	saving_put(&next);
	saving_put_end();
	assert_string_equal(saving_refusal(), "a socket with missing data");
}

static void test_missing_bytes_at_end(void **state)
{
	struct saved_record sock = saving_stream(1);

	(void)state;
	sock.socket.in_received = 5;
	saving_put_session();
	saving_put(&sock);
	saving_put_end();
	assert_string_equal(saving_refusal(), "a socket with missing data");
}

static void test_too_many_bytes(void **state)
{
	struct saved_record sock = saving_stream(1);

	(void)state;
	sock.socket.in_received = 3;
	saving_put_session();
	saving_put(&sock);
	saving_put_bytes("four");
	saving_put_end();
	assert_string_equal(saving_refusal(), "data that belongs to no socket");
}

static void test_contradictions(void **state)
{
	static const struct {
		struct saved_socket sock;
		const char *why;
	} cases[] = {
		{{.state = SAVED_ESTABLISHED, .in_consumed = 1},
		 "a socket whose positions contradict each other"},
		{{.state = SAVED_ESTABLISHED, .in_received = 2, .in_consumed = 2, .in_reported = 3},
		 "a socket whose positions contradict each other"},
		{{.state = SAVED_ESTABLISHED, .out_consumed = 1},
		 "a socket whose positions contradict each other"},
		{{.state = SAVED_ESTABLISHED, .in_received = 65537},
		 "a socket whose positions contradict each other"},
		{{.state = SAVED_ESTABLISHED, .out_sent = 1, .joined_in = 1},
		 "a socket that was not joined, with joined data"},
		{{.state = SAVED_ESTABLISHED, .flags = SAVED_JOINED, .joined_in = 1},
		 "a socket with more joined data than data"},
		{{.state = SAVED_ESTABLISHED, .flags = SAVED_JOINED, .joined_out = 1},
		 "a socket with more joined data than data"},
		{{.state = SAVED_UDP, .flags = SAVED_JOINED},
		 "a socket whose state and flags contradict each other"},
		{{.state = SAVED_LOST, .in_received = 1},
		 "a socket with data in a state without data"},
		{{.state = SAVED_ESTABLISHED,
		  .in_received = 4,
		  .flags = SAVED_URGENT,
		  .urgent_at = 4},
		 "an urgent byte outside the saved data"},
		{{.state = SAVED_CONNECTING},
		 "a socket whose state and peer contradict each other"},
		{{.state = SAVED_ESTABLISHED, .upstream = {(const uint8_t *)"p", 1}},
		 "a socket whose state and peer contradict each other"},
		{{.state = SAVED_CONNECTING,
		  .peer = {.family = LFP_AF_INET},
		  .upstream = {(const uint8_t *)"p", 1}},
		 "a socket whose state and upstream contradict each other"},
		{{.state = SAVED_ESTABLISHED,
		  .peer = {.family = LFP_AF_INET},
		  .upstream = {(const uint8_t *)"p", 2}},
		 "a socket whose state and upstream contradict each other"},
		{{.state = SAVED_UDP,
		  .peer = {.family = LFP_AF_INET},
		  .upstream = {(const uint8_t *)"p", 1}},
		 "a socket whose state and upstream contradict each other"},
		{{.state = SAVED_NEW, .accepts = 1},
		 "a socket whose state and flags contradict each other"},
		{{.state = SAVED_NEW, .flags = SAVED_CONNECTED},
		 "a socket whose state and flags contradict each other"},
		{{.state = SAVED_LISTENING},
		 "a socket whose state and flags contradict each other"},
		{{.state = SAVED_UDP, .flags = SAVED_EOF},
		 "a socket whose state and flags contradict each other"},
		{{.state = SAVED_ESTABLISHED, .flags = SAVED_END_SENT},
		 "a socket whose state and flags contradict each other"},
		{{.state = SAVED_NEW, .family = 3}, "bad family in a record of socket"},
		{{.state = SAVED_NEW, .id = 1 | UINT64_C(1) << LFP_EPOCH_SHIFT},
		 "bad id in a record of socket"},
		{{.state = SAVED_DEAD, .in_received = 1},
		 "a socket with data in a state without data"},
		{{.state = SAVED_NEW, .hostid = {.family = LFP_AF_INET6}},
		 "bad address of the policy in a record of socket"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct saved_record record = saving_stream(1);

		record.socket = cases[i].sock;
		record.socket.id |= 1;
		record.socket.cookie = 1;
		record.socket.in_window = 65536;
		record.socket.in_threshold = 1;
		if (!record.socket.family)
			record.socket.family = LFP_AF_INET;
		saving_put_session();
		saving_put(&record);
		assert_non_null(saving_refusal());
		assert_string_equal(saving_refusal(), cases[i].why);
		saving_restart();
	}
}

static void test_order(void **state)
{
	struct saved_record task = {.kind = SAVED_RECORD_task, .task.number = 1};
	struct saved_record sock = saving_stream(1);

	(void)state;
	saving_put(&task);
	assert_string_equal(saving_refusal(), "records in the wrong order");
	saving_restart();
	saving_put_session();
	saving_put_session();
	assert_string_equal(saving_refusal(), "records in the wrong order");
	saving_restart();
	saving_put_session();
	saving_put(&sock);
	saving_put(&task);
	assert_string_equal(saving_refusal(), "records in the wrong order");
	saving_restart();
	saving_put_session();
	saving_put_end();
	saving_put_end();
	assert_string_equal(
		saving_refusal(),
		"its number of records is not that of its end record, or data follows the end");
}

static void test_datagram_parts(void **state)
{
	struct saved_record sock = saving_datagrams(1), tcp = saving_stream(2);
	struct saved_record part = {
		.kind = SAVED_RECORD_arriving,
		.arriving = {.total = 10,
			     .got = 3,
			     .kept = 1,
			     .payload = {(const uint8_t *)"abc", 3}},
	};

	(void)state;
	saving_put_session();
	saving_put(&sock);
	saving_put(&part);
	saving_put_end();
	assert_null(saving_refusal());
	saving_restart();
	part.arriving.got = 4;
	saving_put_session();
	saving_put(&sock);
	saving_put(&part);
	assert_string_equal(saving_refusal(), "an unexpected first part of a datagram");
	saving_restart();
	part.arriving.got = 3;
	saving_put_session();
	saving_put(&tcp);
	saving_put(&part);
	assert_string_equal(saving_refusal(), "an unexpected first part of a datagram");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, saving_set_up, saving_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(missing_bytes),  TEST(missing_bytes_at_end),
		TEST(too_many_bytes), TEST(contradictions),
		TEST(order),          TEST(datagram_parts),
	};

	return cmocka_run_group_tests_name("saved-rules", tests, NULL, NULL);
}
