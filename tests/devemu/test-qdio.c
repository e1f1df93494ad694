/* SPDX-License-Identifier: Apache-2.0 */
/* test-qdio.c - HiperSockets queues: sizes, loss and completion queue, codes, ill will, two threads
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/bigend.h"
#include "devemu/clock/sim.h"
#include "devemu/qdio/port.h"

#define FRAME 24576u

struct fixture {
	struct qdio_segment segment;
	int fd;
	struct qdio_port port[2];
	struct qdio_trace trace[2];
};

static void begin(struct fixture *f, uint32_t posted, bool cq)
{
	f->fd = qdio_segment_make(&f->segment, (struct qdio_geometry){FRAME, QDIO_BUFFERS});
	assert_true(f->fd >= 0);
	for (unsigned int i = 0; i < 2; i++) {
		qdio_port_init(&f->port[i], &f->segment, i, posted, cq);
		f->port[i].trace = &f->trace[i];
		qdio_activate(&f->port[i]);
	}
}

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++)
		assert_string_equal(f->trace[i].wrong, "");
	qdio_segment_drop(&f->segment);
	if (f->fd >= 0)
		close(f->fd);
	free(f);
	return 0;
}

static int send_number(struct qdio_port *port, uint32_t number, size_t len)
{
	uint8_t *at = qdio_place(port);

	assert_non_null(at);
	memset(at, (int)number, len);
	be32_put(at, number);
	return qdio_send(port, len);
}

static void expect_number(struct qdio_port *port, uint32_t number, size_t len)
{
	struct iovec frame;

	assert_int_equal(qdio_receive(port, &frame), 1);
	assert_int_equal(frame.iov_len, len);
	assert_int_equal(be32_get(frame.iov_base), number);
	assert_int_equal(((uint8_t *)frame.iov_base)[len - 1], len > 4 ? number & 255 : number);
}

static void test_sizes(void **state)
{
	static const uint32_t mtu[][2] = {
		{16384, 8192}, {24576, 16384}, {40960, 32768}, {65536, 57344}};

	((struct fixture *)*state)->fd = -1;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(qdio_mtu(mtu[i][0]), mtu[i][1]);
		assert_int_equal(qdio_frame_for(mtu[i][1]), mtu[i][0]);
		assert_int_equal(qdio_frame_for(mtu[i][1] + 1), i < 3 ? mtu[i + 1][0] : 0);
	}
	assert_int_equal(qdio_mtu(8192), 0);
}

/* The layout in memory, on which other programs rely. */
static void test_descriptors(void **state)
{
	struct fixture *f = *state;
	const struct qdio_side *side = &f->segment.side[0];
	const uint8_t *sbal, *qaob;

	begin(f, QDIO_BUFFERS, true);
	assert_int_equal(*side->slsb[QDIO_OUT], QDIO_OUT_NOT_INIT);
	assert_int_equal(*side->slsb[QDIO_IN], QDIO_IN_EMPTY);
	assert_int_equal(send_number(&f->port[0], 7, 5000), QDIO_DELIVERED);
	sbal = side->sbal[QDIO_OUT];
	assert_int_equal(be32_get(sbal + 4), QDIO_PAGE);
	assert_int_equal(be64_get(sbal + 8), side->out);
	assert_int_equal(sbal[0], 0);
	assert_int_equal(sbal[QDIO_SBALE], QDIO_ELEMENT_LAST);
	assert_int_equal(be32_get(sbal + QDIO_SBALE + 4), 5000 - QDIO_PAGE);
	qaob = f->segment.memory + side->qaob;
	assert_int_equal(qaob[QAOB_COUNT], 2);
	assert_int_equal(be16_get(qaob + QAOB_LENGTH + 2), 5000 - QDIO_PAGE);
	assert_int_equal(*side->slsb[QDIO_OUT], QDIO_OUT_EMPTY);
	assert_int_equal(*f->segment.side[1].slsb[QDIO_IN], QDIO_IN_PRIMED);
	expect_number(&f->port[1], 7, 5000);
}

