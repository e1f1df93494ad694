/* SPDX-License-Identifier: Apache-2.0 */
/* test-frame.c - every message there and back, cut off, and with a header that is wrong */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lfp/frame.h"
#include "tests/lfp/message-samples.h"

static uint8_t wire[SAMPLE_ROOM], again[SAMPLE_ROOM];

static int encode(const struct lfp_frame *frame)
{
	return lfp_frame_encode(frame, wire, sizeof(wire));
}

static void test_round_trip(void **state)
{
	struct sample_random random = {.state = 1};
	const struct lfp_message *message;

	(void)state;
	for (size_t nr = 0; (message = lfp_message_at(nr)); nr++) {
		for (uint32_t round = 0; round < 100; round++) {
			struct lfp_frame frame, back, head;
			const char *why;
			int len;

			sample_fill(message, &random, round * 20, &frame);
			len = encode(&frame);
			assert_true(len >= (int)LFP_FRAME_HEADER);
			assert_int_equal(lfp_frame_head(wire, &head), len);
			memset(&back, 0xee, sizeof(back));
			assert_int_equal(lfp_frame_decode(wire, sizeof(wire), sample_side(message),
							  &back, &why),
					 len);
			sample_compare(message, &frame, &back);
			assert_true(head.code == back.code && head.flags == back.flags &&
				    head.status == back.status && head.request == back.request &&
				    head.task == back.task && head.sock == back.sock &&
				    head.epoch == back.epoch);
			assert_int_equal(lfp_frame_encode(&back, again, sizeof(again)), len);
			assert_memory_equal(wire, again, (size_t)len);
		}
	}
}

static void test_room(void **state)
{
	struct sample_random random = {.state = 2};
	const struct lfp_message *message;

	(void)state;
	for (size_t nr = 0; (message = lfp_message_at(nr)); nr++) {
		struct lfp_frame frame;
		int len;

		sample_fill(message, &random, 30, &frame);
		len = encode(&frame);
		for (int room = 0; room < len; room++) {
			uint8_t *small = malloc(room ? (size_t)room : 1);

			assert_non_null(small);
			assert_int_equal(lfp_frame_encode(&frame, small, (size_t)room), -EMSGSIZE);
			free(small);
		}
		assert_int_equal(lfp_frame_encode(&frame, again, (size_t)len), len);
	}
}

/* The packet ends too early, or the frame says so itself. */
static void test_truncated(void **state)
{
	struct sample_random random = {.state = 3};
	const struct lfp_message *message;

	(void)state;
	for (size_t nr = 0; (message = lfp_message_at(nr)); nr++) {
		enum lfp_side side = sample_side(message);
		const struct lfp_message_field *last =
			message->nr_fields ? &message->fields[message->nr_fields - 1] : NULL;
		struct lfp_frame frame;
		size_t len, shortest;

		sample_fill(message, &random, 30, &frame);
		len = shortest = (size_t)encode(&frame);
		/* Only a frame that ends with bytes may be shorter, by some of these. */
		if (last && strcmp(last->kind, "bytes") == 0)
			shortest = len - sample_field_size(&frame, last) + (size_t)last->min;
		for (size_t cut = 0; cut < len; cut++) {
			const char *why = NULL;
			int rc = sample_decode(wire, cut, side, &why);

			assert_int_equal(rc, -EPROTO);
			assert_non_null(why);
			memcpy(again, wire, len);
			sample_put_number(again, 4, cut);
			rc = sample_decode(again, cut, side, &why);
			assert_int_equal(rc, cut < shortest ? -EPROTO : (int)cut);
		}
	}
}

static void test_too_long(void **state)
{
	struct sample_random random = {.state = 4};
	const struct lfp_message *message;

	(void)state;
	for (size_t nr = 0; (message = lfp_message_at(nr)); nr++) {
		const struct lfp_message_field *last =
			message->nr_fields ? &message->fields[message->nr_fields - 1] : NULL;
		struct lfp_frame frame;
		size_t len;

		if (last && strcmp(last->kind, "bytes") == 0)
			continue;
		sample_fill(message, &random, 30, &frame);
		len = (size_t)encode(&frame);
		wire[len] = 0;
		sample_put_number(wire, 4, len + 1);
		sample_refused(wire, len + 1, sample_side(message), "bytes after the last field");
	}
}

static void test_wrong_side(void **state)
{
	struct sample_random random = {.state = 7};
	const struct lfp_message *message;

	(void)state;
	for (size_t nr = 0; (message = lfp_message_at(nr)); nr++) {
		struct lfp_frame frame;
		size_t len;

		sample_fill(message, &random, 30, &frame);
		len = (size_t)encode(&frame);
		for (enum lfp_side side = LFP_FROM_VSE; side <= LFP_FROM_LFPD; side++) {
			const char *why;

			if (message->from & side)
				assert_int_equal(sample_decode(wire, len, side, &why), (int)len);
			else
				sample_refused(wire, len, side, "message from the wrong side");
		}
	}
}

