/* SPDX-License-Identifier: Apache-2.0 */
/* test-history.c - the thread that writes HISTORY: a disk that is full for a while, and other
 * columns */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lfpd/watch/history-file.h"

static char dir[] = "/tmp/lfp-history.XXXXXX", path[64];
static _Atomic int told;
static struct history_file file;

static struct lfp_history wanted = {
	.instance = "LINR02",
	.columns = 2,
	.slots = 8,
	.column = {{LFP_HISTORY_COUNTER, "bytes"}, {LFP_HISTORY_GAUGE, "sockets"}},
};

static int synced; /* files, before they had their name */

/* In the place of libc's. */
int fsync(int fd)
{
	struct stat here, there;

	assert_int_equal(fstat(fd, &here), 0);
	if (stat(path, &there) || here.st_ino != there.st_ino)
		synced++;
	return 0;
}

static void tell(void *data)
{
	(void)data;
	told++;
}

/* Waits longer than lfpd does: the machine may be loaded. */
static void settle(void)
{
	while (!history_file_is_free(&file))
		(void)history_file_wait(&file);
}

static void stop(void)
{
	while (!history_file_stop(&file))
		;
}

/* Returns 0, or the errno number that the file was not opened for. */
static int try(const char *place, const struct lfp_history *what)
{
	int error;

	assert_int_equal(history_file_start(&file, place, what, (gid_t)-1, tell, NULL), 0);
	while (!history_file_is_free(&file) && !(error = atomic_load(&file.error)))
		(void)history_file_wait(&file);
	if (history_file_is_free(&file))
		return 0;
	stop();
	return error;
}

static void start(void)
{
	assert_int_equal(try(path, &wanted), 0);
	told = 0;
}

static void put(uint64_t bytes, uint64_t sockets)
{
	const uint64_t values[3] = {bytes, sockets}; /* test_columns() has three */
	struct lfp_history_record record = {
		.run = 1, .begin = bytes, .end = bytes + 1, .values = values};

	assert_true(history_file_is_free(&file));
	history_file_put(&file, &record);
}

static struct lfp_history *read_back(void)
{
	static struct lfp_history history;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(lfp_history_read(fd, &history), 0);
	close(fd);
	return &history;
}

/* The disk takes nothing for a while: the record waits, the loop does not, and the record comes. */
static void test_full(void **state)
{
	struct lfp_history *history;
	int kept, full;

	(void)state;
	start();
	put(10, 1);
	settle();
	kept = dup(file.fd);
	full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_true(kept >= 0 && full >= 0);
	assert_int_equal(dup2(full, file.fd), file.fd);
	put(20, 2);
	assert_false(history_file_wait(&file));
	assert_int_equal(atomic_load(&file.error), ENOSPC);
	assert_int_equal(told, 1);
	assert_false(history_file_is_free(&file));
	assert_int_equal(dup2(kept, file.fd), file.fd);
	settle();
	assert_int_equal(atomic_load(&file.error), 0);
	assert_int_equal(told, 2);
	stop();
	close(kept);
	close(full);
	history = read_back();
	assert_int_equal(history->nr, 2);
	assert_int_equal(history->records[1].serial, 2);
	assert_int_equal(history->records[1].values[0], 20);
	lfp_history_free(history);
}

/* An lfpd with other statistics, and one with fewer places: what fits is kept. */
static void test_columns(void **state)
{
	struct lfp_history before = wanted, *history;

	(void)state;
	strcpy(wanted.column[0].name, "new");
	strcpy(wanted.column[1].name, "bytes");
	wanted.column[1].kind = LFP_HISTORY_COUNTER;
	strcpy(wanted.column[2].name, "sockets");
	wanted.column[2].kind = LFP_HISTORY_COUNTER; /* was a gauge */
	wanted.columns = 3;
	wanted.slots = 2;
	start();
	put(30, 0);
	settle();
	stop();
	history = read_back();
	assert_int_equal(history->columns, 3);
	assert_int_equal(history->nr, 2);
	assert_int_equal(history->records[0].serial, 2);
	assert_int_equal(history->records[0].values[0], 0);
	assert_int_equal(history->records[0].values[1], 20);
	assert_int_equal(history->records[0].values[2], 0);
	assert_int_equal(history->records[1].serial, 3);
	assert_int_equal(history->records[1].values[0], 30);
	lfp_history_free(history);
	wanted = before;
}