static void test_lost_without_completion_queue(void **state)
{
	struct fixture *f = *state;

	begin(f, 8, false);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(send_number(&f->port[0], i, 100), i < 8 ? 0 : -ENOBUFS);
	assert_int_equal(f->port[0].counts.target_full, 2);
	assert_int_equal(*(f->segment.side[0].slsb[QDIO_OUT] + 8), QDIO_OUT_ERROR);
	assert_int_equal(f->segment.side[0].sbal[QDIO_OUT][8 * QDIO_SBAL + 15 * QDIO_SBALE + 3],
			 QDIO_TARGET_FULL);
	for (uint32_t i = 0; i < 8; i++)
		expect_number(&f->port[1], i, 100);
	qdio_replenish(&f->port[1], 8);
	assert_int_equal(send_number(&f->port[0], 10, 100), 0);
	expect_number(&f->port[1], 10, 100);
}

static void test_completion_queue(void **state)
{
	struct fixture *f = *state;
	struct iovec frame;

	begin(f, 8, true);
	for (uint32_t i = 0; i < 8 + QDIO_BUFFERS; i++)
		assert_int_equal(send_number(&f->port[0], i, FRAME),
				 i < 8 ? QDIO_DELIVERED : QDIO_PENDING);
	/* As many transfers as there are buffers may wait. */
	assert_int_equal(send_number(&f->port[0], 999, 1), -EAGAIN);
	assert_int_equal(f->port[0].waiting, QDIO_BUFFERS);
	for (uint32_t i = 0; i < 8 + QDIO_BUFFERS; i++) {
		expect_number(&f->port[1], i, FRAME);
		qdio_replenish(&f->port[1], 1);
	}
	assert_int_equal(qdio_receive(&f->port[1], &frame), 0);
	assert_int_equal(qdio_complete(&f->port[0]), QDIO_BUFFERS);
	assert_int_equal(f->port[0].counts.done_ok, QDIO_BUFFERS);
	assert_int_equal(f->port[0].waiting, 0);
	assert_string_equal(qdio_trace_end(&f->trace[0]), "");
}

static void test_return_codes(void **state)
{
	static const struct {
		uint8_t code;
		int rc;
	} codes[] = {{4, -EHOSTUNREACH},  {16, -EHOSTUNREACH}, {17, -EHOSTUNREACH},
		     {18, -EHOSTUNREACH}, {5, -EIO},           {255, -EIO}};
	struct fixture *f = *state;

	begin(f, 1, true);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		assert_int_equal(send_number(&f->port[0], 1, 10), QDIO_DELIVERED);
		assert_int_equal(send_number(&f->port[0], 2, 10), QDIO_PENDING);
		f->port[1].faults = (struct qdio_faults){.fail = 1, .aorc = codes[i].code};
		expect_number(&f->port[1], 1, 10);
		qdio_replenish(&f->port[1], 1);
		assert_int_equal(qdio_complete(&f->port[0]), codes[i].rc);
	}
	assert_int_equal(f->port[0].counts.done_unreachable, 4);
	assert_int_equal(f->port[0].counts.done_error, 2);
}

static void test_busy(void **state)
{
	struct fixture *f = *state;
	struct iovec frame;

	begin(f, 8, true);
	f->port[0].faults.busy = 3;
	assert_int_equal(send_number(&f->port[0], 1, 10), QDIO_PRIMED);
	assert_int_equal(send_number(&f->port[0], 2, 10), -EAGAIN);
	assert_int_equal(qdio_receive(&f->port[1], &frame), 0);
	assert_int_equal(qdio_kick(&f->port[0]), QDIO_PRIMED);
	assert_int_equal(qdio_kick(&f->port[0]), QDIO_DELIVERED);
	assert_int_equal(qdio_kick(&f->port[0]), QDIO_DELIVERED);
	expect_number(&f->port[1], 1, 10);
	assert_int_equal(qdio_send(&f->port[0], 10), QDIO_DELIVERED);
	expect_number(&f->port[1], 2, 10);
}

/* A transfer that was busy, and is lost at the retry by the next one: the sender learns of both. */
static void test_busy_and_lost(void **state)
{
	struct fixture *f = *state;

	begin(f, 2, false);
	assert_int_equal(send_number(&f->port[0], 1, 10), QDIO_DELIVERED);
	f->port[0].faults.busy = 1;
	assert_int_equal(send_number(&f->port[0], 2, 10), QDIO_PRIMED);
	assert_int_equal(send_number(&f->port[0], 3, 10), -ENOBUFS);
	assert_int_equal(qdio_complete(&f->port[0]), 0);
	f->port[0].faults.busy = 1;
	assert_int_equal(send_number(&f->port[0], 4, 10), QDIO_PRIMED);
	expect_number(&f->port[1], 1, 10);
	expect_number(&f->port[1], 2, 10);
	assert_int_equal(send_number(&f->port[0], 5, 10), -ENOBUFS);
	assert_int_equal(qdio_complete(&f->port[0]), -ENOBUFS);
	assert_int_equal(qdio_complete(&f->port[0]), 0);
	assert_int_equal(f->port[0].counts.target_full, 3);
}