static void test_unknown_code(void **state)
{
	const struct lfp_message *message;
	bool known[256] = {false};

	(void)state;
	for (size_t nr = 0; (message = lfp_message_at(nr)); nr++) {
		assert_false(known[message->code]);
		known[message->code] = true;
		assert_ptr_equal(lfp_message_by_code(message->code), message);
		assert_string_equal(lfp_message_name(message->code), message->name);
	}
	for (unsigned int code = 0; code < 256; code++) {
		uint8_t buf[LFP_FRAME_HEADER] = {[3] = LFP_FRAME_HEADER, [4] = (uint8_t)code};
		struct lfp_frame frame = {.code = (uint8_t)code};

		if (known[code])
			continue;
		sample_refused(buf, sizeof(buf), LFP_FROM_BOTH, "unknown message");
		assert_int_equal(encode(&frame), -EINVAL);
		assert_string_equal(lfp_message_name((uint8_t)code), "?");
		assert_null(lfp_message_by_code((uint8_t)code));
	}
}

/* Every answer belongs to a request of the other side. */
static void test_answers(void **state)
{
	const struct lfp_message *message;

	(void)state;
	for (size_t nr = 0; (message = lfp_message_at(nr)); nr++) {
		const struct lfp_message *asked;

		if (!(message->code & 0x80))
			continue;
		asked = lfp_message_by_code(message->code & 0x7f);
		assert_non_null(asked);
		assert_int_equal(message->from, LFP_FROM_LFPD);
		assert_int_equal(asked->from, LFP_FROM_VSE);
		assert_true(message->needs & asked->needs & LFP_NEEDS_REQUEST);
		assert_int_equal(message->needs & LFP_NEEDS_SOCKET,
				 asked->needs & LFP_NEEDS_SOCKET);
	}
}

/* Header fields that are missing, and such as the message does not have. */
static void test_header(void **state)
{
	struct sample_random random = {.state = 8};
	const struct lfp_message *message;

	(void)state;
	for (size_t nr = 0; (message = lfp_message_at(nr)); nr++) {
		enum lfp_side side = sample_side(message);
		bool has_status = message->code & 0x80 || message->code == LFP_CONNECTED ||
				  message->code == LFP_RESET;
		struct lfp_frame frame, good;
		size_t len;

		sample_fill(message, &random, 30, &good);
		len = (size_t)encode(&good);

		memcpy(again, wire, len);
		sample_put_number(again + 16, 8, message->needs & LFP_NEEDS_SOCKET ? 0 : 1);
		sample_refused(again, len, side, "socket id missing or not expected");
		frame = good;
		frame.sock = !frame.sock;
		assert_int_equal(lfp_frame_encode(&frame, again, sizeof(again)), -EINVAL);

		/* An epoch needs a socket, and its bits are none of the id. */
		memcpy(again, wire, len);
		sample_put_number(again + 16, 8, LFP_ID_EPOCH);
		sample_refused(again, len, side,
			       message->needs & LFP_NEEDS_SOCKET
				       ? "socket id missing or not expected"
				       : "bad socket id or epoch");
		frame = good;
		frame.epoch = LFP_EPOCHS;
		assert_int_equal(lfp_frame_encode(&frame, again, sizeof(again)), -EINVAL);
		frame = good;
		frame.sock |= UINT64_C(1) << LFP_EPOCH_SHIFT;
		assert_int_equal(lfp_frame_encode(&frame, again, sizeof(again)), -EINVAL);

		memcpy(again, wire, len);
		sample_put_number(again + 8, 4, message->needs & LFP_NEEDS_REQUEST ? 0 : 1);
		sample_refused(again, len, side, "request number missing or not expected");

		memcpy(again, wire, len);
		sample_put_number(again + 12, 4, 0);
		if (message->needs & LFP_NEEDS_TASK)
			sample_refused(again, len, side, "task id missing");

		memcpy(again, wire, len);
		sample_put_number(again + 6, 2, has_status ? LFP_STATUS_MAX + 1 : 1);
		sample_refused(again, len, side, "a status that the message does not allow");

		for (unsigned int bit = 1; bit < 256; bit <<= 1) {
			if (message->code == LFP_DATA && bit <= LFP_FRAME_URGENT)
				continue;
			memcpy(again, wire, len);
			again[5] = (uint8_t)bit;
			sample_refused(again, len, side, "flags that the message does not allow");
		}

		memcpy(again, wire, len);
		sample_put_number(again, 4, LFP_FRAME_HEADER - 1);
		sample_refused(again, len, side, "frame length does not fit the packet");
		sample_put_number(again, 4, len + 1);
		sample_refused(again, len, side, "frame length does not fit the packet");
		sample_put_number(again, 4, UINT32_MAX);
		sample_refused(again, len, side, "frame length does not fit the packet");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_room),
		cmocka_unit_test(test_truncated),  cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_wrong_side), cmocka_unit_test(test_unknown_code),
		cmocka_unit_test(test_answers),    cmocka_unit_test(test_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
