/* SPDX-License-Identifier: Apache-2.0 */
/* test-field-bounds.c - every field of every message at its bounds and just beyond them */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lfp/frame.h"
#include "tests/lfp/message-samples.h"

static uint8_t wire[SAMPLE_ROOM], again[SAMPLE_ROOM];

/* One field of an encoded frame. */
struct spot {
	const struct lfp_message *message;
	const struct lfp_message_field *field;
	enum lfp_side side;
	struct lfp_frame frame; /* which is encoded in wire[] */
	void *member;           /* the field in it */
	size_t len;             /* of the frame */
	size_t at, size;        /* of the field in wire[] */
};

static void find_spot(struct spot *spot, const struct lfp_message *message, size_t index,
		      uint32_t longest)
{
	struct sample_random random = {.state = 6 + index};
	int len;

	sample_fill(message, &random, longest, &spot->frame);
	len = lfp_frame_encode(&spot->frame, wire, sizeof(wire));
	assert_true(len > 0);
	spot->message = message;
	spot->field = &message->fields[index];
	spot->side = sample_side(message);
	spot->member = sample_field(&spot->frame, spot->field);
	spot->len = (size_t)len;
	spot->at = LFP_FRAME_HEADER;
	for (size_t i = 0; i < index; i++)
		spot->at += sample_field_size(&spot->frame, &message->fields[i]);
	spot->size = sample_field_size(&spot->frame, spot->field);
}

static void assert_not_encoded(const struct spot *spot)
{
	assert_int_equal(lfp_frame_encode(&spot->frame, again, sizeof(again)), -EINVAL);
}

static void set_member(const struct spot *spot, uint64_t value)
{
	if (spot->size == 1)
		*(uint8_t *)spot->member = (uint8_t)value;
	else if (spot->size == 2)
		*(uint16_t *)spot->member = (uint16_t)value;
	else if (spot->size == 4)
		*(uint32_t *)spot->member = (uint32_t)value;
	else
		*(uint64_t *)spot->member = value;
}

static void check_number(const struct spot *spot, int64_t least, uint64_t most)
{
	const struct lfp_message_field *field = spot->field;
	const struct {
		uint64_t good, bad;
		bool bad_exists;
	} ends[] = {
		{(uint64_t)field->min, (uint64_t)field->min - 1, field->min > least},
		{field->max, field->max + 1, field->max < most},
	};

	for (int i = 0; i < 2; i++) {
		const char *why;

		memcpy(again, wire, spot->len);
		sample_put_number(again + spot->at, spot->size, ends[i].good);
		assert_int_equal(sample_decode(again, spot->len, spot->side, &why), spot->len);
		if (!ends[i].bad_exists)
			continue;
		sample_put_number(again + spot->at, spot->size, ends[i].bad);
		sample_refused(again, spot->len, spot->side, field->bad);
		set_member(spot, ends[i].bad);
		assert_not_encoded(spot);
	}
}

static void check_name(const struct spot *spot)
{
	static const char *const bad[] = {"A B     ", " AB     ", "AB\0     ", "AB\x7f     ",
					  "\xc1\xc2      "};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(again, wire, spot->len);
		memcpy(again + spot->at, bad[i], 8);
		sample_refused(again, spot->len, spot->side, spot->field->bad);
	}
	memset(spot->member, 'A', 9);
	assert_not_encoded(spot);
	memcpy(spot->member, "A B", 4);
	assert_not_encoded(spot);
}

static void check_addr(const struct spot *spot)
{
	static const struct lfp_addr bad[] = {
		{.family = 1},
		{.family = 10},
		{.family = LFP_AF_UNSPEC, .port = 1},
		{.family = LFP_AF_UNSPEC, .flowinfo = 1},
		{.family = LFP_AF_UNSPEC, .ip = {[3] = 1}},
		{.family = LFP_AF_UNSPEC, .scope = 1},
		{.family = LFP_AF_INET, .ip = {[4] = 1}},
		{.family = LFP_AF_INET, .ip = {[15] = 1}},
		{.family = LFP_AF_INET, .flowinfo = 1},
		{.family = LFP_AF_INET, .scope = 1},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(again, wire, spot->len);
		lfp_addr_put(&bad[i], again + spot->at);
		sample_refused(again, spot->len, spot->side, spot->field->bad);
		memcpy(spot->member, &bad[i], sizeof(bad[i]));
		assert_not_encoded(spot);
	}
}

/* Texts and bytes of the least and the most, with room for more. */
static void check_length(struct spot *spot, bool is_text)
{
	const struct lfp_message_field *field = spot->field;
	uint64_t least = (uint64_t)field->min;
	uint64_t lengths[] = {least, field->max, field->max + 1, least - 1};

	for (size_t i = 0; i < (least ? 4u : 3u); i++) {
		bool good = i < 2;
		const char *why;
		int len;

		if (is_text)
			((struct lfp_text *)spot->member)->len = (uint16_t)lengths[i];
		else
			((struct lfp_bytes *)spot->member)->len = (uint32_t)lengths[i];
		len = lfp_frame_encode(&spot->frame, again, sizeof(again));
		if (good) {
			assert_true(len > 0);
			assert_int_equal(sample_decode(again, (size_t)len, spot->side, &why), len);
			continue;
		}
		assert_int_equal(len, -EINVAL);

		/* Values that the encoder refuses, written by hand; later fields do not matter. */
		spot->size = (is_text ? 2 : 0) + lengths[i];
		memcpy(again, wire, spot->at);
		memset(again + spot->at, 0, spot->size);
		if (is_text)
			sample_put_number(again + spot->at, 2, lengths[i]);
		sample_put_number(again, 4, spot->at + spot->size);
		sample_refused(again, spot->at + spot->size, spot->side, field->bad);
	}
}

static void check_field(const struct lfp_message *message, size_t index)
{
	const char *kind = message->fields[index].kind;
	struct spot spot;

	find_spot(&spot, message, index, 30);
	if (strcmp(kind, "name8") == 0)
		check_name(&spot);
	else if (strcmp(kind, "addr") == 0)
		check_addr(&spot);
	else if (strcmp(kind, "text") == 0)
		check_length(&spot, true);
	else if (strcmp(kind, "bytes") == 0)
		check_length(&spot, false);
	else if (strcmp(kind, "i32") == 0)
		check_number(&spot, INT32_MIN, INT32_MAX);
	else
		check_number(&spot, 0, UINT64_MAX >> (64 - 8 * spot.size));
}

static void test_bounds(void **state)
{
	const struct lfp_message *message;

	(void)state;
	for (size_t nr = 0; (message = lfp_message_at(nr)); nr++)
		for (size_t i = 0; i < message->nr_fields; i++)
			check_field(message, i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
