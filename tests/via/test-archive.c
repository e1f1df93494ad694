/* SPDX-License-Identifier: Apache-2.0 */
/* test-archive.c - archives of configurations: what was written is read, and all else is refused */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "via/archive.h"

static struct via_files files, back;
static char *archive;
static size_t len;

static void make(void)
{
	FILE *out = open_memstream(&archive, &len);

	assert_non_null(out);
	assert_int_equal(via_archive_write(&files, out), 0);
	fclose(out);
}

static void add(const char *name, const char *text)
{
	struct via_file *file = &files.of[files.nr++];

	memset(file, 0, sizeof(*file));
	memcpy(file->name, name, strlen(name));
	file->data = (const uint8_t *)text;
	file->size = strlen(text);
}

static int setup(void **state)
{
	(void)state;
	files.nr = 0;
	add("lfpd-VSE1.conf", "IUCV_SRC_APPNAME = VSE1\n");
	add("empty", "");
	add("via.conf", "HOST_NAME = via\n");
	make();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(archive);
	return 0;
}

static int get(char why[static VIA_WHY])
{
	*why = '\0';
	return via_archive_read((const uint8_t *)archive, len, &back, why);
}

static void what_is_written_is_read(void **state)
{
	char why[VIA_WHY];
	const struct via_file *file;

	(void)state;
	assert_int_equal(get(why), 0);
	assert_int_equal(back.nr, 3);
	file = via_files_find(&back, "via.conf");
	assert_non_null(file);
	assert_int_equal(file->size, 16);
	assert_memory_equal(file->data, "HOST_NAME = via\n", 16);
	assert_int_equal(via_files_find(&back, "empty")->size, 0);
	assert_null(via_files_find(&back, "other"));
}

static void each_part_may_be_missing(void **state)
{
	char why[VIA_WHY];
	size_t whole = len;

	(void)state;
	/* Behind the last file only its end is missing, which is no harm. */
	for (len = 0; len < whole - 1024 - 512; len++)
		if (get(why)) {
			assert_string_not_equal(why, "");
		} else {
			assert_true(back.nr < 3);
			for (size_t i = 0; i < back.nr; i++)
				assert_int_equal(back.of[i].size, files.of[i].size);
		}
}

static void a_changed_byte_of_a_head_is_noticed(void **state)
{
	char why[VIA_WHY];

	(void)state;
	for (size_t i = 0; i < 512; i++) {
		archive[i] = (char)(archive[i] ^ 1);
		if (i < 500 && (i < 148 || i > 155))
			assert_int_not_equal(get(why), 0);
		archive[i] = (char)(archive[i] ^ 1);
	}
}

/* Writes a name or a type over that of the first file, with the right sum. */
static int with(size_t at, const char *bytes, size_t nr, char *why)
{
	unsigned int sum = 0;

	memcpy(archive + at, bytes, nr);
	memset(archive + 148, ' ', 8);
	for (size_t i = 0; i < 512; i++)
		sum += (unsigned char)archive[i];
	snprintf(archive + 148, 8, "%06o", sum);
	archive[155] = ' ';
	return get(why);
}

static void names_and_types_are_checked(void **state)
{
	static const char *const names[] = {"../via.conf", "/etc/passwd", "a/b",     ".hidden",
					    "-x",          "with blank",  "via.conf"};
	char why[VIA_WHY];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_not_equal(with(0, names[i], strlen(names[i]) + 1, why), 0);
	assert_string_equal(why, "it has via.conf twice");
	assert_int_equal(with(0, "./good", 7, why), 0);
	for (const char *type = "12346Lxg"; *type; type++)
		assert_int_not_equal(with(156, type, 1, why), 0);
	assert_int_equal(with(156, "0", 1, why), 0);
	assert_int_not_equal(with(124, "77777777777", 12, why), 0);
	assert_int_not_equal(with(124, "9", 2, why), 0);
}

static void names_of_files(void **state)
{
	(void)state;
	assert_int_equal(via_name_check("lfpd-A$#@_1.conf"), 0);
	assert_int_not_equal(via_name_check(""), 0);
	assert_int_not_equal(via_name_check(".."), 0);
	assert_int_not_equal(via_name_check("a/b"), 0);
	assert_int_not_equal(
		via_name_check("0123456789012345678901234567890123456789012345678901234567890123"),
		0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_written_is_read, setup, teardown),
		cmocka_unit_test_setup_teardown(each_part_may_be_missing, setup, teardown),
		cmocka_unit_test_setup_teardown(a_changed_byte_of_a_head_is_noticed, setup,
						teardown),
		cmocka_unit_test_setup_teardown(names_and_types_are_checked, setup, teardown),
		cmocka_unit_test(names_of_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
