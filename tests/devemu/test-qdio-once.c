/* SPDX-License-Identifier: Apache-2.0 */
/* test-qdio-once.c - words of a HiperSockets device that change while the device reads them */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "devemu/qdio/port.h"

/*
 * Side 0 is a thread that is no device: it writes to what the device of side 1 has to read, by
 * atomic stores, all the time, and always something that may stand there. The thread sanitizer
 * reports shared words that the device does not read by atomic loads.
 */

#define FRAME  16384u
#define FRAMES 3000u

struct fixture {
	struct qdio_segment segment;
	int fd;
	struct qdio_port port;
	pthread_t thread;
	atomic_bool over;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct qdio_port other;

	assert_non_null(f);
	f->fd = qdio_segment_make(&f->segment, (struct qdio_geometry){FRAME, QDIO_BUFFERS});
	assert_true(f->fd >= 0);
	qdio_port_init(&other, &f->segment, 0, QDIO_BUFFERS, true);
	qdio_activate(&other);
	qdio_port_init(&f->port, &f->segment, 1, QDIO_BUFFERS, true);
	qdio_activate(&f->port);
	*state = f;
	return 0;
}

static void begin(struct fixture *f, void *(*run)(void *))
{
	assert_int_equal(pthread_create(&f->thread, NULL, run, f), 0);
}

static void end(struct fixture *f)
{
	atomic_store(&f->over, true);
	assert_int_equal(pthread_join(f->thread, NULL), 0);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	qdio_segment_drop(&f->segment);
	close(f->fd);
	free(f);
	return 0;
}

static void put8(uint8_t *p, uint8_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELAXED);
}

static void put16(uint8_t *p, uint16_t v)
{
	__atomic_store_n((uint16_t *)(void *)p, htobe16(v), __ATOMIC_RELAXED);
}

static void put32(uint8_t *p, uint32_t v)
{
	__atomic_store_n((uint32_t *)(void *)p, htobe32(v), __ATOMIC_RELAXED);
}

static void put64(uint8_t *p, uint64_t v)
{
	__atomic_store_n((uint64_t *)(void *)p, htobe64(v), __ATOMIC_RELAXED);
}

/* One QAOB for all: one part or two, of 100 bytes or 200, from one place or another. */
static void describe(uint8_t *qaob, const struct qdio_side *side, uint32_t turn)
{
	put8(qaob + QAOB_COUNT, 1 + turn % 2);
	for (uint32_t i = 0; i < 2; i++) {
		put64(qaob + QAOB_ADDRESS + 8 * i, side->out + (turn / 2 % 2 + i) * QDIO_PAGE);
		put16(qaob + QAOB_LENGTH + 2 * i, turn / 4 % 2 ? 100 : 200);
	}
}

static void *change_transfers(void *arg)
{
	struct fixture *f = arg;
	struct qdio_side *side = &f->segment.side[0];
	uint64_t at = qdio_qaob_of(side, 0), pended = 0;

	for (uint32_t turn = 0; !atomic_load(&f->over); turn++) {
		struct qdio_pending *entry = &side->pending[pended % QDIO_BUFFERS];
		uint8_t primed = QDIO_IN_PRIMED;

		describe(f->segment.memory + at, side, turn);
		atomic_store(&entry->qaob, at);
		atomic_store(&entry->sequence, pended);
		if (pended - atomic_load(&side->control->settled) < QDIO_BUFFERS)
			atomic_store(&side->control->pended, ++pended);
		/* Completions are of no use here, but their places are. */
		atomic_compare_exchange_strong(&side->slsb[QDIO_CQ][turn % QDIO_BUFFERS], &primed,
					       QDIO_IN_EMPTY);
	}
	return NULL;
}

static void test_transfers(void **state)
{
	struct fixture *f = *state;
	uint32_t got = 0;
	int rc;

	/* The first described buffer is a frame. */
	describe(f->segment.memory + qdio_qaob_of(&f->segment.side[0], 0), &f->segment.side[0], 0);
	begin(f, change_transfers);
	while (got < FRAMES) {
		struct iovec frame;

		qdio_machine_run(&f->port);
		while ((rc = qdio_receive(&f->port, &frame)) == 1) {
			assert_true(frame.iov_len % 100 == 0);
			assert_in_range(frame.iov_len, 100, 400);
			qdio_replenish(&f->port, 1);
			got++;
		}
		assert_int_equal(rc, 0);
		sched_yield();
	}
	end(f);
	/* The device detects impossible values anywhere. */
	put64(f->segment.memory + qdio_qaob_of(&f->segment.side[0], 0) + QAOB_ADDRESS,
	      f->segment.side[1].in);
	atomic_fetch_add(&f->segment.side[0].control->pended, 1);
	while (!f->port.broken) {
		struct iovec frame;

		qdio_machine_run(&f->port);
		for (uint32_t i = 0; i < QDIO_BUFFERS; i++)
			atomic_store(&f->segment.side[0].slsb[QDIO_CQ][i], QDIO_IN_EMPTY);
		if (qdio_receive(&f->port, &frame) == 1)
			qdio_replenish(&f->port, 1);
	}
	assert_int_equal(qdio_complete(&f->port), -EPROTO);
}

static void *change_frames(void *arg)
{
	struct fixture *f = arg;
	struct qdio_side *side = &f->segment.side[1];

	for (uint32_t turn = 0; !atomic_load(&f->over); turn++) {
		uint32_t index = turn % QDIO_BUFFERS;
		uint8_t *sbal = side->sbal[QDIO_IN] + (size_t)index * QDIO_SBAL;
		uint8_t empty = QDIO_IN_EMPTY;

		put8(sbal, QDIO_ELEMENT_LAST | (turn / QDIO_BUFFERS % 2));
		put32(sbal + 4, turn / QDIO_BUFFERS % 3 ? 64 : 128);
		put64(side->sbal[QDIO_CQ] + (size_t)index * QDIO_SBAL + 8,
		      qdio_qaob_of(side, turn % QDIO_BUFFERS));
		atomic_compare_exchange_strong(&side->slsb[QDIO_IN][index], &empty, QDIO_IN_PRIMED);
		empty = QDIO_IN_EMPTY;
		atomic_compare_exchange_strong(&side->slsb[QDIO_CQ][index], &empty, QDIO_IN_PRIMED);
	}
	return NULL;
}

static void test_frames(void **state)
{
	struct fixture *f = *state;
	uint32_t got = 0;
	int rc;

	begin(f, change_frames);
	while (got < FRAMES || f->port.counts.done_twice < FRAMES) {
		struct iovec frame;

		while ((rc = qdio_receive(&f->port, &frame)) == 1) {
			assert_true(frame.iov_len == 64 || frame.iov_len == 128);
			qdio_replenish(&f->port, 1);
			got++;
		}
		assert_int_equal(rc, 0);
		assert_true(qdio_complete(&f->port) >= 0);
		sched_yield();
	}
	end(f);
	assert_int_equal(f->port.counts.frames_in, got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_transfers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_frames, setup, teardown),
	};

	return cmocka_run_group_tests_name("words that change while they are read", tests, NULL,
					   NULL);
}
