/* SPDX-License-Identifier: Apache-2.0 */
/* test-history.c - the ring file of HISTORY: whole, wrapped, torn, cut, and made by somebody else
 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "lfp/bigend.h"
#include "lfp/history.h"

#define COLUMNS 3u
#define SLOTS   4u

static struct lfp_history wanted = {
	.instance = "LINR02",
	.columns = COLUMNS,
	.slots = SLOTS,
	.column = {{LFP_HISTORY_COUNTER, "stream_bytes"},
		   {LFP_HISTORY_COUNTER_US, "cpu"},
		   {LFP_HISTORY_GAUGE, "sockets"}},
};

static void write_at(int fd, const void *buf, size_t len, uint64_t offset)
{
	assert_int_equal(pwrite(fd, buf, len, (off_t)offset), len);
}

static void put_record(int fd, uint64_t serial)
{
	const uint64_t values[COLUMNS] = {serial * 10, serial * 100, serial};
	struct lfp_history_record record = {.serial = serial,
					    .run = 7,
					    .begin = serial * 1000,
					    .end = (serial + 1) * 1000,
					    .values = values};
	uint8_t buf[256];

	lfp_history_record_encode(&record, COLUMNS, buf);
	write_at(fd, buf, lfp_history_slot_size(COLUMNS),
		 lfp_history_size(COLUMNS, (uint32_t)(serial % SLOTS)));
}

static int make(uint64_t from, uint64_t to)
{
	int fd = memfd_create("history", MFD_CLOEXEC);
	uint8_t head[1024];

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)lfp_history_size(COLUMNS, SLOTS)), 0);
	lfp_history_head_encode(&wanted, head);
	write_at(fd, head, lfp_history_head_size(COLUMNS), 0);
	for (; from <= to; from++)
		put_record(fd, from);
	return fd;
}

/* Reads the file, which has the records from @first to @last in order. */
static void expect(int fd, uint64_t first, uint64_t last, uint32_t damaged)
{
	static struct lfp_history history;

	assert_int_equal(lfp_history_read(fd, &history), 0);
	assert_string_equal(history.instance, "LINR02");
	assert_int_equal(history.columns, COLUMNS);
	assert_int_equal(history.damaged, damaged);
	assert_int_equal(history.nr, last + 1 - first);
	for (uint32_t i = 0; i < history.nr; i++) {
		const struct lfp_history_record *record = &history.records[i];

		assert_int_equal(record->serial, first + i);
		assert_int_equal(record->run, 7);
		assert_int_equal(record->begin, (first + i) * 1000);
		assert_int_equal(record->end, (first + i + 1) * 1000);
		assert_int_equal(record->values[0], (first + i) * 10);
		assert_int_equal(record->values[1], (first + i) * 100);
		assert_int_equal(record->values[2], first + i);
	}
	assert_int_equal(lfp_history_find(&history, "cpu"), 1);
	assert_int_equal(lfp_history_find(&history, "none"), COLUMNS);
	assert_int_equal(history.column[2].kind, LFP_HISTORY_GAUGE);
	lfp_history_free(&history);
	close(fd);
}

static void refuse(int fd, int error)
{
	static struct lfp_history history;

	assert_int_equal(lfp_history_read(fd, &history), -error);
	close(fd);
}

static void test_layout(void **state)
{
	static const uint8_t head[] = "LFPHIST1\0\0\0\3\0\0\0\4LINR02\0\0";
	uint8_t buf[1024];

	(void)state;
	lfp_history_head_encode(&wanted, buf);
	assert_memory_equal(buf, head, 24);
	assert_string_equal((char *)buf + LFP_HISTORY_HEAD, "cstream_bytes");
	assert_int_equal(lfp_history_head_size(COLUMNS), 32 + 3 * 48);
	assert_int_equal(lfp_history_slot_size(COLUMNS), 32 + 3 * 8 + 8);
	assert_int_equal(lfp_history_slots(COLUMNS, lfp_history_size(COLUMNS, SLOTS)), SLOTS);
	assert_int_equal(lfp_history_slots(COLUMNS, lfp_history_size(COLUMNS, SLOTS) - 1), 3);
	assert_int_equal(lfp_history_slots(COLUMNS, 10), 0);
}

