/* SPDX-License-Identifier: Apache-2.0 */
/* test-buffers.c - the pool grows and shrinks; queues keep bytes in order and waste little */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfpd/base/buffers.h"
#include "tests/failing-memory.h"
#include "transport/pipes.h"

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

static uint8_t pattern(uint64_t position)
{
	return (uint8_t)(position * 2654435761u >> 13);
}

/* Returns a pipe with @len bytes of the pattern, which begin at @position. */
static struct held_pipe *piped(uint64_t position, size_t len)
{
	struct held_pipe *pipe = pipe_get();
	uint8_t bytes[20 * SIZE];

	assert_non_null(pipe);
	for (size_t i = 0; i < len; i++)
		bytes[i] = pattern(position + i);
	assert_int_equal(write(pipe->in, bytes, len), len);
	pipe->held = (uint32_t)len;
	return pipe;
}

static void add_copied(struct byte_queue *queue, struct buffer_pool *pool, uint64_t position,
		       size_t len)
{
	uint8_t bytes[20 * SIZE];

	for (size_t i = 0; i < len; i++)
		bytes[i] = pattern(position + i);
	assert_int_equal(queue_append(queue, pool, bytes, len), 0);
}

static void add_piped(struct byte_queue *queue, struct buffer_pool *pool, uint64_t position,
		      size_t len)
{
	assert_int_equal(queue_append_pipe(queue, pool, piped(position, len)), 0);
}

/* Takes up to @most of the first bytes as the owner of a queue does, and compares them. Returns
 * their number. */
static size_t take(struct byte_queue *queue, struct buffer_pool *pool, uint64_t position,
		   size_t most)
{
	struct held_pipe *pipe = queue_pipe(queue);
	uint8_t bytes[20 * SIZE];
	struct iovec vector = {bytes, 0};
	size_t nr, sum = 0;
	ssize_t n;

	if (pipe) {
		n = pipe_take(pipe, bytes, most);
		assert_in_range(n, 1, most);
		sum = (size_t)n;
	} else {
		nr = queue_vector(queue, &vector, 1, &sum);
		assert_int_equal(nr, 1);
		sum = sum < most ? sum : most;
	}
	for (size_t i = 0; i < sum; i++)
		assert_int_equal(((uint8_t *)vector.iov_base)[i], pattern(position + i));
	queue_consume(queue, pool, sum);
	return sum;
}

static void a_vector_stops_at_a_pipe(void **state)
{
	struct byte_queue queue = {.len = 0};
	struct buffer_pool pool;
	struct iovec vector[4];
	size_t sum;

	(void)state;
	assert_int_equal(buffers_init(&pool, SIZE, 0), 0);
	add_copied(&queue, &pool, 0, 100);
	add_piped(&queue, &pool, 100, 5000);
	/* Not into the buffer before the pipe, and not into the pipe's. */
	add_copied(&queue, &pool, 5100, 200);
	assert_int_equal(queue.len, 5300);
	assert_int_equal(pool.in_use, 2);
	assert_null(queue_pipe(&queue));
	assert_int_equal(queue_vector(&queue, vector, 4, &sum), 1);
	assert_int_equal(sum, 100);
	queue_consume(&queue, &pool, 100);
	assert_non_null(queue_pipe(&queue));
	assert_int_equal(queue_vector(&queue, vector, 4, &sum), 0);
	assert_int_equal(sum, 0);
	for (uint64_t at = 100; at < 5300;)
		at += take(&queue, &pool, at, 999);
	assert_int_equal(queue.len, 0);
	assert_null(queue.head);
	assert_null(queue.tail);
	assert_null(queue_pipe(&queue));
	assert_int_equal(pool.allocated, 0);
	buffers_finish(&pool);
}

static void any_pieces_with_pipes(void **state)
{
	struct byte_queue queue = {.len = 0};
	struct buffer_pool pool;
	uint64_t in = 0, out = 0;

	(void)state;
	srand(2);
	assert_int_equal(buffers_init(&pool, SIZE, 2), 0);
	for (int round = 0; round < 3000; round++) {
		size_t len = 1 + (size_t)rand() % (20 * SIZE);

		if (queue.len < 100 * SIZE && rand() % 2)
			add_piped(&queue, &pool, in, len);
		else if (queue.len < 100 * SIZE)
			add_copied(&queue, &pool, in, len);
		else
			len = 0;
		in += len;
		if (rand() % 50 == 0)
			assert_int_equal(queue_empty_pipes(&queue, &pool), 0);
		for (int i = rand() % 6; i && queue.len; i--)
			out += take(&queue, &pool, out, 1 + (size_t)rand() % (10 * SIZE));
		assert_int_equal(queue.len, in - out);
	}
	/* All at once, as at a reset: pipes lose what they hold. */
	queue_consume(&queue, &pool, queue.len);
	assert_int_equal(pool.in_use, 0);
	buffers_finish(&pool);
}

