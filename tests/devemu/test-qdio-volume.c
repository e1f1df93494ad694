/* SPDX-License-Identifier: Apache-2.0 */
/* test-qdio-volume.c - gigabytes between two HiperSockets devices, with faults, and nothing is lost
 *
 * The model checker (test-qdio-model.c) has every order on small queues; here are queues of 128
 * buffers, frames of all sizes and a machine that does wrong at random: it keeps back buffers and
 * completions, posts some twice, changes the state of a slot late, is busy, and ends transfers with
 * a return code. Steps of both programs come at random, also in the middle of each other's. The
 * trace of the device says whether each was lawful, by the rules that the model checker uses.
 *
 * LFP_QDIO_MEGABYTES: how much; else 2048, with a sanitizer 48. LFP_SEED: the run of another time.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "devemu/clock/sim.h"
#include "devemu/qdio/port.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEGABYTES 48u
#else
#define MEGABYTES 2048u
#endif
#define EPOCH   (UINT64_C(128) << 20) /* bytes, at most, of one pair of devices */
#define FRAMES  65536u
#define PATTERN 8192u /* more bytes of it than of a frame */

struct program {
	uint64_t sent;     /* frames: numbers */
	uint64_t expected; /* of the peer's: the next number, or a later one if some are lost */
	uint64_t received;
	uint64_t failures, lost; /* of ours, as we were told */
	uint32_t has;            /* frames taken, buffers not given back */
	bool again;              /* it has not taken all that there may be */
	uint32_t rests;          /* steps in which it gives none back */
};

static struct qdio_segment segment;
static struct qdio_port ports[2];
static struct program programs[2];
static struct qdio_trace trace;
static struct random chance;
static uint8_t pattern[FRAMES + PATTERN];
static bool has_cq, faulty, within;
static uint64_t to_send; /* bytes, of both */
static struct {
	uint64_t bytes, frames, pending, failures, lost, twice, busy;
} sums;

static uint32_t below(uint32_t bound)
{
	return (uint32_t)random_below(&chance, bound);
}

/* Which bytes a frame has, by its number: each has others before and after it. */
static const uint8_t *content(uint64_t number)
{
	return pattern + number * 1031 % PATTERN;
}

static void send_some(unsigned int i)
{
	struct program *p = &programs[i];
	uint32_t nr = 1 + below(16);

	for (; nr && to_send; nr--) {
		uint32_t len = segment.geometry.frame;
		uint8_t *at = qdio_place(&ports[i]);
		int rc;

		if (!at)
			return;
		if (below(2))
			len = 8 + below(below(2) ? len - 8 : 2000);
		memcpy(at, content(p->sent), len);
		memcpy(at, &p->sent, sizeof(p->sent));
		rc = qdio_send(&ports[i], len);
		if (rc == -EAGAIN)
			return;
		p->sent++;
		p->lost += rc == -ENOBUFS;
		assert_true(rc == -ENOBUFS || (rc >= QDIO_DELIVERED && rc <= QDIO_PRIMED));
		to_send -= len < to_send ? len : to_send;
		sums.bytes += len;
	}
}

static void take_some(unsigned int i)
{
	struct program *p = &programs[i];
	uint32_t nr = 1 + below(32);
	struct iovec frame;
	uint64_t number;
	int rc = 1;

	while (nr-- && (rc = qdio_receive(&ports[i], &frame)) == 1) {
		memcpy(&number, frame.iov_base, sizeof(number));
		/* A gap is what the sender was told of: see check_end(). */
		assert_in_range(number, p->expected, programs[!i].sent);
		assert_memory_equal((uint8_t *)frame.iov_base + sizeof(number),
				    content(number) + sizeof(number),
				    frame.iov_len - sizeof(number));
		p->expected = number + 1;
		p->received++;
		p->has++;
	}
	assert_in_range(rc, 0, 1);
	p->again = rc;
}

static void wake(unsigned int i)
{
	int rc;

	qdio_noticed(&ports[i]);
	rc = qdio_kick(&ports[i]);
	programs[i].lost += rc == -ENOBUFS;
	rc = qdio_complete(&ports[i]);
	assert_true(rc >= 0 || rc == -EIO || rc == -EHOSTUNREACH || (rc == -ENOBUFS && !has_cq));
	programs[i].lost += rc == -ENOBUFS;
	qdio_machine_run(&ports[i]);
	take_some(i);
}

static void give_some(unsigned int i)
{
	struct program *p = &programs[i];
	uint32_t nr = p->has ? 1 + below(p->has) : 0;

	if (p->rests) {
		p->rests--;
		return;
	}
	if (faulty && !below(20))
		p->rests = below(100);
	p->has -= nr;
	if (nr)
		qdio_replenish(&ports[i], nr);
}

static void step(unsigned int i)
{
	static void (*const steps[])(unsigned int i) = {send_some, wake, give_some};

	steps[below(3)](i);
}

/* In the middle of a step of one side the other takes one. */
static void between(void *data)
{
	unsigned int other = data == &ports[0];

	if (within || below(8))
		return;
	within = true;
	step(other);
	within = false;
}