static void test_order(void **state)
{
	static struct lfp_history history;
	int fd = make(1, 0);

	(void)state;
	assert_int_equal(lfp_history_read(fd, &history), 0);
	assert_int_equal(history.nr, 0);
	lfp_history_free(&history);
	close(fd);
	expect(make(1, 3), 1, 3, 0);
	expect(make(1, 4), 1, 4, 0);
	expect(make(1, 10), 7, 10, 0); /* the ring has gone round */
}

/* Any byte of a record that is not as it was written: that record is missing, and no other. */
static void test_torn(void **state)
{
	uint64_t last = lfp_history_size(COLUMNS, 10 % SLOTS);

	(void)state;
	for (size_t i = 0; i < lfp_history_slot_size(COLUMNS); i++) {
		int fd = make(1, 10);
		uint8_t byte;

		assert_int_equal(pread(fd, &byte, 1, (off_t)(last + i)), 1);
		byte ^= 0x40;
		write_at(fd, &byte, 1, last + i);
		expect(fd, 7, 9, 1);
	}
}

static void test_cut(void **state)
{
	static struct lfp_history history;
	uint64_t size = lfp_history_size(COLUMNS, SLOTS);

	(void)state;
	for (uint64_t left = 0; left < size; left++) {
		int fd = make(1, 4);

		assert_int_equal(ftruncate(fd, (off_t)left), 0);
		if (left < lfp_history_head_size(COLUMNS)) {
			refuse(fd, EPROTO);
			continue;
		}
		assert_int_equal(lfp_history_read(fd, &history), 0);
		assert_int_equal(history.nr + history.damaged, SLOTS);
		assert_int_equal(history.nr, (left - lfp_history_head_size(COLUMNS)) /
						     lfp_history_slot_size(COLUMNS));
		lfp_history_free(&history);
		close(fd);
	}
}

/* Any byte of the head that is not as it was written. */
static void test_head(void **state)
{
	(void)state;
	for (size_t i = 0; i < lfp_history_head_size(COLUMNS); i++) {
		int fd = make(1, 4);
		uint8_t byte;

		assert_int_equal(pread(fd, &byte, 1, (off_t)i), 1);
		byte ^= 0x20;
		write_at(fd, &byte, 1, i);
		refuse(fd, EPROTO);
	}
}

/* Heads whose check is right, and which nobody but a hostile writer makes. */
static void test_forged(void **state)
{
	struct lfp_history other;
	uint8_t head[LFP_HISTORY_HEAD + LFP_HISTORY_COLUMNS * LFP_HISTORY_COLUMN];

	(void)state;
	for (int i = 0; i < 7; i++) {
		int fd = memfd_create("history", MFD_CLOEXEC);

		other = wanted;
		if (i == 0)
			strcpy(other.column[1].name, "stream_bytes");
		else if (i == 1)
			strcpy(other.column[1].name, "Cpu");
		else if (i == 2)
			other.column[1].name[0] = '\0';
		else if (i == 3)
			other.column[1].kind = 'x';
		else if (i == 4)
			strcpy(other.instance, "a\033b");
		else if (i == 5)
			other.slots = 0;
		else
			other.slots = LFP_HISTORY_SLOTS + 1;
		lfp_history_head_encode(&other, head);
		write_at(fd, head, lfp_history_head_size(COLUMNS), 0);
		refuse(fd, EPROTO);
	}
	/* Four million slots that are not there take no memory and no time. */
	other = wanted;
	other.slots = LFP_HISTORY_SLOTS;
	lfp_history_head_encode(&other, head);
	{
		static struct lfp_history history;
		int fd = make(1, 3);

		write_at(fd, head, lfp_history_head_size(COLUMNS), 0);
		assert_int_equal(lfp_history_read(fd, &history), 0);
		assert_int_equal(history.nr, 3);
		lfp_history_free(&history);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout), cmocka_unit_test(test_order),
		cmocka_unit_test(test_torn),   cmocka_unit_test(test_cut),
		cmocka_unit_test(test_head),   cmocka_unit_test(test_forged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
