/* SPDX-License-Identifier: Apache-2.0 */
/* test-heap.c - a process that needed much memory for a while is small again */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/heap.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_HEAP true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OWN_HEAP true
#endif
#endif
#ifndef OWN_HEAP
#define OWN_HEAP false
#endif

#define PIECE  8192u
#define PIECES 5000u /* 39 MiB */

static size_t resident(void)
{
	unsigned long total, pages;
	FILE *file = fopen("/proc/self/statm", "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%lu %lu", &total, &pages), 2);
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void goes_back(void **state)
{
	static char *pieces[PIECES], *small[PIECES];
	size_t before = resident(), full;

	(void)state;
	if (OWN_HEAP)
		skip(); /* a sanitizer's heap keeps what is freed */
	for (size_t i = 0; i < PIECES; i++) {
		pieces[i] = malloc(PIECE);
		assert_non_null(pieces[i]);
		if (i % 16 == 0) {
			small[i] = malloc(100);
			assert_non_null(small[i]);
		}
		memset(pieces[i], 1, PIECE);
		lfp_heap_taken(PIECE);
	}
	/* The kernel counts some pages of each processor later. */
	full = resident();
	assert_in_range(full - before, PIECE * PIECES / 4 * 3, SIZE_MAX / 2);
	for (size_t i = 0; i < PIECES; i++) {
		free(pieces[i]);
		lfp_heap_freed(PIECE);
	}
	/* The small ones, which stay, have kept free() from giving anything back. */
	assert_in_range(resident(), 0, before + PIECE * PIECES / 3);
	for (size_t i = 0; i < PIECES; i++)
		free(small[i]);
}

/* The last of it may be spread over all pages: one of these lies in each. */
static void the_last_quarter_too(void **state)
{
	enum { SMALL = 1000, NR = 40000, EVERY = 5 };
	static char *pieces[NR], *pin;
	size_t before = resident();

	(void)state;
	if (OWN_HEAP)
		skip();
	for (size_t i = 0; i < NR; i++) {
		pieces[i] = malloc(SMALL);
		assert_non_null(pieces[i]);
		memset(pieces[i], 1, SMALL);
		lfp_heap_taken(SMALL);
	}
	pin = malloc(SMALL);
	assert_non_null(pin);
	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < NR; i++)
			if ((i % EVERY == 0) == pass) {
				free(pieces[i]);
				lfp_heap_freed(SMALL);
			}
	assert_in_range(resident(), 0, before + SMALL * NR / 8);
	free(pin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_back),
		cmocka_unit_test(the_last_quarter_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
