/* SPDX-License-Identifier: Apache-2.0 */
/* test-share-spares.c - sockets that no program needs yet take a part of what the others leave */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <sys/socket.h>

#include "tests/lfpd/sharing.h"

/* Sockets that nobody needs yet take at most a quarter of what the others leave, and their refusal
 * is no news. */
static void spare_sockets(void **state)
{
	struct lfp_frame listens = {.code = LFP_LISTEN, .sock = 1, .listen.backlog = 1};

	(void)state;
	sharing_log();
	host.config.max_sockets = 24;
	one_path_start();
	assert_int_equal(sharing_begin(2, USER_A), 0);
	assert_int_equal(sharing_begin(3, USER_B), 0);
	assert_int_equal(sharing_begin(4, 0), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(sharing_make_kind(2, LFP_KIND_SPARE), 0);
	/* A quarter of 18, a user's share. */
	assert_int_equal(sharing_make_kind(2, LFP_KIND_SPARE), EBUSY);
	assert_int_equal(sharing_make_kind(3, LFP_KIND_SPARE), 0);
	assert_int_equal(sharing_make_kind(3, LFP_KIND_SPARE), 0);
	/* A quarter of all, also for root. */
	assert_int_equal(sharing_make_kind(3, LFP_KIND_SPARE), EBUSY);
	assert_int_equal(sharing_make_kind(4, LFP_KIND_SPARE), EBUSY);
	assert_int_equal(sharing_make_kind(3, LFP_KIND_SPARE + 1), EINVAL);
	assert_int_equal(host.inst.nr_spares, 6);
	/* A program uses one, so it leaves a quarter of 23 to the others. */
	assert_int_equal(vse_ask(&vse, listens).status, 0);
	assert_int_equal(host.inst.nr_spares, 5);
	assert_int_equal(sharing_make_kind(3, LFP_KIND_SPARE), EBUSY);
	assert_int_equal(vse_close_socket(&vse, 2, 0, 0), 0);
	assert_int_equal(host.inst.nr_spares, 4);
	assert_int_equal(sharing_make_kind(3, LFP_KIND_SPARE), 0);
	assert_int_equal(host.inst.counters.sockets_refused, 1);
	assert_int_equal(sharing_logged("VLFD116W") + sharing_logged("VLFD160W"), 0);
	vse_close(&vse);
	sharing_log_end();
}

/* As many as before while less than a quarter is in use, and some nearly to the end. */
static void spare_sockets_beside_many(void **state)
{
	(void)state;
	host.config.max_sockets = 40;
	one_path_start();
	assert_int_equal(sharing_begin(2, 0), 0);
	for (int i = 0; i < 36; i++)
		assert_int_equal(sharing_make(2), 0);
	assert_int_equal(sharing_make_kind(2, LFP_KIND_SPARE), 0);
	assert_int_equal(sharing_make_kind(2, LFP_KIND_SPARE), EBUSY);
	assert_int_equal(vse_close_socket(&vse, 37, 0, 0), 0);
	assert_int_equal(sharing_make(2), 0);
	assert_int_equal(sharing_make_kind(2, LFP_KIND_SPARE), EBUSY);
	assert_int_equal(host.inst.nr_spares, 0);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sharing_set_up, one_path_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(spare_sockets),
		TEST(spare_sockets_beside_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
