/* SPDX-License-Identifier: Apache-2.0 */
/* test-json.c - strings of JSON in the log */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lfpd/log/json.h"

static void string_is(const char *text, const char *expected)
{
	char *json = NULL;
	size_t len;
	FILE *out = open_memstream(&json, &len);

	log_json_string(text, out);
	fclose(out);
	assert_string_equal(json, expected);
	free(json);
}

static void strings(void **state)
{
	(void)state;
	string_is("", "\"\"");
	string_is("a\"b\\c", "\"a\\\"b\\\\c\"");
	string_is("a long one, \"in between\",\nand the end",
		  "\"a long one, \\\"in between\\\",\\u000aand the end\"");
	string_is("\t\x1b\x7f", "\"\\u0009\\u001b\\u007f\"");
	string_is("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
	/* alone, overlong, a surrogate, beyond U+10FFFF, cut */
	string_is("\x80", "\"\\ufffd\"");
	string_is("\xc0\x80", "\"\\ufffd\\ufffd\"");
	string_is("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
	string_is("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	string_is("\xe2\x82", "\"\\ufffd\\ufffd\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
