/* SPDX-License-Identifier: Apache-2.0 */
/* test-trace.c - the pieces of a trace's ring file */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lfp/trace.h"

static void head(void **state)
{
	struct lfp_trace_head in = {.blocks = 255, .begun = 77, .instance = "LINR02"}, out;
	uint8_t buf[LFP_TRACE_BLOCK_HEAD];

	(void)state;
	lfp_trace_head_encode(&in, buf);
	assert_memory_equal(buf, "LFPTRACE\0\0\0\1\0\0\0\377", 16);
	assert_int_equal(lfp_trace_head_decode(buf, sizeof(buf), &out), 0);
	assert_int_equal(out.blocks, 255);
	assert_int_equal(out.begun, 77);
	assert_string_equal(out.instance, "LINR02");
	assert_int_equal(lfp_trace_head_decode(buf, sizeof(buf) - 1, &out), -EPROTO);
	buf[14] = 0x7f; /* more blocks than there can be */
	assert_int_equal(lfp_trace_head_decode(buf, sizeof(buf), &out), -EPROTO);
	lfp_trace_head_encode(&in, buf);
	buf[11] = 2; /* another version */
	assert_int_equal(lfp_trace_head_decode(buf, sizeof(buf), &out), -EPROTO);
	lfp_trace_head_encode(&in, buf);
	buf[24] = '\n';
	assert_int_equal(lfp_trace_head_decode(buf, sizeof(buf), &out), -EPROTO);
}

static void block(void **state)
{
	struct lfp_trace_block in = {.used = 100, .number = 9, .lost = 3, .before = 1000}, out;
	uint8_t buf[LFP_TRACE_BLOCK_HEAD] = {0};

	(void)state;
	assert_int_equal(lfp_trace_block_decode(buf, &out), -ENOENT);
	lfp_trace_block_encode(&in, buf);
	assert_int_equal(lfp_trace_block_decode(buf, &out), 0);
	assert_int_equal(out.used, 100);
	assert_int_equal(out.number, 9);
	assert_int_equal(out.lost, 3);
	assert_int_equal(out.before, 1000);
	in.used = LFP_TRACE_BLOCK + 1;
	lfp_trace_block_encode(&in, buf);
	assert_int_equal(lfp_trace_block_decode(buf, &out), -EPROTO);
	in.used = LFP_TRACE_BLOCK_HEAD - 1;
	lfp_trace_block_encode(&in, buf);
	assert_int_equal(lfp_trace_block_decode(buf, &out), -EPROTO);
}

static void record(void **state)
{
	struct lfp_trace_record in = {.time = 5, .sent = true, .frame_len = 30, .kept = 3}, out;
	uint8_t buf[64] = {0};

	(void)state;
	lfp_trace_record_encode(&in, buf);
	assert_int_equal(lfp_trace_record_decode(buf, 48, &out), 48);
	assert_int_equal(out.time, 5);
	assert_true(out.sent);
	assert_int_equal(out.frame_len, 30);
	assert_int_equal(out.kept, 3);
	assert_ptr_equal(out.data, buf + 24);
	assert_int_equal(lfp_trace_record_decode(buf, 0, &out), 0);
	assert_int_equal(lfp_trace_record_decode(buf, 47, &out), -EPROTO);
	assert_int_equal(lfp_trace_record_decode(buf, 39, &out), -EPROTO);
	in.frame_len = 2; /* less than what was kept */
	lfp_trace_record_encode(&in, buf);
	assert_int_equal(lfp_trace_record_decode(buf, 48, &out), -EPROTO);
	in.frame_len = 30;
	lfp_trace_record_encode(&in, buf);
	buf[16] = 2;
	assert_int_equal(lfp_trace_record_decode(buf, 48, &out), -EPROTO);
	memset(buf, 0, 4); /* a length that leads nowhere */
	assert_int_equal(lfp_trace_record_decode(buf, 48, &out), -EPROTO);
}

/* Fields before the payload are never truncated: the dissector and the text need them. */
static void payload_begins_where_messages_say(void **state)
{
	struct lfp_frame data = {.code = LFP_DATA, .sock = 1},
			 datagram = {.code = LFP_DATAGRAM, .sock = 1};
	const uint8_t byte = 0;
	uint8_t buf[256];

	(void)state;
	data.data.payload = (struct lfp_bytes){&byte, 1};
	datagram.datagram.payload = (struct lfp_bytes){&byte, 1};
	datagram.datagram.total = 1;
	assert_int_equal(lfp_frame_encode(&data, buf, sizeof(buf)), lfp_trace_head(LFP_DATA) + 1);
	assert_int_equal(lfp_frame_encode(&datagram, buf, sizeof(buf)),
			 lfp_trace_head(LFP_DATAGRAM) + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(head),
		cmocka_unit_test(block),
		cmocka_unit_test(record),
		cmocka_unit_test(payload_begins_where_messages_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
