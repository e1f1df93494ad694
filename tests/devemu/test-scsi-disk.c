/* SPDX-License-Identifier: Apache-2.0 */
/* test-scsi-disk.c - a SCSI disk: data, Inquiry, and refused commands (SPC-4, SBC-4)
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lfp/bigend.h"
#include "devemu/device/scsi-disk.h"

#define BLOCKS 1000u

static struct scsi_disk *disk;
static struct scsi_result result;
static char path[80];
static uint8_t data[BLOCKS * SCSI_BLOCK];

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(path, sizeof(path), "%.40s/scsi-%d", tmp ? tmp : "/tmp", (int)getpid());
	unlink(path);
	return scsi_disk_open(&disk, path, BLOCKS, false, "ZD0001");
}

static int teardown(void **state)
{
	(void)state;
	scsi_disk_close(disk);
	return unlink(path);
}

static void run(const uint8_t *cdb, bool write, size_t len)
{
	scsi_command(disk, 0, cdb, 16, write, data, len, &result);
}

static void refused(uint8_t key, uint16_t asc)
{
	assert_int_equal(result.status, SCSI_CHECK_CONDITION);
	assert_int_equal(result.sense[0], 0x70);
	assert_int_equal(result.sense[2], key);
	assert_int_equal(be16_get(result.sense + 12), asc);
	assert_int_equal(result.moved, 0);
}

static void transfer(uint8_t operation, uint64_t block, uint32_t count, size_t len)
{
	uint8_t cdb[16] = {operation};

	if (operation < 0x20) {
		be32_put(cdb, (uint32_t)operation << 24 | (uint32_t)block);
		cdb[4] = (uint8_t)count;
	} else if (operation < 0x80) {
		be32_put(cdb + 2, (uint32_t)block);
		be16_put(cdb + 7, (uint16_t)count);
	} else {
		be64_put(cdb + 2, block);
		be32_put(cdb + 10, count);
	}
	run(cdb, (operation & 0x0f) == 0x0a, len);
}

/* Written with one kind of CDB, read with each. */
static void bytes(void **state)
{
	static const uint8_t writes[] = {0x0a, 0x2a, 0x8a}, reads[] = {0x08, 0x28, 0x88};
	uint32_t x = 1;

	(void)state;
	for (int w = 0; w < 3; w++) {
		for (int n = 0; n < 50; n++) {
			uint32_t block, count;
			uint8_t want[255 * SCSI_BLOCK];

			x = x * 1664525 + 1013904223;
			count = 1 + (x >> 16) % 255;
			block = (x >> 8) % (BLOCKS - count + 1);
			for (uint32_t i = 0; i < count * SCSI_BLOCK; i++)
				want[i] = data[i] = (uint8_t)(x + i * 7 + i / 512);
			transfer(writes[w], block, count, count * SCSI_BLOCK);
			assert_int_equal(result.status, SCSI_GOOD);
			assert_int_equal(result.moved, count * SCSI_BLOCK);
			for (int r = 0; r < 3; r++) {
				memset(data, 0, count * SCSI_BLOCK);
				transfer(reads[r], block, count, count * SCSI_BLOCK);
				assert_int_equal(result.status, SCSI_GOOD);
				assert_int_equal(result.residual, 0);
				assert_memory_equal(data, want, count * SCSI_BLOCK);
			}
		}
	}
	/* 0 blocks are 256 in the short one, and none in the others. */
	transfer(0x08, 0, 0, sizeof(data));
	assert_int_equal(result.moved, 256 * SCSI_BLOCK);
	transfer(0x28, BLOCKS, 0, sizeof(data));
	assert_int_equal(result.status, SCSI_GOOD);
	assert_int_equal(result.moved, 0);
}

static void limits(void **state)
{
	(void)state;
	transfer(0x28, BLOCKS - 1, 1, SCSI_BLOCK);
	assert_int_equal(result.status, SCSI_GOOD);
	transfer(0x28, BLOCKS, 1, SCSI_BLOCK);
	refused(SCSI_ILLEGAL_REQUEST, 0x2100);
	transfer(0x8a, UINT64_MAX, 1, SCSI_BLOCK);
	refused(SCSI_ILLEGAL_REQUEST, 0x2100);
	transfer(0x88, 1, UINT32_MAX, SCSI_BLOCK);
	refused(SCSI_ILLEGAL_REQUEST, 0x2100);
	/* More, and less, than was offered */
	transfer(0x28, 0, 2, 3 * SCSI_BLOCK);
	assert_int_equal(result.residual, SCSI_BLOCK);
	transfer(0x28, 0, 2, SCSI_BLOCK + 100);
	assert_int_equal(result.moved, SCSI_BLOCK + 100);
	assert_int_equal(result.residual, -(int64_t)(SCSI_BLOCK - 100));
	transfer(0x2a, 0, 2, SCSI_BLOCK + 100);
	assert_int_equal(result.moved, SCSI_BLOCK);
	/* The wrong direction; protection that is not there */
	uint8_t cdb[16] = {0x2a, 0, 0, 0, 0, 0, 0, 0, 1};

	run(cdb, false, SCSI_BLOCK);
	refused(SCSI_ILLEGAL_REQUEST, 0x2400);
	cdb[1] = 0x20;
	run(cdb, true, SCSI_BLOCK);
	refused(SCSI_ILLEGAL_REQUEST, 0x2400);
}

