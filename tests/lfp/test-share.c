/* SPDX-License-Identifier: Apache-2.0 */
/* test-share.c - counts of things by user */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lfp/share.h"

struct entry {
	struct lfp_share base;
	int mark;
};

static void mark(struct lfp_share *share)
{
	assert_int_equal(share->used[0], 0);
	((struct entry *)share)->mark = 7;
}

static void counts(void **state)
{
	struct lfp_shares shares;
	struct lfp_share *a, *b;

	(void)state;
	lfp_shares_init(&shares, sizeof(struct entry), mark);
	assert_null(lfp_share_find(&shares, 65534));
	a = lfp_share_take(&shares, 65534, 0);
	assert_int_equal(((struct entry *)a)->mark, 7);
	b = lfp_share_take(&shares, 1000, 1);
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(lfp_share_take(&shares, 65534, 2), a);
	assert_ptr_equal(lfp_share_find(&shares, 65534), a);
	assert_int_equal(shares.users.count, 2);
	assert_ptr_equal(lfp_share_most(&shares, 1), b);
	assert_null(lfp_share_most(&shares, 3));
	lfp_share_drop(&shares, a, 0);
	assert_ptr_equal(lfp_share_find(&shares, 65534), a);
	lfp_share_drop(&shares, a, 2);
	assert_null(lfp_share_find(&shares, 65534));
	lfp_share_drop(&shares, b, 1);
	assert_int_equal(shares.users.count, 0);
	assert_null(lfp_share_next(&shares, NULL));
}

/* Many users, more than there are buckets; nothing stays after them. */
static void many(void **state)
{
	enum { USERS = 5000 };
	static struct lfp_share *of[USERS];
	struct lfp_shares shares;
	struct lfp_share *share = NULL;
	unsigned int seen = 0;

	(void)state;
	lfp_shares_init(&shares, sizeof(struct lfp_share), NULL);
	for (uint32_t i = 0; i < USERS; i++)
		of[i] = lfp_share_take(&shares, i * 1000, i % LFP_SHARE_KINDS);
	while ((share = lfp_share_next(&shares, share)))
		seen++;
	assert_int_equal(seen, USERS);
	for (uint32_t i = 0; i < USERS; i++) {
		assert_ptr_equal(lfp_share_find(&shares, i * 1000), of[i]);
		lfp_share_drop(&shares, of[i], i % LFP_SHARE_KINDS);
	}
	assert_null(lfp_share_next(&shares, NULL));
}

static void bounds(void **state)
{
	(void)state;
	assert_int_equal(lfp_share_of(1024), 768);
	assert_int_equal(lfp_share_of(1), 1);
	assert_int_equal(lfp_share_of(2), 2);
	assert_int_equal(lfp_share_of(5), 4);
	assert_true(lfp_share_is_spent(1, 768, 768));
	assert_false(lfp_share_is_spent(1, 767, 768));
	assert_false(lfp_share_is_spent(0, 1024, 768));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(many),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
