/* SPDX-License-Identifier: Apache-2.0 */
/* test-buffers.c - the pool grows and shrinks; queues keep bytes in order and waste little */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/base/buffers.h"

#define SIZE 1024

static void pool_grows_and_shrinks(void **state)
{
	struct buffer_pool pool;
	struct buffer *taken[10];

	(void)state;
	assert_int_equal(buffers_init(&pool, SIZE, 4), 0);
	assert_int_equal(pool.allocated, 4);
	assert_int_equal(pool.in_use, 0);
	for (size_t i = 0; i < 10; i++) {
		taken[i] = buffer_get(&pool);
		assert_non_null(taken[i]);
		assert_int_equal(pool.in_use, i + 1);
		assert_int_equal(pool.allocated, i < 4 ? 4 : i + 1);
	}
	for (size_t i = 0; i < 10; i++)
		buffer_put(&pool, taken[i]);
	assert_int_equal(pool.allocated, 4);
	assert_int_equal(pool.in_use, 0);
	buffers_finish(&pool);
	assert_int_equal(pool.allocated, 0);
}

static void tiny_pieces_share_a_buffer(void **state)
{
	struct buffer_pool pool;
	struct byte_queue queue = {.len = 0};

	(void)state;
	assert_int_equal(buffers_init(&pool, SIZE, 0), 0);
	for (int i = 0; i < SIZE; i++)
		assert_int_equal(queue_append(&queue, &pool, (const uint8_t *)"x", 1), 0);
	assert_int_equal(pool.in_use, 1);
	assert_int_equal(queue_append(&queue, &pool, (const uint8_t *)"x", 1), 0);
	assert_int_equal(pool.in_use, 2);
	queue_consume(&queue, &pool, queue.len);
	assert_null(queue.head);
	assert_null(queue.tail);
	assert_int_equal(pool.allocated, 0);
	buffers_finish(&pool);
}

/* Any pieces in, any pieces out: the same bytes. */
static void order_is_kept(void **state)
{
	static uint8_t piece[5 * SIZE], out[5 * SIZE];
	struct buffer_pool pool;
	struct byte_queue queue = {.len = 0};
	size_t in_pos = 0, out_pos = 0;

	(void)state;
	srand(1);
	assert_int_equal(buffers_init(&pool, SIZE, 2), 0);
	for (int round = 0; round < 2000; round++) {
		struct iovec vector[4];
		size_t len = (size_t)rand() % sizeof(piece), sum, nr, part, at = 0;

		for (size_t i = 0; i < len; i++)
			piece[i] = (uint8_t)((in_pos + i) * 7);
		if (queue.len < 20 * SIZE) {
			assert_int_equal(queue_append(&queue, &pool, piece, len), 0);
			in_pos += len;
		}
		nr = queue_vector(&queue, vector, 4, &sum);
		assert_true(sum <= queue.len);
		part = sum ? (size_t)rand() % (sum + 1) : 0;
		for (size_t i = 0; i < nr && at < part; i++) {
			size_t n = vector[i].iov_len < part - at ? vector[i].iov_len : part - at;

			memcpy(out + at, vector[i].iov_base, n);
			at += n;
		}
		for (size_t i = 0; i < part; i++)
			assert_int_equal(out[i], (uint8_t)((out_pos + i) * 7));
		queue_consume(&queue, &pool, part);
		out_pos += part;
		assert_int_equal(queue.len, in_pos - out_pos);
		assert_true(pool.in_use <= queue.len / SIZE + 2);
	}
	queue_consume(&queue, &pool, queue.len);
	assert_int_equal(pool.in_use, 0);
	assert_int_equal(pool.allocated, 2);
	buffers_finish(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pool_grows_and_shrinks),
		cmocka_unit_test(tiny_pieces_share_a_buffer),
		cmocka_unit_test(order_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
