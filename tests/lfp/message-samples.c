/* SPDX-License-Identifier: Apache-2.0 */
/* message-samples.c - a frame of any message with valid fields, for the tests of the codec */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lfp/message-samples.h"

static uint8_t filler[SAMPLE_ROOM];

/* xorshift64 */
uint64_t sample_number(struct sample_random *random, uint64_t min, uint64_t max)
{
	uint64_t x = random->state, range = max - min;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	random->state = x;
	return range == UINT64_MAX ? x : min + x % (range + 1);
}

void *sample_field(struct lfp_frame *frame, const struct lfp_message_field *field)
{
	return (uint8_t *)frame + offsetof(struct lfp_frame, hello) + field->offset;
}

static bool is_kind(const struct lfp_message_field *field, const char *kind)
{
	return strcmp(field->kind, kind) == 0;
}

static void fill_name8(struct sample_random *random, char *name)
{
	size_t len = sample_number(random, 0, 8);

	memset(name, 0, 9);
	for (size_t i = 0; i < len; i++)
		name[i] = (char)sample_number(random, '!', '~');
}

static void fill_addr(struct sample_random *random, struct lfp_addr *addr)
{
	static const uint16_t families[] = {LFP_AF_UNSPEC, LFP_AF_INET, LFP_AF_INET6};
	size_t len;

	memset(addr, 0, sizeof(*addr));
	addr->family = families[sample_number(random, 0, 2)];
	if (addr->family == LFP_AF_UNSPEC)
		return;
	addr->port = (uint16_t)sample_number(random, 0, UINT16_MAX);
	len = addr->family == LFP_AF_INET ? 4 : 16;
	for (size_t i = 0; i < len; i++)
		addr->ip[i] = (uint8_t)sample_number(random, 0, 255);
	if (addr->family == LFP_AF_INET6) {
		addr->flowinfo = (uint32_t)sample_number(random, 0, UINT32_MAX);
		addr->scope = (uint32_t)sample_number(random, 0, UINT32_MAX);
	}
}

static uint32_t some_length(struct sample_random *random, const struct lfp_message_field *field,
			    uint32_t longest)
{
	uint64_t min = (uint64_t)field->min, max = field->max < longest ? field->max : longest;

	return (uint32_t)sample_number(random, min, max < min ? min : max);
}

static void fill_field(struct sample_random *random, const struct lfp_message_field *field,
		       uint32_t longest, void *to)
{
	if (is_kind(field, "u8")) {
		*(uint8_t *)to = (uint8_t)sample_number(random, (uint64_t)field->min, field->max);
	} else if (is_kind(field, "u16")) {
		*(uint16_t *)to = (uint16_t)sample_number(random, (uint64_t)field->min, field->max);
	} else if (is_kind(field, "u32")) {
		*(uint32_t *)to = (uint32_t)sample_number(random, (uint64_t)field->min, field->max);
	} else if (is_kind(field, "u64")) {
		*(uint64_t *)to = sample_number(random, (uint64_t)field->min, field->max);
	} else if (is_kind(field, "i32")) {
		uint64_t above = sample_number(random, 0, field->max - (uint64_t)field->min);

		*(int32_t *)to = (int32_t)(field->min + (int64_t)above);
	} else if (is_kind(field, "name8")) {
		fill_name8(random, to);
	} else if (is_kind(field, "addr")) {
		fill_addr(random, to);
	} else if (is_kind(field, "text")) {
		struct lfp_text *text = to;

		text->len = (uint16_t)some_length(random, field, longest);
		text->ptr = filler + sample_number(random, 0, 255);
	} else if (is_kind(field, "bytes")) {
		struct lfp_bytes *bytes = to;

		bytes->len = some_length(random, field, longest);
		bytes->ptr = filler + sample_number(random, 0, 255);
	} else {
		fail_msg("kind %s is not known here", field->kind);
	}
}

/* The field of the header, whole: id and epoch. */
static void take_socket(struct lfp_frame *frame, uint64_t number)
{
	frame->epoch = (uint16_t)((number & LFP_ID_EPOCH) >> LFP_EPOCH_SHIFT);
	frame->sock = number & ~LFP_ID_EPOCH;
	if (!frame->sock)
		frame->sock = 1;
}

void sample_fill(const struct lfp_message *message, struct sample_random *random, uint32_t longest,
		 struct lfp_frame *frame)
{
	bool has_status = message->code & 0x80 || message->code == LFP_CONNECTED ||
			  message->code == LFP_RESET;

