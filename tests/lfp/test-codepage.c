/* SPDX-License-Identifier: Apache-2.0 */
/* test-codepage.c - names between the machine's ASCII and the code page of the path */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lfp/codepage.h"

static int to_path(const char *codepage, const char *in, char *out, size_t room)
{
	struct lfp_codepage *cp = lfp_codepage_open(codepage);
	int rc;

	assert_non_null(cp);
	rc = lfp_codepage_to_path(cp, in, strlen(in), out, room);
	lfp_codepage_close(cp);
	return rc;
}

static int from_path(const char *codepage, const char *in, size_t len, char *out, size_t room)
{
	struct lfp_codepage *cp = lfp_codepage_open(codepage);
	int rc;

	assert_non_null(cp);
	rc = lfp_codepage_from_path(cp, in, len, out, room);
	lfp_codepage_close(cp);
	return rc;
}

static void test_ebcdic(void **state)
{
	static const uint8_t wire[] = {0x93, 0x89, 0x95, 0x99, 0xf0, 0xf2, 0x4b, 0xc1};
	char buf[32];

	(void)state;
	assert_int_equal(to_path("EBCDIC-US", "linr02.A", buf, sizeof(buf)), sizeof(wire));
	assert_memory_equal(buf, wire, sizeof(wire));
	assert_int_equal(from_path("EBCDIC-US", (const char *)wire, sizeof(wire), buf, sizeof(buf)),
			 sizeof(wire));
	assert_string_equal(buf, "linr02.A");
}

/* IBM's default has no brackets. */
static void test_missing_character(void **state)
{
	char buf[32];

	(void)state;
	assert_int_equal(to_path("EBCDIC-US", "a[b", buf, sizeof(buf)), -EILSEQ);
	assert_int_equal(to_path("IBM1047", "a[b", buf, sizeof(buf)), 3);
	assert_int_equal(to_path("EBCDIC-US", "m\xc3\xbcller", buf, sizeof(buf)), -EILSEQ);
	assert_int_equal(to_path("IBM273", "m\xc3\xbcller", buf, sizeof(buf)), 6);
	/* With a substitute it would be another name. */
	assert_int_equal(to_path("EBCDIC-US//TRANSLIT", "m\xc3\xbcller", buf, sizeof(buf)),
			 -EILSEQ);
}

static void test_invalid_sequence(void **state)
{
	char buf[32];

	(void)state;
	assert_int_equal(to_path("EBCDIC-US", "a\xff", buf, sizeof(buf)), -EILSEQ);
	/* cut off in a character */
	assert_int_equal(to_path("IBM273", "m\xc3", buf, sizeof(buf)), -EILSEQ);
	/* 0x41 is no character of EBCDIC-US */
	assert_int_equal(from_path("EBCDIC-US", "\xc1\x41", 2, buf, sizeof(buf)), -EILSEQ);
	/* a NUL is one, but not in a name */
	assert_int_equal(from_path("EBCDIC-US", "\xc1\0\xc1", 3, buf, sizeof(buf)), -EILSEQ);
	assert_int_equal(from_path("", "A\0A", 3, buf, sizeof(buf)), -EILSEQ);
}

/* After an error the next name is converted as if there had been none. */
static void test_after_error(void **state)
{
	struct lfp_codepage *cp = lfp_codepage_open("EBCDIC-US");
	char buf[8];

	(void)state;
	assert_non_null(cp);
	assert_int_equal(lfp_codepage_to_path(cp, "[", 1, buf, sizeof(buf)), -EILSEQ);
	assert_int_equal(lfp_codepage_to_path(cp, "AB", 2, buf, 1), -ENOBUFS);
	assert_int_equal(lfp_codepage_to_path(cp, "A", 1, buf, sizeof(buf)), 1);
	assert_memory_equal(buf, "\xc1", 1);
	lfp_codepage_close(cp);
}

static void test_room(void **state)
{
	static const char *const names[] = {"", "EBCDIC-US"};
	char buf[8];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(to_path(names[i], "ABC", buf, 3), 3);
		assert_int_equal(to_path(names[i], "ABC", buf, 2), -ENOBUFS);
		assert_int_equal(to_path(names[i], "", buf, 0), 0);
		/* One more for the NUL. */
		memset(buf, 'x', sizeof(buf));
		assert_int_equal(from_path(names[i], i ? "\xc1\xc2" : "AB", 2, buf, 3), 2);
		assert_string_equal(buf, "AB");
		assert_int_equal(from_path(names[i], i ? "\xc1\xc2" : "AB", 2, buf, 2), -ENOBUFS);
		assert_int_equal(from_path(names[i], "", 0, buf, 1), 0);
		assert_string_equal(buf, "");
		assert_int_equal(from_path(names[i], "", 0, buf, 0), -ENOBUFS);
	}
}

static void test_none(void **state)
{
	static const char *const names[] = {"", "US-ASCII", "us-ascii"};
	char buf[16];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(to_path(names[i], "a[b]", buf, sizeof(buf)), 4);
		assert_memory_equal(buf, "a[b]", 4);
		assert_int_equal(from_path(names[i], "a[b]", 4, buf, sizeof(buf)), 4);
		assert_string_equal(buf, "a[b]");
	}
}

/* Code pages with shifts end in the state in which they begin. */
static void test_shifts(void **state)
{
	char buf[16], back[16];
	int len;

	(void)state;
	len = to_path("IBM939", "\xe6\x97\xa5", buf, sizeof(buf));
	assert_int_equal(len, 4);
	assert_int_equal(buf[0], 0x0e);
	assert_int_equal(buf[3], 0x0f);
	assert_int_equal(from_path("IBM939", buf, (size_t)len, back, sizeof(back)), 3);
	assert_string_equal(back, "\xe6\x97\xa5");
	assert_int_equal(to_path("IBM939", "\xe6\x97\xa5", buf, 3), -ENOBUFS);
}

static void test_unknown(void **state)
{
	(void)state;
	errno = 0;
	assert_null(lfp_codepage_open("NO-SUCH-PAGE"));
	assert_int_equal(errno, EINVAL);
	lfp_codepage_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ebcdic),
		cmocka_unit_test(test_missing_character),
		cmocka_unit_test(test_invalid_sequence),
		cmocka_unit_test(test_after_error),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_shifts),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