static void identity(void **state)
{
	static const uint8_t standard[36] = "\0\0\6\2\37\0\0\2VSELFPD ZDEV DISK       000";
	static const uint8_t pages[7] = {0, 0, 0, 3, 0, 0x80, 0x83};
	static const uint8_t serial[10] = "\0\x80\0\6ZD0001";
	static const uint8_t designator[22] = "\0\x83\0\22\2\1\0\16VSELFPD ZD0001";
	uint8_t cdb[16] = {0x12, 0, 0, 0, 255};

	(void)state;
	run(cdb, false, 255);
	assert_int_equal(result.moved, 36);
	assert_memory_equal(data, standard, 35);
	assert_int_equal(data[35], '1');
	cdb[1] = 1;
	run(cdb, false, 255);
	assert_int_equal(result.moved, 7);
	assert_memory_equal(data, pages, 7);
	cdb[2] = 0x80;
	run(cdb, false, 255);
	assert_int_equal(result.moved, 10);
	assert_memory_equal(data, serial, 10);
	cdb[2] = 0x83;
	run(cdb, false, 255);
	assert_int_equal(result.moved, 22);
	assert_memory_equal(data, designator, 22);
	cdb[2] = 0x84;
	run(cdb, false, 255);
	refused(SCSI_ILLEGAL_REQUEST, 0x2400);
	/* The allocation length cuts. */
	run((const uint8_t[16]){0x12, 0, 0, 0, 5}, false, 255);
	assert_int_equal(result.moved, 5);
	/* A unit that is not there: Inquiry says so, all else is refused. */
	scsi_command(disk, 1, (const uint8_t[16]){0x12, 0, 0, 0, 36}, 16, false, data, 36, &result);
	assert_int_equal(data[0], 0x7f);
	scsi_command(disk, 1, (const uint8_t[16]){0x00}, 16, false, data, 0, &result);
	refused(SCSI_ILLEGAL_REQUEST, 0x2500);
}

static void capacity(void **state)
{
	(void)state;
	run((const uint8_t[16]){0x25}, false, 8);
	assert_memory_equal(data, "\0\0\3\xe7\0\0\2\0", 8);
	run((const uint8_t[16]){0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32}, false, 32);
	assert_int_equal(result.moved, 32);
	assert_memory_equal(data, "\0\0\0\0\0\0\3\xe7\0\0\2\0", 12);
	run((const uint8_t[16]){0x9e, 0x11}, false, 32);
	refused(SCSI_ILLEGAL_REQUEST, 0x2400);
	run((const uint8_t[16]){0xa0, 0, 0, 0, 0, 0, 0, 0, 0, 16}, false, 16);
	assert_memory_equal(data, "\0\0\0\10\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	run((const uint8_t[16]){0x1a, 0, 0x3f, 0, 255}, false, 255);
	assert_int_equal(result.moved, 32);
	assert_memory_equal(data, "\37\0\0\10\0\0\3\xe8\0\0\2\0\10\22\4", 15);
	run((const uint8_t[16]){0x5a, 8, 8, 0, 0, 0, 0, 0, 255}, false, 255);
	assert_int_equal(result.moved, 28);
	assert_int_equal(be16_get(data), 26);
	run((const uint8_t[16]){0x1a, 0, 0x01, 0, 255}, false, 255);
	refused(SCSI_ILLEGAL_REQUEST, 0x2400);
}

/* Sense data come with the command, and once more by Request Sense. */
static void sense(void **state)
{
	(void)state;
	run((const uint8_t[16]){0x00}, false, 0);
	assert_int_equal(result.status, SCSI_GOOD);
	for (unsigned int op = 0; op < 256; op++) {
		static const uint8_t known[] = {0x00, 0x03, 0x08, 0x0a, 0x12, 0x1a, 0x25, 0x28,
						0x2a, 0x35, 0x5a, 0x88, 0x8a, 0x9e, 0xa0};
		uint8_t cdb[16] = {(uint8_t)op};

		if (memchr(known, (int)op, sizeof(known)))
			continue;
		run(cdb, false, sizeof(data));
		refused(SCSI_ILLEGAL_REQUEST, 0x2000);
	}
	run((const uint8_t[16]){0x03, 0, 0, 0, 18}, false, 18);
	assert_int_equal(result.moved, 18);
	assert_int_equal(data[2], SCSI_ILLEGAL_REQUEST);
	assert_int_equal(be16_get(data + 12), 0x2000);
	run((const uint8_t[16]){0x03, 0, 0, 0, 18}, false, 18);
	assert_int_equal(data[2], 0);
	/* CDBs that end too early */
	for (size_t len = 0; len < 10; len++) {
		scsi_command(disk, 0, (const uint8_t[16]){0x28}, len, false, data, 512, &result);
		assert_int_equal(result.status, SCSI_CHECK_CONDITION);
	}
}

static void files(void **state)
{
	struct scsi_disk *second;

	(void)state;
	assert_int_equal(scsi_disk_open(&second, path, 10, false, "x"), -EEXIST);
	assert_int_equal(scsi_disk_open(&second, path, 0, false, "x"), -EBUSY);
	assert_int_equal(scsi_disk_open(&second, "/nonexistent/x", 0, false, "x"), -ENOENT);
	assert_int_equal(scsi_disk_open(&second, "/tmp", 0, true, "x"), -EINVAL);
	scsi_disk_close(disk);
	assert_int_equal(truncate(path, 1000), 0);
	assert_int_equal(scsi_disk_open(&disk, path, 0, false, "x"), -EINVAL);
	assert_int_equal(truncate(path, 1024), 0);
	assert_int_equal(scsi_disk_open(&disk, path, 0, true, "x"), 0);
	transfer(0x2a, 0, 1, SCSI_BLOCK);
	refused(SCSI_DATA_PROTECT, 0x2700);
	/* A file that has become shorter is a medium error. */
	assert_int_equal(truncate(path, 512), 0);
	transfer(0x28, 1, 1, SCSI_BLOCK);
	refused(SCSI_MEDIUM_ERROR, 0x1100);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(bytes), TEST(limits), TEST(identity), TEST(capacity), TEST(sense), TEST(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
