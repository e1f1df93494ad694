/* SPDX-License-Identifier: Apache-2.0 */
/* test-datagram.c - ancillary data of a datagram, names made of it, and parts of large datagrams */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lfp/datagram.h"

static const struct lfp_meta full = {
	.addr = {.family = LFP_AF_INET6,
		 .port = 53,
		 .flowinfo = 9,
		 .ip = {0xfe, 0x80, [15] = 1},
		 .scope = 3},
	.has = 0x1fff,
	.ttl = 64,
	.tos = 0xb8,
	.ifindex = 7,
	.local = {.family = LFP_AF_INET, .port = 99, .ip = {10, 1, 2, 3}},
	.spec = 0x0a010203,
	.drops = 12345678,
	.segment = 1400,
};

static void test_meta(void **state)
{
	uint8_t buf[LFP_META_SIZE];
	struct lfp_datagram datagram = {.position = 0};
	struct lfp_meta back;

	(void)state;
	memset(&back, 0xee, sizeof(back));
	lfp_meta_put(&full, buf);
	assert_int_equal(lfp_meta_get(buf, &back), 0);
	/* Also the bytes between the fields: sources are found by them. */
	assert_memory_equal(&back, &full, sizeof(full));
	lfp_meta_to(&full, &datagram);
	memset(&back, 0xee, sizeof(back));
	lfp_meta_from(&back, &datagram);
	assert_memory_equal(&back, &full, sizeof(full));
}

/* The bytes are those of DATAGRAM, between the offset and the payload. */
static void test_meta_is_datagram(void **state)
{
	struct lfp_frame frame = {.code = LFP_DATAGRAM, .sock = 1};
	uint8_t wire[256], buf[LFP_META_SIZE];
	size_t before = LFP_FRAME_HEADER + 8 + 4 + 4;

	(void)state;
	lfp_meta_to(&full, &frame.datagram);
	assert_int_equal(lfp_frame_encode(&frame, wire, sizeof(wire)), before + LFP_META_SIZE);
	lfp_meta_put(&full, buf);
	assert_memory_equal(wire + before, buf, sizeof(buf));
}

static void test_bad_meta(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
	} bad[] = {
		{1, 5},                      /* an unknown family */
		{LFP_ADDR_SIZE, 0x20},       /* an unknown bit of has */
		{LFP_ADDR_SIZE + 8 + 1, 77}, /* the local address's family */
	};
	uint8_t buf[LFP_META_SIZE];
	struct lfp_meta meta;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		lfp_meta_put(&full, buf);
		assert_int_equal(lfp_meta_get(buf, &meta), 0);
		buf[bad[i].at] = bad[i].value;
		assert_int_equal(lfp_meta_get(buf, &meta), -EPROTO);
	}
}

static void test_source_name(void **state)
{
	struct sockaddr_un addr, other;
	socklen_t len = lfp_source_name(&full, 1, &addr);
	struct lfp_meta meta;

	(void)state;
	assert_int_equal(addr.sun_path[0], 0);
	assert_int_equal(lfp_source_parse(&addr, len, &meta), 0);
	assert_memory_equal(&meta, &full, sizeof(full));
	assert_int_equal(lfp_source_name(&full, 2, &other), len);
	assert_memory_not_equal(&addr, &other, sizeof(addr));

	assert_int_equal(lfp_source_parse(&addr, len - 1, &meta), -EPROTO);
	assert_int_equal(lfp_source_parse(&addr, len + 1, &meta), -EPROTO);
	assert_int_equal(lfp_source_parse(&addr, 0, &meta), -EPROTO);
	other = addr;
	other.sun_path[3] ^= 1;
	assert_int_equal(lfp_source_parse(&other, len, &meta), -EPROTO);
	other = addr;
	other.sun_family = AF_INET;
	assert_int_equal(lfp_source_parse(&other, len, &meta), -EPROTO);
}

static socklen_t make_near(const char *path, struct sockaddr_un *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	snprintf(addr->sun_path, sizeof(addr->sun_path), "%s", path);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1);
}

static void test_near_name(void **state)
{
	static const char *const v4 = "vselfp/01/00112233445566aa/0000000000000001";
	struct sockaddr_un near, head;
	socklen_t len = make_near(v4, &near);

	(void)state;
	assert_true(lfp_near_path(&near, len));
	assert_false(lfp_near_is_v6(&near));
	assert_false(lfp_near_path(&near, len - 1));
	assert_int_equal(lfp_head_name(&near, &head), len);
	assert_memory_equal(head.sun_path, "\0vselfh/01/00112233445566aa/0000000000000001", 44);
	assert_false(lfp_near_is_datagram(&near));
	/* Not an abstract name, which has NUL before it. */
	memmove(near.sun_path + 1, near.sun_path, 43);
	near.sun_path[0] = '\0';
	assert_false(lfp_near_path(&near, len));

	len = make_near("vselfp/01/00112233445566aa/c000000000000001", &near);
	assert_true(lfp_near_path(&near, len));
	assert_true(lfp_near_is_datagram(&near));
	assert_true(lfp_near_is_v6(&near));
	len = make_near("vselfp/01/00112233445566aa/b000000000000001", &near);
	assert_true(lfp_near_is_datagram(&near));
	assert_false(lfp_near_is_v6(&near));
	len = make_near("vselfX/01/00112233445566aa/4000000000000001", &near);
	assert_false(lfp_near_path(&near, len));
	len = make_near("/run/some/where/else", &near);
	assert_false(lfp_near_path(&near, len));
}

