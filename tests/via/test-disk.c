/* SPDX-License-Identifier: Apache-2.0 */
/* test-disk.c - which half of a configuration disk counts, also when writing was cut off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "via/disk.h"

#define SIZE VIA_DISK_MIN

static uint8_t disk[SIZE];

static void put(int half, uint64_t generation, const char *text)
{
	uint8_t *at = disk + (half ? via_disk_half(SIZE) : 0);

	memcpy(at + VIA_DISK_HEAD, text, strlen(text));
	via_disk_head(at, generation, at + VIA_DISK_HEAD, strlen(text));
}

static void check(int chosen, const char *text)
{
	struct via_disk found;

	via_disk_read(disk, SIZE, &found);
	assert_int_equal(found.chosen, chosen);
	if (chosen < 0)
		return;
	assert_int_equal(found.places[chosen].size, strlen(text));
	assert_memory_equal(found.places[chosen].archive, text, strlen(text));
}

static void the_newer_whole_half_counts(void **state)
{
	(void)state;
	memset(disk, 0, sizeof(disk));
	check(-1, "");
	put(0, 1, "one");
	check(0, "one");
	put(1, 2, "second");
	check(1, "second");
	put(0, 3, "3");
	check(0, "3");
	/* A digit more is not a letter more. */
	put(1, 10, "ten");
	check(1, "ten");
}

static void crc_is_the_usual_one(void **state)
{
	(void)state;
	assert_int_equal(via_crc32("123456789", 9), 0xcbf43926u);
	assert_int_equal(via_crc32("", 0), 0);
}

/* As if the power went after each byte, in the order in which lfp-via writes: no head, archive,
 * head. */
static void a_cut_at_any_byte_leaves_a_whole_one(void **state)
{
	static const char text[] = "the new configuration";
	uint8_t *half = disk + via_disk_half(SIZE), head[VIA_DISK_HEAD];

	(void)state;
	memset(disk, 0, sizeof(disk));
	put(0, 7, "good");
	put(1, 6, "older, and longer than the new one will be");
	check(0, "good");
	for (size_t i = 0; i < VIA_DISK_HEAD; i++) {
		half[i] = 0;
		check(0, "good");
	}
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		half[VIA_DISK_HEAD + i] = (uint8_t)text[i];
		check(0, "good");
	}
	via_disk_head(head, 8, (const uint8_t *)text, sizeof(text) - 1);
	for (size_t i = 0; i < 28; i++) {
		check(0, "good");
		half[i] = head[i];
	}
	check(1, text);
}

static void damage_is_noticed(void **state)
{
	struct via_disk found;

	(void)state;
	memset(disk, 0, sizeof(disk));
	put(0, 1, "old");
	put(1, 2, "new one");
	for (size_t i = 0; i < VIA_DISK_HEAD + 7; i++) {
		uint8_t *at = disk + via_disk_half(SIZE) + i;

		if (i >= 28 && i < VIA_DISK_HEAD)
			continue;
		*at ^= 0x20;
		check(0, "old");
		via_disk_read(disk, SIZE, &found);
		assert_int_equal(found.places[1].half, i < 8 ? VIA_HALF_EMPTY : VIA_HALF_DAMAGED);
		*at ^= 0x20;
	}
	check(1, "new one");
}

static void sizes(void **state)
{
	static uint8_t longer[SIZE];
	struct via_disk found;

	(void)state;
	assert_int_equal(via_disk_half(1024 * 1024), 512 * 1024);
	assert_int_equal(via_disk_half(1025), 512);
	assert_int_equal(via_disk_half(UINT64_MAX), VIA_DISK_MAX / 2);
	/* As much of a length as the half does not have */
	memset(disk, 0, sizeof(disk));
	via_disk_head(disk, 1, longer, sizeof(longer));
	via_disk_read(disk, SIZE, &found);
	assert_int_equal(found.chosen, -1);
	for (size_t len = 0; len < 2048; len++)
		via_disk_read(disk, len, &found);
	assert_int_equal(found.chosen, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newer_whole_half_counts),
		cmocka_unit_test(crc_is_the_usual_one),
		cmocka_unit_test(a_cut_at_any_byte_leaves_a_whole_one),
		cmocka_unit_test(damage_is_noticed),
		cmocka_unit_test(sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
