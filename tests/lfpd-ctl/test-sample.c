/* SPDX-License-Identifier: Apache-2.0 */
/* test-sample.c - copies of samples: made once, whole, and never over a file that is there */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "lfpd-ctl/sample.h"

static char scratch[] = "/tmp/test-sample-XXXXXX";
static char sample[64], place[64];

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void assert_text(const char *path, const char *text)
{
	char buf[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_non_null(fgets(buf, sizeof(buf), file));
	fclose(file);
	assert_string_equal(buf, text);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(scratch))
		return -1;
	snprintf(sample, sizeof(sample), "%s/sample", scratch);
	snprintf(place, sizeof(place), "%s/a/b/place", scratch);
	return 0;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return system(command);
}

static void test_no_sample(void **state)
{
	(void)state;
	assert_int_equal(sample_copy(sample, place), 0);
	assert_int_equal(access(place, F_OK), -1);
}

static void test_copied_once(void **state)
{
	struct stat st;

	(void)state;
	put(sample, "first\n");
	assert_int_equal(sample_copy(sample, place), 1);
	assert_text(place, "first\n");
	assert_int_equal(stat(place, &st), 0);
	assert_int_equal(st.st_mode & 0133, 0);
	put(sample, "second\n");
	assert_int_equal(sample_copy(sample, place), 0);
	assert_text(place, "first\n");
}

static void test_link_that_dangles(void **state)
{
	char link[80];

	(void)state;
	put(sample, "first\n");
	snprintf(link, sizeof(link), "%s/link", scratch);
	assert_int_equal(symlink("nowhere", link), 0);
	assert_int_equal(sample_copy(sample, link), 0);
	assert_int_equal(access(link, F_OK), -1);
}

static void test_no_half_copy(void **state)
{
	struct rlimit old, tight = {.rlim_cur = 3};
	char other[80];

	(void)state;
	put(sample, "first\n");
	snprintf(other, sizeof(other), "%s/other", scratch);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	tight.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	assert_int_equal(sample_copy(sample, other), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(access(other, F_OK), -1);
}

static void test_place_below_a_file(void **state)
{
	char below[80];

	(void)state;
	put(sample, "first\n");
	snprintf(below, sizeof(below), "%s/sample/place", scratch);
	assert_int_equal(sample_copy(sample, below), -ENOTDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_sample),          cmocka_unit_test(test_copied_once),
		cmocka_unit_test(test_link_that_dangles),  cmocka_unit_test(test_no_half_copy),
		cmocka_unit_test(test_place_below_a_file),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
