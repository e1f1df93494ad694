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

static void tell(void *data)
{
	(void)data;
	told++;
}

static void start(void)
{
	assert_int_equal(history_file_start(&file, path, &wanted, (gid_t)-1, tell, NULL), 0);
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
	assert_true(history_file_wait(&file));
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
	while (!history_file_is_free(&file))
		(void)history_file_wait(&file);
	assert_int_equal(atomic_load(&file.error), 0);
	assert_int_equal(told, 2);
	assert_true(history_file_stop(&file));
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
	assert_true(history_file_wait(&file));
	assert_true(history_file_stop(&file));
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
	start();
	assert_true(history_file_stop(&file));
	assert_int_equal(stat(new, &st), -1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

static void test_errors(void **state)
{
	struct lfp_history other = wanted;

	(void)state;
	other.slots = 0;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(history_file_start(&file, path, &other, (gid_t)-1, tell, NULL), -EFBIG);
	assert_int_equal(
		history_file_start(&file, "/no/such/place", &wanted, (gid_t)-1, tell, NULL),
		-ENOENT);
	assert_string_equal(history_strerror(-EFBIG), "HISTORY_SIZE has no room for one record");
	assert_string_equal(history_strerror(-ENOENT), "No such file or directory");
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
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
