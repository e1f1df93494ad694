/* SPDX-License-Identifier: Apache-2.0 */
/* test-storage.c - main storage: its bounds in each addressing mode, and its keys */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lfp/bigend.h"
#include "devemu/bytes/storage.h"

static void sizes(void **state)
{
	struct storage *storage;

	(void)state;
	assert_null(storage_create(0));
	assert_int_equal(errno, EINVAL);
	assert_null(storage_create(4095));
	assert_null(storage_create(UINT64_MAX & ~UINT64_C(4095)));
	storage = storage_create(4096);
	assert_non_null(storage);
	assert_int_equal(storage->bytes[4095], 0);
	storage_destroy(storage);
	storage_destroy(NULL);
}

static void bounds(void **state)
{
	static const struct {
		uint64_t addr, len, highest;
		bool inside;
	} rows[] = {
		{0, 0x2000000, STORAGE_64, true},   {0, 0x2000001, STORAGE_64, false},
		{0x1ffffff, 1, STORAGE_64, true},   {0x2000000, 1, STORAGE_64, false},
		{0x2000000, 0, STORAGE_64, true},   {UINT64_MAX, 2, STORAGE_64, false},
		{1, UINT64_MAX, STORAGE_64, false}, {0xffffff, 1, STORAGE_24, true},
		{0xffffff, 2, STORAGE_24, false},   {0x1000000, 1, STORAGE_24, false},
		{0x1000000, 1, STORAGE_31, true},   {0x80000000, 0, STORAGE_31, false},
	};
	struct storage *storage = storage_create(0x2000000);
	uint8_t byte = 1;

	(void)state;
	assert_non_null(storage);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
			storage_inside(storage, rows[i].addr, rows[i].len, rows[i].highest),
			rows[i].inside);
	assert_int_equal(storage_store(storage, 0x2000000, &byte, 1, 0), -EFAULT);
	assert_int_equal(storage_fetch(storage, UINT64_MAX, &byte, 1, 0), -EFAULT);
	assert_int_equal(storage_store(storage, 0x1ffffff, &byte, 1, 0), 0);
	byte = 0;
	assert_int_equal(storage_fetch(storage, 0x1ffffff, &byte, 1, 0), 0);
	assert_int_equal(byte, 1);
	storage_destroy(storage);
}

/* Principles of Operation, "Key-Controlled Protection": key 0 may access everything; other keys may
 * access blocks with their key, and fetch unprotected ones. */
static void keys(void **state)
{
	static const struct {
		uint8_t page, access;
		int store, fetch;
	} rows[] = {
		{0x00, 0x00, 0, 0},
		{0x30, 0x00, 0, 0},
		{0x38, 0x00, 0, 0},
		{0x30, 0x30, 0, 0},
		{0x38, 0x30, 0, 0},
		{0x30, 0x40, -EACCES, 0},
		{0x38, 0x40, -EACCES, -EACCES},
		{0x00, 0x10, -EACCES, 0},
	};
	struct storage *storage = storage_create(0x4000);
	uint8_t buf[16] = {0}, key;

	(void)state;
	assert_non_null(storage);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(storage_key_set(storage, 0x1000, rows[i].page), 0);
		assert_int_equal(storage_store(storage, 0x1ff0, buf, 16, rows[i].access),
				 rows[i].store);
		assert_int_equal(storage_fetch(storage, 0x1ff0, buf, 16, rows[i].access),
				 rows[i].fetch);
	}
	/* One page of several is enough to refuse. Reference and change are noted. */
	storage_key_set(storage, 0x1000, 0x30);
	storage_key_set(storage, 0x2000, 0x50);
	assert_int_equal(storage_store(storage, 0x1ff8, buf, 16, 0x30), -EACCES);
	assert_int_equal(storage_store(storage, 0x1000, buf, 16, 0x30), 0);
	assert_int_equal(storage_key_get(storage, 0x1fff, &key), 0);
	assert_int_equal(key, 0x30 | STORAGE_KEY_REF | STORAGE_KEY_CHANGE);
	assert_int_equal(storage_key_set(storage, 0x4000, 0), -EFAULT);
	assert_int_equal(storage_key_get(storage, 0x4000, &key), -EFAULT);
	storage_destroy(storage);
}

static void numbers(void **state)
{
	static const uint8_t bytes[9] = {0xff, 1, 2, 3, 4, 5, 6, 7, 8};
	uint8_t back[9] = {0xff};

	(void)state;
	assert_int_equal(be16_get(bytes + 1), 0x0102);
	assert_int_equal(be32_get(bytes + 1), 0x01020304);
	assert_true(be64_get(bytes + 1) == UINT64_C(0x0102030405060708));
	be64_put(back + 1, UINT64_C(0x0102030405060708));
	assert_memory_equal(back, bytes, 9);
	be32_put(back + 5, 0x05060708);
	be16_put(back + 1, 0x0102);
	assert_memory_equal(back, bytes, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(bounds),
		cmocka_unit_test(keys),
		cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