/* A process that was killed has left a new file, and no old one. */
static void test_left(void **state)
{
	char new[sizeof(path) + 4];
	struct stat st;
	int fd;

	(void)state;
	snprintf(new, sizeof(new), "%s.new", path);
	assert_int_equal(unlink(path), 0);
	fd = open(new, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	assert_int_equal(write(fd, "LFPHIST1", 8), 8);
	close(fd);
	synced = 0;
	start();
	stop();
	/* A power failure may leave an old file or a new one, and never one without a head. */
	assert_int_equal(synced, 1);
	assert_int_equal(stat(new, &st), -1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

/* A file with a damaged record, where no other file can be made, because the disk is full or the
 * folder is not ours: the other records stay, and more come. */
static void test_damaged(void **state)
{
	static const uint8_t wrong[4] = {1, 2, 3, 4};
	char new[sizeof(path) + 4];
	struct lfp_history *history;
	int fd;

	(void)state;
	snprintf(new, sizeof(new), "%s.new", path);
	start();
	for (uint64_t i = 1; i <= 3; i++) {
		put(i, 1);
		settle();
	}
	stop();
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, wrong, sizeof(wrong), (off_t)lfp_history_size(2, 2) + 40),
			 sizeof(wrong));
	close(fd);
	assert_int_equal(mkdir(new, 0700), 0); /* in the way */
	start();
	assert_int_equal(file.damaged, 1);
	put(4, 1);
	settle();
	stop();
	assert_int_equal(rmdir(new), 0);
	history = read_back();
	assert_int_equal(history->damaged, 1);
	assert_int_equal(history->nr, 3);
	assert_int_equal(history->records[2].serial, 4);
	lfp_history_free(history);
}

/* Writes a file that is full of records. */
static void fill(const struct lfp_history *head)
{
	static uint8_t buf[LFP_HISTORY_HEAD + LFP_HISTORY_COLUMNS * LFP_HISTORY_COLUMN];
	static const uint64_t values[LFP_HISTORY_COLUMNS];
	size_t slot = lfp_history_slot_size(head->columns);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);

	assert_true(fd >= 0);
	lfp_history_head_encode(head, buf);
	assert_int_equal(write(fd, buf, lfp_history_head_size(head->columns)),
			 lfp_history_head_size(head->columns));
	for (uint64_t serial = 1; serial <= head->slots; serial++) {
		struct lfp_history_record record = {.serial = serial, .values = values};

		lfp_history_record_encode(&record, head->columns, buf);
		assert_int_equal(pwrite(fd, buf, slot,
					(off_t)lfp_history_size(head->columns,
								(uint32_t)serial % head->slots)),
				 slot);
	}
	close(fd);
}

/* Returns the most memory that this process has used, in KiB. */
static long most_memory(void)
{
	struct rusage ru;

	assert_int_equal(getrusage(RUSAGE_SELF, &ru), 0);
	return ru.ru_maxrss;
}

/* A file of 8 MiB, also one that is replaced, takes no such memory. */
static void test_big(void **state)
{
	static struct lfp_history big = {.instance = "LINR02", .columns = LFP_HISTORY_COLUMNS};
	long before;

	(void)state;
	for (uint32_t c = 0; c < big.columns; c++) {
		big.column[c].kind = LFP_HISTORY_COUNTER;
		snprintf(big.column[c].name, sizeof(big.column[c].name), "c%u", c);
	}
	big.slots = lfp_history_slots(big.columns, 8 << 20);
	fill(&big);
	before = most_memory();
	assert_int_equal(try(path, &big), 0);
	assert_int_equal(file.serial, big.slots + 1);
	stop();
	big.slots--;
	assert_int_equal(try(path, &big), 0);
	assert_int_equal(file.serial, big.slots + 2);
	stop();
	assert_in_range(most_memory() - before, 0, 4 << 10);
}

static void test_errors(void **state)
{
	struct lfp_history other = wanted;

	(void)state;
	other.slots = 0;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(try(path, &other), EFBIG);
	assert_int_equal(try("/no/such/place", &wanted), ENOENT);
	assert_string_equal(history_strerror(EFBIG), "HISTORY_SIZE has no room for one record");
	assert_string_equal(history_strerror(ENOENT), "No such file or directory");
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/history", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	(void)unlink(path);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full), cmocka_unit_test(test_columns),
		cmocka_unit_test(test_left), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_big),  cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
