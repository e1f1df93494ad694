/* SPDX-License-Identifier: Apache-2.0 */
/* test-sntp.c - the time of a server, and what is no answer of it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "lfp/bigend.h"
#include "via/sntp.h"

#define NONCE 0x0123456789abcdefu

static uint8_t data[VIA_SNTP_LEN];
static int64_t ns;

static int setup(void **state)
{
	(void)state;
	memset(data, 0, sizeof(data));
	data[0] = 4 << 3 | 4;
	data[1] = 2;
	be64_put(data + 24, NONCE);
	be32_put(data + 40, 3973708800u); /* 3 December 2025, 00:00 */
	be32_put(data + 44, 0x80000000u);
	return 0;
}

static int get(void)
{
	return sntp_answer(data, sizeof(data), NONCE, &ns);
}

static void a_good_answer(void **state)
{
	(void)state;
	assert_int_equal(get(), 0);
	assert_int_equal(ns, 1764720000500000000);
	be32_put(data + 40, 0); /* in 2036, as in RFC 4330 section 3 */
	assert_int_equal(get(), 0);
	assert_int_equal(ns / 1000000000, 2085978496);
}

static void no_answers(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(data); len++)
		assert_int_not_equal(sntp_answer(data, len, NONCE, &ns), 0);
	assert_int_not_equal(sntp_answer(data, sizeof(data), NONCE + 1, &ns), 0);
	data[0] = 4 << 3 | 3; /* another client's question */
	assert_int_not_equal(get(), 0);
	data[0] = 3 << 6 | 4 << 3 | 4; /* the server does not know the time */
	assert_int_not_equal(get(), 0);
	(void)setup(state);
	data[1] = 0; /* "kiss of death" */
	assert_int_not_equal(get(), 0);
	data[1] = 16;
	assert_int_not_equal(get(), 0);
	(void)setup(state);
	be64_put(data + 40, 0);
	assert_int_not_equal(get(), 0);
}

static void the_question(void **state)
{
	(void)state;
	sntp_question(data, NONCE);
	assert_int_equal(data[0], 0x23);
	assert_int_equal(be64_get(data + 40), NONCE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_good_answer, setup),
		cmocka_unit_test_setup(no_answers, setup),
		cmocka_unit_test_setup(the_question, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
