/* SPDX-License-Identifier: Apache-2.0 */
/* test-silent.c - who connects and says no HELLO keeps no LFP instance out */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "lfpd/state/session.h"
#include "tests/lfpd/vse.h"

#define SILENT 20

static void test_silent(void **state)
{
	static struct host host;
	static struct vse silent[SILENT], vse, second;

	(void)state;
	host_init(&host);
	host_start(&host);
	for (int i = 0; i < SILENT; i++) {
		vse_connect(&silent[i], &host);
		host_turn(&host);
	}
	/* The first have made room for the last, and so they do for who has something to say. */
	vse_open(&vse, &host);
	for (int i = 0; i < SILENT - 16; i++)
		vse_expect_end(&silent[i]);
	/* Who was admitted is none of them. */
	for (int i = 0; i < SILENT; i++) {
		vse_close(&silent[i]);
		vse_connect(&silent[i], &host);
		host_turn(&host);
	}
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	/* Nor is who waits for the first one to prove that it is there. */
	vse_connect(&second, &host);
	assert_int_equal(vse_hello(&second, "TESTV", "TEST").status, EBUSY);
	for (int i = 0; i < SILENT; i++)
		vse_close(&silent[i]);
	vse_close(&second);
	vse_close(&vse);
	host_stop(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_silent)};

	return cmocka_run_group_tests_name("silent connections", tests, NULL, NULL);
}
