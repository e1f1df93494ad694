/* SPDX-License-Identifier: Apache-2.0 */
/* test-shm-ring.c - a ring in shared memory whose other side breaks its rules, and the poll before
 * sleep */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "transport/shm-ring.h"
#include "transport/transport.h"

#define RING 65536u

struct rings {
	struct shm_control *control;
	struct shm_ring writer, reader;
};

static int setup_rings(void **state)
{
	struct rings *r = calloc(1, sizeof(*r));
	uint8_t *data = aligned_alloc(4096, 2 * RING); /* not mapped twice: no record may wrap */

	r->control = aligned_alloc(SHM_LINE, sizeof(*r->control));
	memset(r->control, 0, sizeof(*r->control));
	r->writer = (struct shm_ring){.control = r->control, .data = data, .size = RING};
	r->reader = r->writer;
	*state = r;
	return 0;
}

static int teardown_rings(void **state)
{
	struct rings *r = *state;

	free(r->writer.data);
	free(r->control);
	free(r);
	return 0;
}

static void put(struct rings *r, size_t len, uint8_t byte)
{
	uint8_t *place = shm_ring_place(&r->writer, len);

	assert_non_null(place);
	memset(place, byte, len);
	shm_ring_publish(&r->writer, len);
}

static void test_order_and_room(void **state)
{
	struct rings *r = *state;
	const uint8_t *packet;

	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), -EAGAIN);
	put(r, 1000, 1);
	put(r, 1, 2);
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), 1000);
	assert_int_equal(packet[0], 1);
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), 1);
	assert_int_equal(packet[0], 2);
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), -EAGAIN);
	/* Not released: still the reader's. */
	assert_null(shm_ring_place(&r->writer, RING - 1000));
	shm_ring_release(&r->reader);
	assert_non_null(shm_ring_place(&r->writer, RING - 1032));
}

static void test_words(void **state)
{
	struct rings *r = *state;
	const uint8_t *packet;

	put(r, 10, 1);
	assert_false(shm_ring_must_wake_reader(&r->writer));
	/* Something is there: no sleep. */
	assert_false(shm_ring_sleep(&r->reader));
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), 10);
	shm_ring_release(&r->reader);
	assert_true(shm_ring_sleep(&r->reader));
	put(r, 10, 1);
	assert_true(shm_ring_must_wake_reader(&r->writer));
	assert_false(shm_ring_must_wake_reader(&r->writer)); /* one wake-up a sleep */
	shm_ring_awake(&r->reader);
	put(r, 32000, 1);
	put(r, 32000, 1);
	assert_true(shm_ring_wait_room(&r->writer, 32000));
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), 10);
	assert_false(shm_ring_release(&r->reader)); /* less than half is free */
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), 32000);
	assert_true(shm_ring_release(&r->reader));
	assert_false(shm_ring_wait_room(&r->writer, 32000));
}

static void expect_broken(struct rings *r, uint64_t head)
{
	const uint8_t *packet;

	atomic_store(&r->control->head, head);
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), -EPROTO);
	assert_true(r->reader.broken);
	/* It stays so, whatever comes. */
	atomic_store(&r->control->head, 0);
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), -EPROTO);
}

static void test_head_too_far(void **state)
{
	expect_broken(*state, RING + 8);
}

static void test_head_enormous(void **state)
{
	expect_broken(*state, UINT64_MAX - 7);
}

static void test_head_goes_back(void **state)
{
	struct rings *r = *state;
	const uint8_t *packet;

	put(r, 100, 1);
	assert_int_equal(shm_ring_next(&r->reader, &packet, RING), 100);
	expect_broken(r, 8);
}

static void test_head_between_records(void **state)
{
	struct rings *r = *state;

	put(r, 100, 1);
	expect_broken(r, 5);
}

static void test_length(void **state)
{
	static const uint32_t lengths[] = {101, RING, 0x7fffffff, UINT32_MAX, UINT32_MAX - 7};
	struct rings *r = *state;
	const uint8_t *packet;

	put(r, 100 - 4, 1);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		r->reader.broken = false;
		memcpy(r->writer.data, &lengths[i], 4);
		assert_int_equal(shm_ring_next(&r->reader, &packet, UINT32_MAX), -EPROTO);
	}
}

