/* SPDX-License-Identifier: Apache-2.0 */
/* test-ckd-image.c - images: what a new one looks like, volumes of several files, and files that
 * are none
 *
 * The layout is that of Hercules' CKD images; tests/system/test-hercules-images.sh compares with
 * its own programs.
 */
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

#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-image.h"

static char dir[64];

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/images-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(dir) ? chdir(dir) : -1;
}

static int teardown(void **state)
{
	(void)state;
	unlink("a_1.ckd");
	unlink("a_2.ckd");
	return chdir("/") || rmdir(dir);
}

static void poke(const char *path, off_t at, const void *bytes, size_t len)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, len, at), len);
	close(fd);
}

static void fresh(void **state)
{
	static const uint8_t header[20] = {'C', 'K', 'D', '_',  'P', '3', '7',  '0', 15, 0,
					   0,   0,   0,   0xde, 0,   0,   0x90, 0,   0,  0};
	static const uint8_t last[29] = {0, 0,    1,    0,    14,   0,    1,    0,    14,  0,
					 0, 0,    8,    0,    0,    0,    0,    0,    0,   0,
					 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	struct ckd_image *image, *second;
	const char *why;
	uint8_t bytes[20];
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(ckd_create("a_1.ckd", 2), 0);
	assert_int_equal(ckd_create("a_1.ckd", 2), -EEXIST);
	assert_int_equal(ckd_create("b", 0), -EINVAL);
	assert_int_equal(ckd_create("b", 65521), -EINVAL);
	assert_int_equal(stat("a_1.ckd", &st), 0);
	assert_int_equal(st.st_size, 512 + 2 * 15 * 56832);
	fd = open("a_1.ckd", O_RDONLY);
	assert_int_equal(pread(fd, bytes, 20, 0), 20);
	close(fd);
	assert_memory_equal(bytes, header, 20);
	assert_int_equal(ckd_open(&image, "a_1.ckd", false, &why), 0);
	assert_int_equal(image->cylinders, 2);
	assert_memory_equal(ckd_track(image, 1, 14), last, sizeof(last));
	/* One writer, or several readers */
	assert_int_equal(ckd_open(&second, "a_1.ckd", true, &why), -EBUSY);
	assert_int_equal(ckd_write(image, 1, 14, 56832 - 1, "xx", 2), -EINVAL);
	assert_int_equal(ckd_write(image, 2, 0, 0, "x", 1), -EINVAL);
	assert_int_equal(ckd_write(image, 0, 15, 0, "x", 1), -EINVAL);
	assert_int_equal(ckd_sync(image), 0);
	ckd_close(image);
	assert_int_equal(ckd_open(&image, "a_1.ckd", true, &why), 0);
	assert_int_equal(ckd_open(&second, "a_1.ckd", true, &why), 0);
	assert_int_equal(ckd_write(image, 0, 0, 0, "x", 1), -EROFS);
	ckd_close(second);
	ckd_close(image);
}

static void several_files(void **state)
{
	struct ckd_image *image;
	const char *why;

	(void)state;
	assert_int_equal(ckd_create("a_1.ckd", 2), 0);
	assert_int_equal(ckd_create("a_2.ckd", 1), 0);
	poke("a_1.ckd", 17, "\1\1\0", 3); /* the first, up to cylinder 1 */
	poke("a_2.ckd", 17, "\2\0\0", 3);
	assert_int_equal(ckd_open(&image, "a_1.ckd", false, &why), 0);
	assert_int_equal(image->cylinders, 3);
	assert_int_equal(ckd_write(image, 2, 3, 100, "hello", 5), 0);
	assert_memory_equal(ckd_track(image, 2, 3) + 100, "hello", 5);
	assert_memory_equal(image->part[1].map + 512 + 3 * 56832 + 100, "hello", 5);
	ckd_close(image);
	assert_int_equal(ckd_open(&image, "a_2.ckd", false, &why), -EINVAL);
	assert_string_equal(why, "it is not the first file of its volume");
	poke("a_2.ckd", 17, "\3", 1);
	assert_int_equal(ckd_open(&image, "a_1.ckd", false, &why), -EINVAL);
	assert_string_equal(why, "the next of its files belongs to another volume");
	unlink("a_2.ckd");
	assert_int_equal(ckd_open(&image, "a_1.ckd", false, &why), -ENOENT);
	poke("a_1.ckd", 18, "\2", 1);
	assert_int_equal(ckd_open(&image, "a_1.ckd", false, &why), -EINVAL);
	assert_string_equal(why, "its header and its size disagree on the highest cylinder");
}

static void refused(void **state)
{
	static const struct {
		off_t at;
		const char *bytes;
		size_t len;
		const char *why;
	} rows[] = {
		{0, "CKD_C370", 8, "it is a compressed image (cckd2ckd makes a plain one)"},
		{0, "CKD_S064", 8, "it is a compressed image (cckd2ckd makes a plain one)"},
		{0, "FBA_P370", 8, "it is the image of an FBA disk"},
		{0, "PK\3\4", 4, "it does not start with CKD_P370"},
		{8, "\x10", 1, "it does not have 15 tracks a cylinder"},
		{12, "\1\0\0\0", 4, "its track size is not that of a 3390"},
		{12, "\0\0\1\1", 4, "its track size is not that of a 3390"},
		{12, "\1", 1, "its size is not a whole number of cylinders"},
		{16, "\x80", 1, "its device is not a 3390"},
		{18, "\1", 1, "its header names a highest cylinder, but no file number"},
	};
	struct ckd_image *image;
	const char *why;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unlink("a_1.ckd");
		assert_int_equal(ckd_create("a_1.ckd", 2), 0);
		poke("a_1.ckd", rows[i].at, rows[i].bytes, rows[i].len);
		assert_int_equal(ckd_open(&image, "a_1.ckd", false, &why), -EINVAL);
		assert_string_equal(why, rows[i].why);
	}
	assert_int_equal(ckd_open(&image, "nothing", false, &why), -ENOENT);
	assert_null(why);
	assert_int_equal(ckd_open(&image, ".", true, &why), -EINVAL);
	assert_string_equal(why, "it is not a regular file");
	/* Every length from nothing on: an error, and no crash */
	for (off_t len = 0; len < 512 + 56832 * 30; len += len < 600 ? 1 : 9973) {
		assert_int_equal(truncate("a_1.ckd", 0), 0);
		poke("a_1.ckd", 0, "CKD_P370\17\0\0\0\0\xde\0\0\x90\0\0\0", 20);
		assert_int_equal(truncate("a_1.ckd", len), 0);
		assert_int_equal(ckd_open(&image, "a_1.ckd", false, &why), -EINVAL);
		assert_non_null(why);
	}
}

static void models(void **state)
{
	(void)state;
	assert_string_equal(ckd_model_of(1)->name, "3390-1");
	assert_string_equal(ckd_model_of(1113)->name, "3390-1");
	assert_string_equal(ckd_model_of(1114)->name, "3390-2");
	assert_string_equal(ckd_model_of(65520)->name, "3390-54");
	assert_int_equal(ckd_model_named("3390-9")->cylinders, 10017);
	assert_null(ckd_model_named("3380-K"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(fresh),
		TEST(several_files),
		TEST(refused),
		cmocka_unit_test(models),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
