/* SPDX-License-Identifier: Apache-2.0 */
/* test-request.c - commands to the appliance, and answers in pieces */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "via/request.h"

static struct via_request request;
static char why[VIA_WHY];

static int get(const char *text)
{
	*why = '\0';
	return via_request_decode(text, strlen(text), &request, why);
}

static void commands_are_folded_and_counted(void **state)
{
	char text[VIA_REQUEST_MAX + 1];

	(void)state;
	for (int verb = 0; verb < VIA_VERBS; verb++) {
		snprintf(text, sizeof(text), "%s", via_verb_name((enum via_verb)verb));
		if (verb != VIA_START && verb != VIA_STOP && verb != VIA_TRACE) {
			assert_int_equal(get(text), 0);
			assert_int_equal(request.verb, verb);
		} else {
			assert_int_not_equal(get(text), 0);
		}
	}
	assert_int_equal(get("  trace  vse1   start "), 0);
	assert_int_equal(request.nr, 2);
	assert_string_equal(request.words[0], "VSE1");
	assert_string_equal(request.words[1], "START");
	via_request_encode(&request, text);
	assert_string_equal(text, "TRACE VSE1 START");
}

static void wrong_commands(void **state)
{
	static const char *const texts[] = {
		"",           " ",        "IPL",     "SHUTDOWN NOW", "START",
		"START A B",  "QUERY\tX", "LOG 1\n", "STATUS \x80",  "STATUS 0123456789012345",
		"LIST A B C", "TRACE A"};
	char text[VIA_REQUEST_MAX + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_not_equal(get(texts[i]), 0);
		assert_string_not_equal(why, "");
	}
	memset(text, ' ', sizeof(text));
	memcpy(text, "QUERY", 5);
	assert_int_equal(via_request_decode(text, VIA_REQUEST_MAX, &request, why), 0);
	assert_int_not_equal(via_request_decode(text, VIA_REQUEST_MAX + 1, &request, why), 0);
}

/* Sends a line in pieces, takes them, and compares. */
static void send_line(struct via_pieces *pieces, struct via_answer *answer, const char *text,
		      const char *want)
{
	char piece[VIA_PIECE_MAX + 1], *got = NULL;
	size_t at = 0, len = strlen(text), got_len;
	FILE *out = open_memstream(&got, &got_len);

	assert_non_null(out);
	do {
		at += via_piece_make(pieces, text + at, len - at, piece);
		assert_true(strlen(piece) <= VIA_PIECE_MAX);
		assert_int_equal(via_answer_take(answer, piece, strlen(piece), out, why), 0);
	} while (at < len);
	fclose(out);
	assert_string_equal(got, want);
	free(got);
}

static void lines_of_any_length_arrive(void **state)
{
	struct via_pieces pieces = {0};
	struct via_answer answer = {0};
	char text[1001], want[1002], piece[VIA_PIECE_MAX + 1];

	(void)state;
	for (size_t len = 0; len < sizeof(text); len += 13) {
		memset(text, 'a', len);
		text[len] = '\0';
		snprintf(want, sizeof(want), "%s\n", text);
		send_line(&pieces, &answer, text, want);
	}
	send_line(&pieces, &answer, "a\tb\xc3\xa4", "a?b??\n");
	via_piece_end(&pieces, 69, piece);
	assert_int_equal(via_answer_take(&answer, piece, strlen(piece), stdout, why), 0);
	assert_true(answer.ended);
	assert_int_equal(answer.code, 69);
	assert_int_not_equal(via_answer_take(&answer, piece, strlen(piece), stdout, why), 0);
}

static void the_count_begins_anew(void **state)
{
	struct via_pieces pieces = {.next = 0xfffe};
	struct via_answer answer = {.next = 0xfffe};

	(void)state;
	for (int i = 0; i < 4; i++)
		send_line(&pieces, &answer, "x", "x\n");
	assert_int_equal(answer.next, 0x10002);
}

static void wrong_pieces(void **state)
{
	static const char *const pieces[] = {"",       "-000",     "-0001x",    "-000gx",
					     "-000Ax", "=0000x",   "-0000\n",   ".0000",
					     ".0000x", ".0000256", ".00001234", "+ 000x"};
	char piece[VIA_PIECE_MAX + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct via_answer answer = {0};

		*why = '\0';
		assert_int_not_equal(
			via_answer_take(&answer, pieces[i], strlen(pieces[i]), stdout, why), 0);
		assert_string_not_equal(why, "");
	}
	memset(piece, 'x', sizeof(piece));
	memcpy(piece, "-0000", 5);
	assert_int_not_equal(
		via_answer_take(&(struct via_answer){0}, piece, VIA_PIECE_MAX + 1, stdout, why), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_are_folded_and_counted),
		cmocka_unit_test(wrong_commands),
		cmocka_unit_test(lines_of_any_length_arrive),
		cmocka_unit_test(the_count_begins_anew),
		cmocka_unit_test(wrong_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