static void test_longer_than_mtu(void **state)
{
	struct rings *r = *state;
	const uint8_t *packet;

	put(r, 100, 1);
	assert_int_equal(shm_ring_next(&r->reader, &packet, 99), -EMSGSIZE);
}

static void test_tail(void **state)
{
	static const uint64_t tails[] = {9000, UINT64_MAX, UINT64_C(1) << 40};
	struct rings *r = *state;

	put(r, 8000, 1);
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		r->writer.broken = false;
		atomic_store(&r->control->tail, tails[i]);
		assert_null(shm_ring_place(&r->writer, 60000));
		assert_true(r->writer.broken);
	}
}

static void test_poll(void **state)
{
	struct shm_poll poll = {.most = 200000};
	uint64_t now = 1000, hits = 0, misses = 0;

	(void)state;
	/* It begins without, and learns that packets come soon. */
	assert_false(shm_poll_goes_on(&poll, now, &misses));
	for (int i = 0; i < 10; i++) {
		shm_poll_hit(&poll, now += 5000, &hits);
		(void)shm_poll_goes_on(&poll, now, &misses);
	}
	assert_true(hits > 5);
	assert_int_equal(poll.budget, 200000);
	/* It ends at the latest after the most. */
	now += 200000;
	assert_false(shm_poll_goes_on(&poll, now, &misses));
	assert_int_equal(misses, 1);
	/* Packets that come late turn it off. */
	for (int i = 0; i < 10; i++) {
		shm_poll_hit(&poll, now += 10000000, &hits);
		while (shm_poll_goes_on(&poll, now, &misses))
			now += 10000;
	}
	assert_int_equal(poll.budget, 0);
	assert_false(shm_poll_goes_on(&poll, now, &misses));
	poll = (struct shm_poll){.most = 0};
	shm_poll_hit(&poll, now, &hits);
	assert_false(shm_poll_goes_on(&poll, now, &misses));
}

/* With one CPU this side does not poll; the mask is looked at again after some time. */
static void test_poll_pays(void **state)
{
	struct shm_poll poll = {.most = 200000}, never = {.most = 0};
	cpu_set_t before, one;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(shm_poll_pays(&poll, 1000), CPU_COUNT(&before) > 1);
	assert_false(shm_poll_pays(&never, 1000));
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	poll.budget = poll.since = 5000;
	assert_int_equal(shm_poll_pays(&poll, 1050), CPU_COUNT(&before) > 1);
	assert_false(shm_poll_pays(&poll, 1100));
	assert_int_equal(poll.budget, 0);
	assert_int_equal(poll.since, 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	assert_false(shm_poll_pays(&poll, 1150));
	assert_int_equal(shm_poll_pays(&poll, 1200), CPU_COUNT(&before) > 1);
}

static void test_ring_size(void **state)
{
	(void)state;
	assert_int_equal(shm_ring_size(0, 1024), 65536);
	assert_int_equal(shm_ring_size(262144, 8192), 262144);
	assert_int_equal(shm_ring_size(65536, 65536), 262144);
	assert_int_equal(shm_ring_size(300000, 8192), 524288);
	assert_int_equal(shm_ring_size(UINT32_MAX, 8192), SHM_RING_MAX);
}

#define RINGS(name) cmocka_unit_test_setup_teardown(name, setup_rings, teardown_rings)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RINGS(test_order_and_room),
		RINGS(test_words),
		RINGS(test_head_too_far),
		RINGS(test_head_enormous),
		RINGS(test_head_goes_back),
		RINGS(test_head_between_records),
		RINGS(test_length),
		RINGS(test_longer_than_mtu),
		RINGS(test_tail),
		cmocka_unit_test(test_poll),
		cmocka_unit_test(test_poll_pays),
		cmocka_unit_test(test_ring_size),
	};

	return cmocka_run_group_tests_name("rings", tests, NULL, NULL);
}
