/* SPDX-License-Identifier: Apache-2.0 */
/* test-table.c - members of a table are found by their keys, and can be removed one by one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "lfp/table.h"
#include "tests/failing-memory.h"
#include "tests/qemu-user.h"

#define NR 10000

static struct member {
	unsigned int met; /* by lfp_table_next() */
	struct lfp_table_link link;
} members[NR];

static struct member *member_of(struct lfp_table_link *link)
{
	return lfp_table_entry(link, struct member, link);
}

static struct member *find(const struct lfp_table *table, uint64_t key)
{
	return member_of(lfp_table_find(table, key));
}

static uint64_t from_two_bases(size_t i)
{
	return i % 2 ? i : (UINT64_C(1) << 63) | i;
}

static uint64_t with_equal_lower_bits(size_t i)
{
	return (uint64_t)i << 32;
}

static void add_all(struct lfp_table *table, uint64_t (*key_of)(size_t i))
{
	memset(members, 0, sizeof(members));
	for (size_t i = 0; i < NR; i++)
		lfp_table_add(table, &members[i].link, key_of(i));
	assert_int_equal(table->count, NR);
}

/* Goes over the table and expects each member that is in it, odd ones, once. */
static void meet_odd_ones(const struct lfp_table *table)
{
	struct lfp_table_link *link = NULL;

	while ((link = lfp_table_next(table, link)))
		member_of(link)->met++;
	for (size_t i = 0; i < NR; i++)
		assert_int_equal(members[i].met, i % 2);
}

static void empty(struct lfp_table *table)
{
	struct lfp_table_link *link;
	size_t left = table->count;

	while ((link = lfp_table_any(table))) {
		lfp_table_remove(table, link);
		left--;
		/* Others may be added meanwhile. */
		if (left == 100)
			lfp_table_add(table, &members[0].link, 0);
	}
	assert_int_equal(left, -1);
	assert_int_equal(table->count, 0);
	assert_null(lfp_table_next(table, NULL));
}

static void add_find_remove(enum lfp_keys keys, uint64_t (*key_of)(size_t i))
{
	struct lfp_table table = {.keys = keys};

	assert_null(find(&table, 1));
	assert_null(lfp_table_any(&table));
	assert_null(lfp_table_next(&table, NULL));
	add_all(&table, key_of);
	for (size_t i = 0; i < NR; i++)
		assert_ptr_equal(find(&table, key_of(i)), &members[i]);
	for (size_t i = 0; i < NR; i += 2)
		lfp_table_remove(&table, &members[i].link);
	for (size_t i = 0; i < NR; i++)
		assert_ptr_equal(find(&table, key_of(i)), i % 2 ? &members[i] : NULL);
	meet_odd_ones(&table);
	empty(&table);
	assert_null(table.many);
}

static void dense_keys(void **state)
{
	(void)state;
	add_find_remove(LFP_KEYS_DENSE, from_two_bases);
}

static void sparse_keys(void **state)
{
	(void)state;
	add_find_remove(LFP_KEYS_SPARSE, with_equal_lower_bits);
}

/* The peer chooses keys that all have the same chain. */
static void hostile_keys(void **state)
{
	(void)state;
	add_find_remove(LFP_KEYS_DENSE, with_equal_lower_bits);
}

static size_t longest_chain(const struct lfp_table *table)
{
	size_t most = 0;

	assert_non_null(table->many);
	for (size_t i = 0; i < table->size; i++) {
		size_t nr = 0;

		for (struct lfp_table_link *link = table->many[i]; link; link = link->next)
			nr++;
		if (nr > most)
			most = nr;
	}
	return most;
}

static void chains_are_short(void **state)
{
	struct lfp_table dense = {.keys = LFP_KEYS_DENSE}, sparse = {.keys = LFP_KEYS_SPARSE};

	(void)state;
	add_all(&dense, from_two_bases);
	assert_in_range(longest_chain(&dense), 1, 2);
	lfp_table_finish(&dense);
	add_all(&sparse, with_equal_lower_bits);
	assert_in_range(longest_chain(&sparse), 1, 8);
	lfp_table_finish(&sparse);
	assert_null(find(&sparse, with_equal_lower_bits(1)));
}

/* The member that was added last comes first, also after the table has grown. */
static void equal_keys(void **state)
{
	enum { EQUAL = 3 };
	struct lfp_table table = {.keys = LFP_KEYS_DENSE};
	struct member *member;

	(void)state;
	for (size_t i = 0; i < NR; i++)
		lfp_table_add(&table, &members[i].link, i < EQUAL ? 7 : 7 + i);
	member = find(&table, 7);
	for (size_t i = EQUAL; i-- > 0;) {
		assert_ptr_equal(member, &members[i]);
		member = member_of(lfp_table_find_more(&member->link));
	}
	assert_null(member);
	lfp_table_finish(&table);
}

static void remove_while_met(void **state)
{
	struct lfp_table table = {.keys = LFP_KEYS_DENSE};
	struct lfp_table_link *link, *next;
	size_t met = 0;

	(void)state;
	add_all(&table, from_two_bases);
	for (link = lfp_table_next(&table, NULL); link; link = next) {
		next = lfp_table_next(&table, link);
		lfp_table_remove(&table, link);
		memset(link, 0xFF, sizeof(*link));
		met++;
	}
	assert_int_equal(met, NR);
	assert_int_equal(table.count, 0);
	assert_null(table.many);
}

/* Adding does not fail. The table grows as soon as there is memory for that. */
static void no_memory(void **state)
{
	struct lfp_table table = {.keys = LFP_KEYS_DENSE};

	(void)state;
	QEMU_USER_LACKS("a heap that is the test's alone");
	if (HAS_OWN_MALLOC)
		skip();
	for (size_t i = 0; i <= LFP_TABLE_FEW; i++) {
		memory_asked = 0;
		memory_fails = 1;
		memory_watched = true;
		lfp_table_add(&table, &members[i].link, i);
		memory_watched = false;
		assert_int_equal(memory_asked, i == LFP_TABLE_FEW);
	}
	assert_null(table.many);
	for (size_t i = 0; i <= LFP_TABLE_FEW; i++)
		assert_ptr_equal(find(&table, i), &members[i]);
	lfp_table_add(&table, &members[NR - 1].link, NR - 1);
	assert_int_equal(table.size, 2 * LFP_TABLE_FEW);
	for (size_t i = 0; i <= LFP_TABLE_FEW; i++)
		assert_ptr_equal(find(&table, i), &members[i]);
	lfp_table_finish(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dense_keys),   cmocka_unit_test(sparse_keys),
		cmocka_unit_test(hostile_keys), cmocka_unit_test(chains_are_short),
		cmocka_unit_test(equal_keys),   cmocka_unit_test(remove_while_met),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
