/* SPDX-License-Identifier: Apache-2.0 */
/* test-watchers.c - a loop watches descriptors of any number without asking for memory */
#include "transport/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/failing-memory.h"

#define LIMIT 1000u

static void on_event(uv_poll_t *poll, int status, int events)
{
	(void)events;
	assert_int_equal(status, 0);
	uv_close((uv_handle_t *)poll, NULL);
}

static void high_numbers(void **state)
{
	struct rlimit limit;
	uv_loop_t loop;
	uv_poll_t poll;
	int low, high;

	(void)state;
	if (HAS_OWN_MALLOC)
		skip();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_cur < LIMIT ? limit.rlim_cur : LIMIT;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	low = eventfd(1, EFD_CLOEXEC);
	high = fcntl(low, F_DUPFD_CLOEXEC, (int)limit.rlim_cur - 1);
	assert_int_equal(high, limit.rlim_cur - 1);
	assert_int_equal(uv_loop_init(&loop), 0);
	/* The highest number is in use already. */
	assert_int_equal(watchers_reserve(&loop), 0);
	uv_run(&loop, UV_RUN_DEFAULT);

	memory_watched = true;
	memory_fails = 1;
	assert_int_equal(uv_poll_init(&loop, &poll, high), 0);
	assert_int_equal(uv_poll_start(&poll, UV_READABLE, on_event), 0);
	uv_run(&loop, UV_RUN_DEFAULT);
	memory_watched = false;
	assert_int_equal(memory_asked, 0);

	assert_int_equal(uv_loop_close(&loop), 0);
	close(low);
	close(high);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(high_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