static void test_peer_gone(void **state)
{
	struct fixture *f = *state;

	begin(f, 1, true);
	for (uint32_t i = 0; i < 4; i++)
		send_number(&f->port[0], i, 10);
	qdio_machine_peer_gone(&f->port[0]);
	assert_int_equal(qdio_complete(&f->port[0]), -EHOSTUNREACH);
	assert_int_equal(f->port[0].counts.done_unreachable, 3);
	assert_int_equal(f->port[0].waiting, 0);
	assert_int_equal(send_number(&f->port[0], 9, 10), -EPIPE);
	assert_string_equal(qdio_trace_end(&f->trace[0]), "");
}

static void test_taking(void **state)
{
	struct fixture *f = *state;
	struct qdio_segment other;
	const char *why;
	int fd[2];

	begin(f, 8, true);
	assert_int_equal(qdio_segment_take(&other, f->fd, (struct qdio_geometry){FRAME, 128}, &why),
			 0);
	qdio_segment_drop(&other);
	assert_int_equal(qdio_segment_take(&other, f->fd, (struct qdio_geometry){16384, 128}, &why),
			 -EPROTO);
	assert_string_equal(why, "its memory does not have the size that it names");
	assert_int_equal(qdio_segment_take(&other, f->fd, (struct qdio_geometry){FRAME, 100}, &why),
			 -EPROTO);
	assert_string_equal(why, "its queues have an invalid geometry");
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(qdio_segment_take(&other, fd[0], (struct qdio_geometry){FRAME, 128}, &why),
			 -EPROTO);
	assert_string_equal(why, "the memory that it offers is not sealed");
	close(fd[0]);
	close(fd[1]);
}

/* Random words in shared memory: each call ends, with or without an error. */
static void test_ill_will(void **state)
{
	struct fixture *f = *state;
	struct random random;

	begin(f, 8, true);
	random_seed(&random, 7);
	for (int round = 0; round < 300; round++) {
		for (unsigned int i = 0; i < 2; i++) {
			qdio_port_init(&f->port[i], &f->segment, i, 8, true);
			f->port[i].trace = NULL;
		}
		memset(f->segment.memory, 0, f->segment.side[0].out);
		qdio_activate(&f->port[0]);
		qdio_activate(&f->port[1]);
		for (int i = 0; i < 100 && !f->port[0].broken; i++) {
			size_t at = random_below(&random, f->segment.side[0].out);
			struct iovec frame;

			f->segment.memory[at] = (uint8_t)random_next(&random);
			at = random_below(&random, 128);
			*(f->segment.side[random_below(&random, 2)].slsb[at % 3] + at % 12) =
				(uint8_t)random_next(&random);
			if (qdio_place(&f->port[0]))
				qdio_send(&f->port[0], 1 + random_below(&random, FRAME));
			if (qdio_receive(&f->port[0], &frame) == 1) {
				assert_in_range(frame.iov_len, 0, FRAME);
				qdio_replenish(&f->port[0], 1);
			}
			qdio_machine_run(&f->port[0]);
			qdio_complete(&f->port[0]);
		}
	}
}

#define FRAMES 20000u

/* Each sends and receives, with a few buffers, so that most transfers must wait. */
static void *both_ways(void *data)
{
	struct qdio_port *port = data;
	uint32_t sent = 0, received = 0;
	struct random random;
	intptr_t wrong = 0;

	random_seed(&random, port->number);
	while (!port->broken && !wrong && (sent < FRAMES || received < FRAMES || port->waiting)) {
		size_t len = 4 + random_below(&random, 300);
		uint8_t *at = sent < FRAMES ? qdio_place(port) : NULL;
		struct iovec frame;

		if (!random_below(&random, 50))
			port->faults = (struct qdio_faults){
				.hold = 2, .late = 2, .duplicate = 1, .race = 1, .busy = 1};
		if (at) {
			be32_put(at, sent);
			memset(at + 4, (int)sent, len - 4);
			sent += qdio_send(port, len) >= 0;
		}
		qdio_kick(port);
		qdio_machine_run(port);
		wrong |= qdio_complete(port) < 0;
		if (qdio_receive(port, &frame) == 1) {
			const uint8_t *bytes = frame.iov_base;

			wrong |= be32_get(bytes) != received ||
				 (frame.iov_len > 4 &&
				  bytes[frame.iov_len - 1] != (uint8_t)received);
			received++;
			qdio_replenish(port, 1);
		} else {
			sched_yield();
		}
	}
	/* Completions that the peer still waits for. */
	port->faults = (struct qdio_faults){0};
	while (qdio_machine_owes(port)) {
		qdio_machine_run(port);
		qdio_complete(port);
		sched_yield();
	}
	return (void *)(wrong | port->broken);
}

