/* SPDX-License-Identifier: Apache-2.0 */
/* test-vsock.c - the table of sockets, and the queue of one */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ijblfp/ctl/task.h"
#include "ijblfp/sock/listener.h"
#include "ijblfp/sock/renew.h"
#include "ijblfp/sock/vsock.h"
#include "tests/failing-memory.h"
#include "transport/pipes.h"

static void table(void **state)
{
	struct vsock_table table;

	(void)state;
	vsock_table_init(&table);
	for (uint64_t i = 1; i <= 5000; i++) {
		struct vsock *vs = vsock_create(&table, 0);

		assert_non_null(vs);
		assert_int_equal(vs->id, i);
		assert_non_null(vsock_create(&table, LFP_ID_LFPD | i));
	}
	assert_null(vsock_create(&table, 77));
	for (uint64_t i = 1; i <= 5000; i += 2) {
		struct vsock *vs = vsock_find(&table, LFP_ID_LFPD | i);

		assert_non_null(vs);
		vsock_set_state(&table, vs, VSOCK_CLOSING);
		vsock_destroy(&table, vsock_find(&table, i));
	}
	assert_int_equal(vsock_active(&table), 5000);
	assert_null(vsock_find(&table, 1));
	assert_non_null(vsock_find(&table, 2));
	/* Ids are never used twice. */
	assert_int_equal(vsock_create(&table, 0)->id, 5001);
	vsock_table_finish(&table);
}

/* A near end is found by its cookie; its name has to fit where cookies are not unique. */
static void near_ends(void **state)
{
	struct near_id first = {.name = 11, .cookie = 70}, next = {.name = 12, .cookie = 70 + 4096};
	struct near_id other = {.name = 12, .cookie = 70};
	struct vsock_table table;
	struct vsock *vs;
	bool now = false;

	(void)state;
	vsock_table_init(&table);
	vs = vsock_create(&table, 0);
	vsock_set_near(&table, vs, &first);
	assert_ptr_equal(vsock_find_near(&table, &first, &now), vs);
	assert_true(now);
	assert_null(vsock_find_near(&table, &other, &now));
	assert_null(vsock_find_cookie(&table, 71, &now));
	vsock_set_near(&table, vs, &next);
	assert_ptr_equal(vsock_find_cookie(&table, first.cookie, &now), vs);
	assert_false(now);
	for (int i = 0; i < 1000; i++)
		assert_non_null(vsock_create(&table, 0));
	assert_ptr_equal(vsock_find_cookie(&table, next.cookie, &now), vs);
	assert_true(now);
	/* The rights are taken from it. */
	vsock_set_near(&table, vs, &(struct near_id){.name = 0});
	assert_null(vsock_find_cookie(&table, 0, &now));
	vsock_destroy(&table, vs);
	assert_null(vsock_find_cookie(&table, next.cookie, &now));
	vsock_table_finish(&table);
}

static void swept_while_new(void **state)
{
	struct vsock_table table;
	struct vsock *vs;

	(void)state;
	vsock_table_init(&table);
	vs = vsock_create(&table, 0);
	assert_true(lfp_list_empty(&table.swept));
	vsock_set_state(&table, vs, VSOCK_NEW);
	assert_ptr_equal(table.swept.next, &vs->swept);
	vsock_set_state(&table, vs, VSOCK_CONNECTING);
	assert_true(lfp_list_empty(&table.swept));
	vsock_set_state(&table, vs, VSOCK_NEW);
	vsock_destroy(&table, vs);
	assert_true(lfp_list_empty(&table.swept));
	vsock_table_finish(&table);
}

/* Tiny pieces share a chunk, and nothing is lost or out of order. */
static void queue(void **state)
{
	struct vsock_table table;
	struct vsock *vs;
	struct chunk *chunk;
	uint8_t data[9000];
	size_t size = 0, put = 0, at = 0;

	(void)state;
	vsock_table_init(&table);
	vs = vsock_create(&table, 0);
	while (put < 65535) {
		size_t len = (size_t)(random() % 3 ? 1 + random() % 4 : 1 + random() % 9000);

		if (len > 65535 - put)
			len = 65535 - put;
		for (size_t i = 0; i < len; i++)
			data[i] = (uint8_t)((put + i) * 7);
		assert_int_equal(vsock_queue(vs, data, len), 0);
		put += len;
	}
	lfp_list_each(chunk, &vs->stream.queue, place) {
		size += chunk->size;
		for (size_t i = chunk->from; i < chunk->to; i++)
			assert_int_equal(chunk->data[i], (uint8_t)(at++ * 7));
	}
	assert_int_equal(at, 65535);
	assert_true(size < 65535 + 8192);
	vsock_table_finish(&table);
}

/* Returns a pipe with @len bytes of the queue's pattern, which begin at @position. */
static struct held_pipe *piped(size_t position, size_t len)
{
	struct held_pipe *pipe = pipe_get();
	uint8_t data[9000];

	assert_non_null(pipe);
	assert_true(len <= sizeof(data));
	for (size_t i = 0; i < len; i++)
		data[i] = (uint8_t)((position + i) * 7);
	assert_int_equal(write(pipe->in, data, len), len);
	pipe->held = (uint32_t)len;
	return pipe;
}