static struct lfp_assembly assembly;
static struct lfp_recv_window window;
static const char *why;

static int set_up(void **state)
{
	(void)state;
	assembly = (struct lfp_assembly){.total = 0};
	window = (struct lfp_recv_window){.window = 4096, .threshold = 1024};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	lfp_assembly_reset(&assembly);
	return 0;
}

static int take(uint64_t position, uint32_t total, uint32_t offset, const char *text, uint32_t len)
{
	const struct lfp_datagram part = {
		.position = position,
		.total = total,
		.offset = offset,
		.ttl = 3,
		.payload = {(const uint8_t *)text, len},
	};

	return lfp_assembly_take(&assembly, &window, &part, &why);
}

static void test_whole(void **state)
{
	(void)state;
	assert_int_equal(take(0, 3, 0, "abc", 3), 1);
	assert_int_equal(assembly.total, 3);
	assert_int_equal(assembly.meta.ttl, 3);
	assert_memory_equal(assembly.data, "abc", 3);
	assert_int_equal(window.received, 3 + LFP_DATAGRAM_COST);
	lfp_assembly_reset(&assembly);
	assert_int_equal(take(3 + LFP_DATAGRAM_COST, 0, 0, "", 0), 1);
	assert_int_equal(assembly.total, 0);
	assert_int_equal(window.received, 3 + 2 * LFP_DATAGRAM_COST);
}

static void test_parts(void **state)
{
	(void)state;
	assert_int_equal(take(0, 6, 0, "ab", 2), 0);
	assert_int_equal(take(0, 6, 2, "cde", 3), 0);
	assert_int_equal(take(0, 6, 5, "f", 1), 1);
	assert_memory_equal(assembly.data, "abcdef", 6);
	/* Counted once. */
	assert_int_equal(window.received, 6 + LFP_DATAGRAM_COST);
}

static void test_wrong_parts(void **state)
{
	static const struct {
		uint64_t position;
		uint32_t total, offset, len;
	} wrong[] = {
		{1, 6, 2, 2}, /* of another datagram */
		{0, 7, 2, 2}, /* of another length */
		{0, 6, 3, 2}, /* one was left out */
		{0, 6, 0, 2}, /* the first once more */
		{0, 6, 2, 5}, /* longer than the rest */
		{0, 6, 2, 0}, /* nothing */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		set_up(NULL);
		assert_int_equal(take(0, 6, 0, "ab", 2), 0);
		assert_int_equal(take(wrong[i].position, wrong[i].total, wrong[i].offset, "xxxxxx",
				      wrong[i].len),
				 -EPROTO);
		assert_string_equal(why,
				    "part of a datagram that does not follow the previous part");
		lfp_assembly_reset(&assembly);
	}
	set_up(NULL);
	assert_int_equal(take(0, 6, 2, "ab", 2), -EPROTO);
	assert_string_equal(why, "datagram that does not start at offset 0");
	assert_int_equal(take(0, 6, 0, "", 0), -EPROTO);
}

/* A datagram may begin while less than the window is open, however long it is. */
static void test_window(void **state)
{
	static char large[LFP_DATAGRAM_MAX];

	(void)state;
	assert_int_equal(take(0, 3839, 0, large, 3839), 1);
	lfp_assembly_reset(&assembly);
	assert_int_equal(take(4095, LFP_DATAGRAM_MAX, 0, large, LFP_DATAGRAM_MAX), 1);
	lfp_assembly_reset(&assembly);
	assert_int_equal(take(window.received, 1, 0, "x", 1), -EPROTO);
	assert_string_equal(why, "datagram at the wrong position or beyond the window");
	/* Consumed bytes make room once they are reported. */
	window.consumed = 4095;
	assert_int_equal(take(window.received, 1, 0, "x", 1), -EPROTO);
	window.reported = window.received - 4095;
	assert_int_equal(take(window.received, 1, 0, "x", 1), 1);
	lfp_assembly_reset(&assembly);
	window.reported = window.received;
	assert_int_equal(take(window.received + 1, 1, 0, "x", 1), -EPROTO);
	assert_int_equal(take(window.received - 1, 1, 0, "x", 1), -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_meta),
		cmocka_unit_test(test_meta_is_datagram),
		cmocka_unit_test(test_bad_meta),
		cmocka_unit_test(test_source_name),
		cmocka_unit_test(test_near_name),
		cmocka_unit_test_setup_teardown(test_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_parts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_wrong_parts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_window, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