static void test_two_threads(void **state)
{
	struct fixture *f = *state;
	pthread_t thread[2];

	begin(f, 3, true);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, both_ways, &f->port[i]), 0);
	for (int i = 0; i < 2; i++) {
		void *wrong;

		assert_int_equal(pthread_join(thread[i], &wrong), 0);
		assert_null(wrong);
	}
	for (int i = 0; i < 2; i++) {
		assert_true(f->port[i].counts.pending_ever > 0);
		assert_int_equal(f->port[i].counts.frames_in, FRAMES);
		assert_string_equal(qdio_trace_end(&f->trace[i]), "");
	}
}

/* Buffers are the machine's only after they were given back: a state that says "filled" before that
 * is no frame, or there would be no end of them. */
static void test_filled_too_early(void **state)
{
	struct fixture *f = *state;
	struct qdio_port *port = &f->port[1];
	struct iovec frame;

	begin(f, 8, true);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(send_number(&f->port[0], i, 10), QDIO_DELIVERED);
	for (uint32_t i = 0; i < 8; i++)
		expect_number(port, i, 10);
	port->faults.hold = 1;
	qdio_replenish(port, 2); /* they are kept back, and the program's still */
	for (uint32_t i = 0; i < QDIO_BUFFERS; i++) {
		port->mine->sbal[QDIO_IN][(size_t)i * QDIO_SBAL] = QDIO_ELEMENT_LAST;
		atomic_store(&port->mine->slsb[QDIO_IN][i], QDIO_IN_PRIMED);
	}
	assert_int_equal(qdio_receive(port, &frame), -EPROTO);
	assert_true(port->broken);
}

struct poster {
	struct qdio_port *port;
	_Atomic bool over;
};

/* Completions of what was never sent, as fast as they are taken. */
static void *post_for_ever(void *data)
{
	struct poster *poster = data;

	while (!atomic_load(&poster->over))
		for (uint32_t i = 0; i < QDIO_BUFFERS; i++) {
			uint8_t empty = QDIO_IN_EMPTY;

			atomic_compare_exchange_strong(&poster->port->mine->slsb[QDIO_CQ][i],
						       &empty, QDIO_IN_PRIMED);
		}
	return NULL;
}

/* A peer cannot keep a program busy with completions. */
static void test_completions_without_end(void **state)
{
	struct fixture *f = *state;
	struct poster poster = {.port = &f->port[0]};
	pthread_t thread;
	int most = 0, all = 0;

	begin(f, 8, true);
	for (uint32_t i = 0; i < QDIO_BUFFERS; i++)
		be64_put(f->port[0].mine->sbal[QDIO_CQ] + (size_t)i * QDIO_SBAL + 8,
			 qdio_qaob_of(f->port[0].mine, 0));
	f->port[0].trace = NULL;
	assert_int_equal(pthread_create(&thread, NULL, post_for_ever, &poster), 0);
	while (all < 100 * (int)QDIO_BUFFERS && most <= (int)QDIO_BUFFERS) {
		int nr = qdio_complete(&f->port[0]);

		assert_true(nr >= 0);
		all += nr;
		if (nr > most)
			most = nr;
		if (!nr)
			sched_yield();
	}
	atomic_store(&poster.over, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_in_range(most, 1, QDIO_BUFFERS);
	assert_int_equal(f->port[0].counts.done_twice, all);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_sizes),
		TEST(test_descriptors),
		TEST(test_lost_without_completion_queue),
		TEST(test_completion_queue),
		TEST(test_return_codes),
		TEST(test_busy),
		TEST(test_busy_and_lost),
		TEST(test_peer_gone),
		TEST(test_taking),
		TEST(test_ill_will),
		TEST(test_filled_too_early),
		TEST(test_completions_without_end),
		TEST(test_two_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