/* Bytes of a chunk, which a pipe may have. */
static void compare(struct chunk *chunk, size_t position)
{
	uint8_t data[9000], *bytes = chunk->data + chunk->from;
	size_t len = chunk->to - chunk->from;

	if (chunk->pipe) {
		assert_int_equal(chunk->pipe->held, len);
		assert_int_equal(pipe_take(chunk->pipe, data, len), len);
		bytes = data;
	}
	for (size_t i = 0; i < len; i++)
		assert_int_equal(bytes[i], (uint8_t)((position + i) * 7));
}

/* Copied bytes never go before those of a pipe. Queues hold half of all pipes, then copies. */
static void queue_with_pipes(void **state)
{
	struct vsock_table table;
	struct vsock *vs;
	struct chunk *chunk;
	size_t put = 0, at = 0;
	unsigned int pipes = 0;

	(void)state;
	vsock_table_init(&table);
	vs = vsock_create(&table, 0);
	for (int i = 0; i < 200; i++) {
		uint8_t data[100];

		assert_int_equal(vsock_queue_pipe(vs, piped(put, 5000)), 0);
		put += 5000;
		for (size_t k = 0; k < sizeof(data); k++)
			data[k] = (uint8_t)((put + k) * 7);
		assert_int_equal(vsock_queue(vs, data, sizeof(data)), 0);
		put += sizeof(data);
	}
	lfp_list_each(chunk, &vs->stream.queue, place)
		pipes += chunk->pipe != NULL;
	assert_int_equal(pipes, PIPES_MAX / 2);
	while (at < 100 * 5100) {
		chunk = vsock_first_chunk(vs);
		compare(chunk, at);
		at += chunk->to - chunk->from;
		vsock_chunk_free(chunk);
	}
	/* The rest goes with the socket. */
	vsock_table_finish(&table);
}

/* A piece that memory ends for stays with its pipe, which is the caller's. */
static void no_memory_for_a_pipe(void **state)
{
	struct held_pipe *others[PIPES_MAX / 2], *pipe;
	struct vsock_table table;
	struct vsock *vs;
	int rc;

	(void)state;
	if (HAS_OWN_MALLOC)
		skip();
	vsock_table_init(&table);
	vs = vsock_create(&table, 0);
	for (size_t nr = 0; nr <= PIPES_MAX / 2; nr += PIPES_MAX / 2) {
		for (size_t i = 0; i < nr; i++)
			assert_non_null(others[i] = pipe_get());
		pipe = piped(0, 3000);
		assert_int_equal(pipes_are_scarce(), nr > 0);
		memory_asked = 0;
		memory_fails = 1;
		memory_watched = true;
		rc = vsock_queue_pipe(vs, pipe);
		memory_watched = false;
		assert_int_equal(rc, -ENOMEM);
		assert_int_equal(pipe->held, 3000);
		assert_true(lfp_list_empty(&vs->stream.queue));
		pipe_put(pipe);
		for (size_t i = 0; i < nr; i++)
			pipe_put(others[i]);
	}
	vsock_table_finish(&table);
}

/* Only listeners have the part. It outlives listening, and connections on it outlive it. */
static void listener_part(void **state)
{
	struct vsock_table table;
	struct vsock_listener *own;
	struct vsock *vs, *conn;

	(void)state;
	vsock_table_init(&table);
	vs = vsock_create(&table, 0);
	conn = vsock_create(&table, 0);
	assert_null(vs->as_listener);
	assert_int_equal(vs->listened, LISTENER_NEVER);
	assert_int_equal(listener_make(vs), 0);
	own = vs->as_listener;
	assert_non_null(own);
	listener_begin(vs);
	assert_int_equal(vs->listened, LISTENER_NOW);
	own->credits_wanted = own->credits_out = 3;
	listener_stop(vs);
	assert_int_equal(vs->listened, LISTENER_WAS);
	renew_life(&table, vs);
	assert_int_equal(vs->listened, LISTENER_WAS);
	assert_int_equal(own->credits_wanted, 0);
	assert_int_equal(own->credits_out, 0);
	assert_int_equal(listener_make(vs), 0);
	assert_ptr_equal(vs->as_listener, own);
	listener_begin(vs);
	lfp_list_append(&own->records, &conn->place);
	vsock_destroy(&table, vs);
	assert_true(lfp_list_empty(&conn->place));
	vsock_table_finish(&table);
}

static void task_ids(void **state)
{
	static const struct {
		uint32_t slot;
		const char *id, *partition;
	} want[] = {
		{0, "22", "BG"},  {1, "23", "F1"},  {9, "2B", "F9"},    {10, "2C", "FA"},
		{11, "2D", "FB"}, {12, "2E", "Z1"}, {20, "36", "Z9"},   {21, "37", "ZA"},
		{42, "4C", "ZV"}, {43, "4D", "Y1"}, {512, "222", "JG"},
	};
	char id[9], partition[9];

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		task_id_text(want[i].slot, id, partition);
		assert_string_equal(id, want[i].id);
		if (want[i].slot < 512)
			assert_string_equal(partition, want[i].partition);
		assert_int_equal(strlen(partition), 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(near_ends),
		cmocka_unit_test(swept_while_new),
		cmocka_unit_test(queue),
		cmocka_unit_test(queue_with_pipes),
		cmocka_unit_test(no_memory_for_a_pipe),
		cmocka_unit_test(listener_part),
		cmocka_unit_test(task_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