static void plant(struct qdio_port *port)
{
	static const uint8_t codes[] = {4, 16, 17, 18, 1, 255};

	port->faults = (struct qdio_faults){
		.busy = below(3),
		.hold = below(20),
		.late = below(20),
		.duplicate = below(3),
		.race = below(3),
		.fail = !below(4),
		.aorc = codes[below(sizeof(codes))],
	};
}

static void begin(void)
{
	static const uint32_t frames[] = {16384, 24576, 40960, 65536};
	struct qdio_geometry geometry = {frames[below(4)], QDIO_BUFFERS};
	uint32_t posted = 1 + below(has_cq ? QDIO_BUFFERS : 16);
	int fd = qdio_segment_make(&segment, geometry);

	assert_true(fd >= 0);
	close(fd);
	memset(&trace, 0, sizeof(trace));
	memset(programs, 0, sizeof(programs));
	trace.both = true;
	for (unsigned int i = 0; i < 2; i++) {
		qdio_port_init(&ports[i], &segment, i, posted, has_cq);
		ports[i].trace = &trace;
		ports[i].data = &ports[i];
		ports[i].between = between;
	}
	qdio_activate(&ports[0]);
	qdio_activate(&ports[1]);
}

static void check_lawful(void)
{
	if (trace.wrong[0])
		fail_msg("%s", trace.wrong);
	assert_false(ports[0].broken || ports[1].broken);
}

static bool is_quiet(void)
{
	for (unsigned int i = 0; i < 2; i++)
		if (ports[i].waiting || ports[i].primed || programs[i].has || programs[i].again ||
		    qdio_machine_owes(&ports[i]) || atomic_load(&ports[i].mine->control->dsci))
			return false;
	return true;
}

static void check_end(void)
{
	if (*qdio_trace_end(&trace))
		fail_msg("%s", trace.wrong);
	for (unsigned int i = 0; i < 2; i++) {
		struct program *p = &programs[i];
		const struct qdio_counts *c = &ports[i].counts;

		p->failures = c->done_unreachable + c->done_error;
		assert_int_equal(programs[!i].received + p->failures + c->target_full, p->sent);
		/* It was told, of several that were busy before perhaps once. */
		assert_in_range(p->lost, c->target_full > 0, c->target_full);
		assert_int_equal(c->frames_out, p->sent);
		sums.frames += p->sent;
		sums.pending += c->pending_ever;
		sums.failures += p->failures;
		sums.lost += c->target_full;
		sums.twice += c->done_twice;
		sums.busy += c->busy;
	}
}

static void run_pair(uint64_t bytes)
{
	begin();
	to_send = bytes;
	for (uint64_t steps = 0; to_send; steps++) {
		unsigned int side = below(2);

		if (faulty && !below(40))
			plant(&ports[side]);
		step(side);
		check_lawful();
	}
	for (int i = 0; i < 2; i++) {
		ports[i].faults = (struct qdio_faults){0};
		programs[i].rests = 0;
	}
	for (int rounds = 0; !is_quiet(); rounds++) {
		wake(0), wake(1), give_some(0), give_some(1);
		check_lawful();
		assert_in_range(rounds, 0, 100000);
	}
	check_end();
	qdio_segment_drop(&segment);
}

static void run(uint64_t bytes, bool cq, bool faults)
{
	has_cq = cq;
	faulty = faults;
	memset(&sums, 0, sizeof(sums));
	while (sums.bytes < bytes) {
		uint64_t left = bytes - sums.bytes;

		run_pair(left < EPOCH ? left : EPOCH);
	}
	print_message("%" PRIu64 " MB in %" PRIu64 " frames, %" PRIu64 " pending, %" PRIu64
		      " ended by a code, %" PRIu64 " completed twice, %" PRIu64 " busy, %" PRIu64
		      " lost\n",
		      sums.bytes >> 20, sums.frames, sums.pending, sums.failures, sums.twice,
		      sums.busy, sums.lost);
}

static uint64_t megabytes(void)
{
	const char *text = getenv("LFP_QDIO_MEGABYTES");

	return text ? strtoull(text, NULL, 10) : MEGABYTES;
}

static void test_nothing_is_lost(void **state)
{
	(void)state;
	run(megabytes() << 20, true, true);
	assert_int_equal(sums.lost, 0);
	/* The faults were there; in a few megabytes one kind may not come up. */
	assert_true(sums.pending > 0);
	if (megabytes() >= 1024)
		assert_true(sums.failures && sums.twice && sums.busy);
}

/* The same without completion queue: what finds no buffer is lost, and the sender knows. */
static void test_loss_without_completion_queue(void **state)
{
	(void)state;
	run(UINT64_C(32) << 20, false, true);
	assert_true(sums.lost > 0);
	assert_int_equal(sums.pending, 0);
}

static int setup(void **state)
{
	const char *text = getenv("LFP_SEED");
	struct timespec now;
	uint64_t seed;

	(void)state;
	clock_gettime(CLOCK_REALTIME, &now);
	seed = text ? strtoull(text, NULL, 10) : (uint64_t)now.tv_nsec;
	print_message("LFP_SEED=%" PRIu64 "\n", seed);
	random_seed(&chance, seed);
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = (uint8_t)random_next(&chance);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_lost),
		cmocka_unit_test(test_loss_without_completion_queue),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
