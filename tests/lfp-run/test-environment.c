/* SPDX-License-Identifier: Apache-2.0 */
/* test-environment.c - the environment of the program */
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lfp-run/environment.h"
#include "libvsesock/core/cookie.h"
#include "libvsesock/core/raw.h"

#define OURS "/usr/lib/" SHIM

static const char *first = "";

static void assert_preload(const char *before, const char *after)
{
	if (before)
		setenv("LD_PRELOAD", before, 1);
	else
		unsetenv("LD_PRELOAD");
	assert_int_equal(environment_preload(OURS, first), 0);
	assert_string_equal(getenv("LD_PRELOAD"), after);
}

static void assert_no_preload(const char *before, const char *after)
{
	setenv("LD_PRELOAD", before, 1);
	assert_int_equal(environment_no_preload(), 0);
	if (after)
		assert_string_equal(getenv("LD_PRELOAD"), after);
	else
		assert_null(getenv("LD_PRELOAD"));
}

static void test_preload(void **state)
{
	(void)state;
	assert_preload(NULL, OURS);
	assert_preload("", OURS);
	assert_preload("libdl.so.2", OURS ":libdl.so.2");
	assert_preload(OURS, OURS);
	assert_preload(OURS ":other.so", OURS ":other.so");
	assert_preload(OURS ".1", OURS ":" OURS ".1");
}

static void test_sanitizer_first(void **state)
{
	(void)state;
	first = "libasan.so.8";
	assert_preload(NULL, "libasan.so.8:" OURS);
	assert_preload("", "libasan.so.8:" OURS);
	assert_preload(OURS, "libasan.so.8:" OURS ":" OURS);
	assert_preload("libasan.so.8", "libasan.so.8:" OURS);
	assert_preload("libasan.so.8:" OURS, "libasan.so.8:" OURS);
	assert_preload("libasan.so.8 a.so", "libasan.so.8:" OURS ":a.so");
	first = "";
}

static void test_no_preload(void **state)
{
	(void)state;
	assert_no_preload(OURS, NULL);
	assert_no_preload(SHIM, NULL);
	assert_no_preload("a.so:" OURS " b.so", "a.so:b.so");
	assert_no_preload("a.so b.so", "a.so:b.so");
	assert_no_preload("/x/not" SHIM, "/x/not" SHIM);
	assert_no_preload(":", NULL);
	unsetenv("LD_PRELOAD");
	assert_int_equal(environment_no_preload(), 0);
	assert_null(getenv("LD_PRELOAD"));
}

/* The shim reads the values that lfp-run writes. */
static void test_cookie(void **state)
{
	static const char *const bad[] = {"", "1", "0123456789abcdeg", "0123456789abcdef0"};

	(void)state;
	assert_int_equal(environment_cookie(UINT64_C(0xfedcba9876543210)), 0);
	assert_string_equal(getenv(COOKIE_VARIABLE), "fedcba9876543210");
	cookie_init();
	assert_int_equal((uint64_t)raw_cookie, UINT64_C(0xfedcba9876543210));
	raw_cookie = 0;
	environment_cookie(1);
	assert_string_equal(getenv(COOKIE_VARIABLE), "0000000000000001");
	environment_cookie(0);
	assert_null(getenv(COOKIE_VARIABLE));
	cookie_init();
	assert_int_equal(raw_cookie, 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		setenv(COOKIE_VARIABLE, bad[i], 1);
		cookie_init();
		assert_int_equal(raw_cookie, 0);
	}
	unsetenv(COOKIE_VARIABLE);
}

/* libc's own calls, which do not set the register, must not find the cookie in it. */
static void test_cookie_is_cleared(void **state)
{
	long left = 0;

	(void)state;
	raw_call(SYS_getsockopt, -1, 0, 0, 0, 0, 0x1234567);
#if defined(__x86_64__)
	__asm__ volatile("mov %%r9, %0" : "=r"(left));
#elif defined(__s390x__)
	__asm__ volatile("lgr %0, %%r7" : "=d"(left));
#elif defined(__aarch64__)
	__asm__ volatile("mov %0, x5" : "=r"(left));
#endif
	assert_int_not_equal(left, 0x1234567);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_preload),           cmocka_unit_test(test_sanitizer_first),
		cmocka_unit_test(test_no_preload),        cmocka_unit_test(test_cookie),
		cmocka_unit_test(test_cookie_is_cleared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
