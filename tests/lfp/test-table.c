/* SPDX-License-Identifier: Apache-2.0 */
/* test-table.c - what is put into the table is found, and can be taken out one by one */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lfp/table.h"

#define NR 10000

static struct lfp_table_link nodes[NR];

static uint64_t key_of(size_t i)
{
	return i % 2 ? i : (UINT64_C(1) << 63) | i;
}

static void add_find_remove(void **state)
{
	static unsigned int met[NR]; /* by lfp_table_next() */
	struct lfp_table table = {.size = 0};
	size_t left = NR / 2;
	struct lfp_table_link *node;

	(void)state;
	assert_null(lfp_table_find(&table, 1));
	assert_null(lfp_table_any(&table));
	assert_null(lfp_table_next(&table, NULL));
	for (size_t i = 0; i < NR; i++) {
		nodes[i].key = key_of(i);
		assert_int_equal(lfp_table_add(&table, &nodes[i]), 0);
	}
	assert_int_equal(table.count, NR);
	for (size_t i = 0; i < NR; i++)
		assert_ptr_equal(lfp_table_find(&table, key_of(i)), &nodes[i]);
	for (size_t i = 0; i < NR; i += 2)
		lfp_table_remove(&table, &nodes[i]);
	for (size_t i = 0; i < NR; i++)
		assert_ptr_equal(lfp_table_find(&table, key_of(i)), i % 2 ? &nodes[i] : NULL);
	node = NULL;
	for (size_t i = 0; i < NR / 2; i++) {
		node = lfp_table_next(&table, node);
		assert_non_null(node);
		assert_ptr_equal(lfp_table_find(&table, node->key), node);
		met[node - nodes]++;
	}
	assert_null(lfp_table_next(&table, node));
	for (size_t i = 0; i < NR; i++)
		assert_int_equal(met[i], i % 2);
	while ((node = lfp_table_any(&table))) {
		lfp_table_remove(&table, node);
		left--;
		/* New ones may come while it is taken down. */
		if (left == 100)
			assert_int_equal(lfp_table_add(&table, &nodes[0]), 0);
	}
	assert_int_equal(left, -1);
	assert_int_equal(table.count, 0);
	lfp_table_finish(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(add_find_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