static void pipes_are_emptied(void **state)
{
	struct byte_queue queue = {.len = 0};
	struct buffer_pool pool;
	uint64_t at;

	(void)state;
	assert_int_equal(buffers_init(&pool, SIZE, 0), 0);
	add_piped(&queue, &pool, 0, 5000);
	add_copied(&queue, &pool, 5000, 1500);
	add_piped(&queue, &pool, 6500, 3000);
	at = take(&queue, &pool, 0, 70);
	assert_int_equal(queue_empty_pipes(&queue, &pool), 0);
	assert_int_equal(queue.len, 9500 - at);
	for (struct buffer *buffer = queue.head; buffer; buffer = buffer->next)
		assert_null(buffer->pipe);
	while (at < 9500)
		at += take(&queue, &pool, at, SIZE);
	assert_int_equal(pool.allocated, 0);
	buffers_finish(&pool);
}

/* Bytes that somebody else has taken cannot be saved: that is told, and the pipes are gone. */
static void a_pipe_lacks_bytes(void **state)
{
	struct byte_queue queue = {.len = 0};
	struct buffer_pool pool;
	uint8_t byte;

	(void)state;
	assert_int_equal(buffers_init(&pool, SIZE, 0), 0);
	add_piped(&queue, &pool, 0, 5000);
	add_piped(&queue, &pool, 5000, 5000);
	assert_int_equal(read(queue_pipe(&queue)->out, &byte, 1), 1);
	assert_int_equal(queue_empty_pipes(&queue, &pool), -EAGAIN);
	for (struct buffer *buffer = queue.head; buffer; buffer = buffer->next)
		assert_null(buffer->pipe);
	queue_consume(&queue, &pool, queue.len);
	assert_int_equal(pool.allocated, 0);
	buffers_finish(&pool);
}

/* Queues hold half of all pipes; then bytes are copied, and the pipe is free for others. */
static void queues_leave_pipes_to_others(void **state)
{
	struct byte_queue queue = {.len = 0};
	struct buffer_pool pool;
	unsigned int held = 0;
	uint64_t at = 0;

	(void)state;
	assert_int_equal(buffers_init(&pool, SIZE, 0), 0);
	for (uint64_t i = 0; i < 2 * PIPES_MAX; i++)
		add_piped(&queue, &pool, i * 3000, 3000);
	assert_int_equal(queue.len, 2 * PIPES_MAX * 3000);
	for (struct buffer *buffer = queue.head; buffer; buffer = buffer->next)
		held += buffer->pipe != NULL;
	assert_int_equal(held, PIPES_MAX / 2);
	while (queue.len)
		at += take(&queue, &pool, at, 3000);
	assert_int_equal(at, 2 * PIPES_MAX * 3000);
	buffers_finish(&pool);
}

/* Each allocation in turn fails: the pipe stays the caller's, with the bytes that the queue lacks.
 */
static void no_memory_for_a_pipe(void **state)
{
	struct held_pipe *others[PIPES_MAX / 2];
	struct buffer_pool pool;

	(void)state;
	if (HAS_OWN_MALLOC)
		skip();
	assert_int_equal(buffers_init(&pool, SIZE, 0), 0);
	for (size_t i = 0; i < PIPES_MAX / 2; i++)
		assert_non_null(others[i] = pipe_get());
	for (unsigned long fails = 1; fails <= 3; fails++) {
		struct held_pipe *pipe = piped(0, 3000);
		struct byte_queue queue = {.len = 0};
		int rc;

		assert_true(pipes_are_scarce());
		memory_asked = 0;
		memory_fails = fails;
		memory_watched = true;
		rc = queue_append_pipe(&queue, &pool, pipe);
		memory_watched = false;
		assert_int_equal(rc, -ENOMEM);
		assert_int_equal(pipe->held + queue.len, 3000);
		pipe_put(pipe);
		queue_consume(&queue, &pool, queue.len);
	}
	for (size_t i = 0; i < PIPES_MAX / 2; i++)
		pipe_put(others[i]);
	assert_int_equal(pool.allocated, 0);
	buffers_finish(&pool);
}

static void no_memory_for_a_place(void **state)
{
	struct byte_queue queue = {.len = 0};
	struct buffer_pool pool;
	struct held_pipe *pipe;
	int rc;

	(void)state;
	if (HAS_OWN_MALLOC)
		skip();
	assert_int_equal(buffers_init(&pool, SIZE, 0), 0);
	pipe = piped(0, 3000);
	memory_asked = 0;
	memory_fails = 1;
	memory_watched = true;
	rc = queue_append_pipe(&queue, &pool, pipe);
	memory_watched = false;
	assert_int_equal(rc, -ENOMEM);
	assert_int_equal(pipe->held, 3000);
	assert_int_equal(queue.len, 0);
	assert_null(queue.head);
	pipe_put(pipe);
	buffers_finish(&pool);
}

static int finish(void **state)
{
	(void)state;
	pipes_finish();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pool_grows_and_shrinks),
		cmocka_unit_test(tiny_pieces_share_a_buffer),
		cmocka_unit_test(order_is_kept),
		cmocka_unit_test(a_vector_stops_at_a_pipe),
		cmocka_unit_test(any_pieces_with_pipes),
		cmocka_unit_test(pipes_are_emptied),
		cmocka_unit_test(a_pipe_lacks_bytes),
		cmocka_unit_test(queues_leave_pipes_to_others),
		cmocka_unit_test(no_memory_for_a_pipe),
		cmocka_unit_test(no_memory_for_a_place),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
