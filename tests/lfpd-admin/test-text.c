/* SPDX-License-Identifier: Apache-2.0 */
/* test-text.c - nothing that programs choose reaches a terminal as more than characters in their
 * columns */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lfpd-admin/text.h"

static void is(const char *expected, void (*write)(const char *text, FILE *out), const char *text)
{
	char *written = NULL;
	size_t len;
	FILE *out = open_memstream(&written, &len);

	write(text, out);
	fclose(out);
	assert_string_equal(written, expected);
	free(written);
}

static size_t width;
static enum text_side side;

static void fit(const char *text, FILE *out)
{
	text_fit(text, width, side, out);
}

static size_t from;

static void part(const char *text, FILE *out)
{
	text_part(text, from, width, out);
}

static void clean(void **state)
{
	(void)state;
	is("plain text", text_put, "plain text");
	is("?[31m?]0;x?", text_put, "\033[31m\033]0;x\a");
	is("?????", text_put, "\t\r\n\x7f\b");
	is("? ?", text_put, "\xc2\x9b \xc2\x80"); /* C1 */
	is("a?b", text_put,
	   "a\xe2\x80\xae"
	   "b");                             /* U+202E, right to left */
	is("e?", text_put, "e\xcc\x81");     /* a combining accent */
	is("??x", text_put, "\xff\xc0x");    /* no UTF-8 */
	is("???", text_put, "\xed\xa0\x80"); /* a surrogate */
	is("??", text_put, "\xe2\x82");      /* cut */
	is("\xc3\xa4\xe6\x97\xa5", text_put, "\xc3\xa4\xe6\x97\xa5");
	assert_int_equal(text_width("\xc3\xa4\xe6\x97\xa5\x1b"), 1 + 2 + 1);
}

static void in_place(void **state)
{
	char text[] = "a\033[\xc3\xa4\xe2\x80\xae\xff.";

	(void)state;
	text_clean(text);
	assert_string_equal(text, "a?[\xc3\xa4??.");
}

static void fields(void **state)
{
	(void)state;
	width = 5;
	side = TEXT_LEFT;
	is("abc  ", fit, "abc");
	is("abcde", fit, "abcde");
	is("abcd>", fit, "abcdef");
	is("\xe6\x97\xa5\xe6\x97\xa5>", fit, "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5");
	side = TEXT_RIGHT;
	is("  abc", fit, "abc");
	is("<:443", fit, "10.0.0.1:443");
	is("<\xe6\x97\xa5\xe6\x97\xa5", fit, "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5");
	/* Half of a wide character is a blank. */
	width = 4;
	is("< \xe6\x97\xa5", fit, "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5");
	side = TEXT_LEFT;
	is("\xe6\x97\xa5 >", fit, "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5");
	width = 1;
	is(">", fit, "abc");
	width = 0;
	is("", fit, "abc");
}

static void parts(void **state)
{
	(void)state;
	width = 4;
	from = 0;
	is("abcd", part, "abcd");
	is("abc>", part, "abcde");
	from = 1;
	is("<cde", part, "abcde");
	is("<cd>", part, "abcdef");
	from = 9;
	is("<", part, "abc");
	is("", part, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clean),
		cmocka_unit_test(in_place),
		cmocka_unit_test(fields),
		cmocka_unit_test(parts),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		puts("skipped: no locale C.UTF-8"); /* the data of qemu-user's are another machine's
						     */
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
