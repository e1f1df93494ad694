/* SPDX-License-Identifier: Apache-2.0 */
/* test-grave.c - graves: reported once, bounded, the oldest go first */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "ijblfp/near/grave.h"

static void told_once(void **state)
{
	struct graves graves;
	struct grave *found;

	(void)state;
	assert_int_equal(graves_init(&graves), 0);
	graves_add(&graves,
		   &(struct grave){.id = {.name = 7, .cookie = 70}, .error = ECONNREFUSED});
	assert_null(graves_find(&graves, &(struct near_id){8, 70, 0}));
	assert_null(graves_find(&graves, &(struct near_id){7, 71, 0}));
	found = graves_find(&graves, &(struct near_id){7, 70, 0});
	assert_non_null(found);
	assert_int_equal(grave_take_error(found), ECONNREFUSED);
	assert_int_equal(grave_take_error(found), 0);
	assert_ptr_equal(graves_find(&graves, &(struct near_id){7, 70, 0}), found);
	graves_finish(&graves);
}

/* A near end that is buried twice: the later grave counts. */
static void latest_found(void **state)
{
	struct graves graves;

	(void)state;
	assert_int_equal(graves_init(&graves), 0);
	graves_add(&graves,
		   &(struct grave){.id = {.name = 7, .cookie = 70}, .error = ECONNREFUSED});
	graves_add(&graves, &(struct grave){.id = {.name = 7, .cookie = 70}, .error = ETIMEDOUT});
	for (uint64_t i = 100; i < 1000; i++)
		graves_add(&graves,
			   &(struct grave){.id = {.name = i, .cookie = i}, .error = EPIPE});
	assert_int_equal(graves_find(&graves, &(struct near_id){7, 70, 0})->error, ETIMEDOUT);
	graves_finish(&graves);
}

static void bounded(void **state)
{
	struct graves graves;
	const uint64_t nr = 3 * GRAVES_MAX + 5;

	(void)state;
	assert_int_equal(graves_init(&graves), 0);
	for (uint64_t i = 1; i <= nr; i++) {
		graves_add(&graves,
			   &(struct grave){.id = {.name = i, .cookie = i + 1}, .error = 1});
	}
	for (uint64_t i = 1; i <= nr; i++) {
		struct grave *grave = graves_find(&graves, &(struct near_id){i, i + 1, 0});

		if (i <= nr - GRAVES_MAX)
			assert_null(grave);
		else
			assert_non_null(grave);
	}
	graves_finish(&graves);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_once),
		cmocka_unit_test(latest_found),
		cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
