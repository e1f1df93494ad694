/* SPDX-License-Identifier: Apache-2.0 */
/* test-silent.c - a client without HELLO keeps no LFP instance out */
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
	/* The oldest clients make room for the newest, and for a client that sends HELLO. */
	vse_open(&vse, &host);
	for (int i = 0; i < SILENT - 16; i++)
		vse_expect_end(&silent[i]);
	/* The admitted client is never dropped. */
	for (int i = 0; i < SILENT; i++) {
		vse_close(&silent[i]);
		vse_connect(&silent[i], &host);
		host_turn(&host);
	}
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	/* Nor is a client that waits while lfpd checks the present session. */
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
