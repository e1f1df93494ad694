/* SPDX-License-Identifier: Apache-2.0 */
/* test-list.c - members join lists, move between them and leave them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lfp/list.h"

#define NR 4

static struct member {
	int number;
	struct lfp_list place;
} members[NR];

static struct lfp_list list, other;

static int set_up(void **state)
{
	(void)state;
	lfp_list_init(&list);
	lfp_list_init(&other);
	for (int i = 0; i < NR; i++) {
		members[i].number = i;
		lfp_list_init(&members[i].place);
	}
	return 0;
}

/* Returns the numbers of the members as decimal digits, after a 1. */
static int order(const struct lfp_list *of)
{
	const struct member *member;
	int digits = 1;

	lfp_list_each(member, of, place)
		digits = digits * 10 + member->number;
	assert_null(member);
	return digits;
}

static void empty(void **state)
{
	(void)state;
	assert_true(lfp_list_empty(&list));
	assert_null(lfp_list_first(&list));
	assert_null(lfp_list_first_entry(&list, struct member, place));
	assert_true(lfp_list_has(&list, 0));
	assert_false(lfp_list_has(&list, 1));
	assert_int_equal(order(&list), 1);
}

static void in_order(void **state)
{
	(void)state;
	lfp_list_append(&list, &members[1].place);
	lfp_list_append(&list, &members[2].place);
	lfp_list_prepend(&list, &members[0].place);
	assert_int_equal(order(&list), 1012);
	assert_ptr_equal(lfp_list_first_entry(&list, struct member, place), &members[0]);
	assert_ptr_equal(lfp_list_next_entry(&list, &members[0], place), &members[1]);
	assert_null(lfp_list_next_entry(&list, &members[2], place));
	assert_true(lfp_list_has(&list, 3));
	assert_false(lfp_list_has(&list, 4));
	/* A member moves within its list, also if it is there already. */
	lfp_list_append(&list, &members[0].place);
	assert_int_equal(order(&list), 1120);
	lfp_list_prepend(&list, &members[0].place);
	assert_int_equal(order(&list), 1012);
	lfp_list_prepend(&list, &members[0].place);
	assert_int_equal(order(&list), 1012);
	lfp_list_append(&list, &members[2].place);
	assert_int_equal(order(&list), 1012);
}

static void moved_and_removed(void **state)
{
	(void)state;
	for (int i = 0; i < NR; i++)
		lfp_list_append(&list, &members[i].place);
	lfp_list_append(&other, &members[1].place);
	lfp_list_prepend(&other, &members[3].place);
	assert_int_equal(order(&list), 102);
	assert_int_equal(order(&other), 131);
	lfp_list_del(&members[3].place);
	lfp_list_del(&members[3].place);
	assert_int_equal(order(&other), 11);
	lfp_list_del(&members[1].place);
	assert_true(lfp_list_empty(&other));
	assert_int_equal(order(&list), 102);
}

static void removed_one_by_one(void **state)
{
	struct member *member, *next;

	(void)state;
	for (int i = 0; i < NR; i++)
		lfp_list_append(&list, &members[i].place);
	for (member = lfp_list_first_entry(&list, struct member, place); member; member = next) {
		next = lfp_list_next_entry(&list, member, place);
		if (member->number != 2)
			lfp_list_del(&member->place);
	}
	assert_int_equal(order(&list), 12);
}

static void all_at_once(void **state)
{
	(void)state;
	lfp_list_append_all(&list, &other);
	assert_int_equal(order(&list), 1);
	lfp_list_append(&list, &members[0].place);
	lfp_list_append(&other, &members[1].place);
	lfp_list_append(&other, &members[2].place);
	lfp_list_append_all(&list, &other);
	assert_int_equal(order(&list), 1012);
	assert_true(lfp_list_empty(&other));
	lfp_list_append(&list, &members[3].place);
	assert_int_equal(order(&list), 10123);
	/* To an empty list, and backwards: each link is right in both directions. */
	lfp_list_append_all(&other, &list);
	assert_int_equal(order(&other), 10123);
	for (int i = NR; i-- > 0; lfp_list_del(other.prev))
		assert_ptr_equal(other.prev, &members[i].place);
	assert_true(lfp_list_empty(&other));
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(empty),
		TEST(in_order),
		TEST(moved_and_removed),
		TEST(removed_one_by_one),
		TEST(all_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