	for (size_t i = 0; i < sizeof(filler); i++)
		filler[i] = (uint8_t)(i * 7 + i / 256);
	memset(frame, 0, sizeof(*frame));
	frame->code = message->code;
	if (message->code == LFP_DATA)
		frame->flags = (uint8_t)sample_number(random, 0, LFP_FRAME_MORE | LFP_FRAME_URGENT);
	if (has_status)
		frame->status = (uint16_t)sample_number(random, 0, LFP_STATUS_MAX);
	if (message->needs & LFP_NEEDS_SOCKET)
		take_socket(frame, sample_number(random, 1, UINT64_MAX));
	if (message->needs & LFP_NEEDS_REQUEST)
		frame->request = (uint32_t)sample_number(random, 1, UINT32_MAX);
	frame->task = (uint32_t)sample_number(random, message->needs & LFP_NEEDS_TASK ? 1 : 0,
					      UINT32_MAX);
	for (size_t i = 0; i < message->nr_fields; i++) {
		const struct lfp_message_field *field = &message->fields[i];

		fill_field(random, field, longest, sample_field(frame, field));
	}
}

size_t sample_field_size(struct lfp_frame *frame, const struct lfp_message_field *field)
{
	void *at = sample_field(frame, field);

	if (is_kind(field, "u8"))
		return 1;
	if (is_kind(field, "u16"))
		return 2;
	if (is_kind(field, "u32") || is_kind(field, "i32"))
		return 4;
	if (is_kind(field, "u64") || is_kind(field, "name8"))
		return 8;
	if (is_kind(field, "addr"))
		return LFP_ADDR_SIZE;
	if (is_kind(field, "text"))
		return 2u + ((struct lfp_text *)at)->len;
	return ((struct lfp_bytes *)at)->len;
}

static void compare_addr(const struct lfp_addr *a, const struct lfp_addr *b)
{
	assert_int_equal(a->family, b->family);
	assert_int_equal(a->port, b->port);
	assert_int_equal(a->flowinfo, b->flowinfo);
	assert_memory_equal(a->ip, b->ip, sizeof(a->ip));
	assert_int_equal(a->scope, b->scope);
}

static void compare_field(const struct lfp_message_field *field, const void *a, const void *b)
{
	if (is_kind(field, "u8")) {
		assert_int_equal(*(const uint8_t *)a, *(const uint8_t *)b);
	} else if (is_kind(field, "u16")) {
		assert_int_equal(*(const uint16_t *)a, *(const uint16_t *)b);
	} else if (is_kind(field, "u32")) {
		assert_int_equal(*(const uint32_t *)a, *(const uint32_t *)b);
	} else if (is_kind(field, "u64")) {
		assert_true(*(const uint64_t *)a == *(const uint64_t *)b);
	} else if (is_kind(field, "i32")) {
		assert_int_equal(*(const int32_t *)a, *(const int32_t *)b);
	} else if (is_kind(field, "name8")) {
		assert_string_equal(a, b);
	} else if (is_kind(field, "addr")) {
		compare_addr(a, b);
	} else if (is_kind(field, "text")) {
		const struct lfp_text *ta = a, *tb = b;

		assert_int_equal(ta->len, tb->len);
		assert_memory_equal(ta->ptr, tb->ptr, ta->len);
	} else {
		const struct lfp_bytes *ba = a, *bb = b;

		assert_int_equal(ba->len, bb->len);
		assert_memory_equal(ba->ptr, bb->ptr, ba->len);
	}
}

void sample_compare(const struct lfp_message *message, struct lfp_frame *a, struct lfp_frame *b)
{
	assert_int_equal(a->code, b->code);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->status, b->status);
	assert_int_equal(a->request, b->request);
	assert_int_equal(a->task, b->task);
	assert_true(a->sock == b->sock);
	assert_int_equal(a->epoch, b->epoch);
	for (size_t i = 0; i < message->nr_fields; i++) {
		const struct lfp_message_field *field = &message->fields[i];

		compare_field(field, sample_field(a, field), sample_field(b, field));
	}
}

enum lfp_side sample_side(const struct lfp_message *message)
{
	return message->from & LFP_FROM_VSE ? LFP_FROM_VSE : LFP_FROM_LFPD;
}

int sample_decode(const uint8_t *buf, size_t len, enum lfp_side side, const char **why)
{
	struct lfp_frame frame;
	uint8_t *copy = malloc(len ? len : 1);
	int rc;

	assert_non_null(copy);
	memcpy(copy, buf, len);
	rc = lfp_frame_decode(copy, len, side, &frame, why);
	free(copy);
	return rc;
}

void sample_refused(const uint8_t *buf, size_t len, enum lfp_side side, const char *reason)
{
	const char *why = NULL;

	assert_int_equal(sample_decode(buf, len, side, &why), -EPROTO);
	assert_string_equal(why, reason);
}

void sample_put_number(uint8_t *at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> (8 * (size - 1 - i)));
}
