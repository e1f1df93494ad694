/* SPDX-License-Identifier: Apache-2.0 */
/* test-qdio-model.c - every order in which two HiperSockets programs and the machine can act
 *
 * The real code is run, on queues of four buffers. From each state that is reached each step that a
 * program can take is tried: send, take what has come (as after an interrupt), give a buffer back;
 * each also with a step of the other side in its middle, and with a fault of the machine. The trace
 * says after each step whether it was lawful: one owner for each buffer, QAOBs that complete once,
 * frames in order. And from each state both sides, woken by nothing but interrupts, must come to an
 * end where nothing is lost.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devemu/qdio/port.h"

#define BUFFERS 4u
#define PIECES  (2 * BUFFERS)
#define VISITED (1u << 20)

/* Frames of the run with faults. It has one thread, which the thread sanitizer makes twenty times
 * slower to no purpose. */
#ifdef __SANITIZE_THREAD__
#define FAULTY 2
#else
#define FAULTY 4
#endif

/* The view of one program. */
struct program {
	uint32_t sent, to_send; /* frames */
	uint32_t expected;      /* of the peer's: number that may not be passed */
	uint32_t received;
	uint32_t has;      /* frames taken, buffers not given back */
	uint32_t failures; /* transfers that it was told are not delivered */
	uint32_t lost;     /* frames that it was told are lost */
	bool again;        /* it has not taken all that it knows of */
};

enum fault { NONE, BUSY, HOLD, LATE, TWICE, RACE, FAIL, FAULTS };
enum step { SEND, WAKE, GIVE, STEPS };

static struct qdio_segment segment;
static struct qdio_port ports[2];
static struct program programs[2];
static struct qdio_trace trace;
static uint32_t faults_left;
static struct {
	int side; /* whose step has it, -1: none */
	enum step step;
	int points; /* that pass before */
} other;

static uint64_t visited[VISITED];
static size_t nr_visited;
static unsigned int used[FAULTS], deepest;

static bool send_one(unsigned int i)
{
	struct program *p = &programs[i];
	uint8_t *at;
	int rc;

	if (p->sent == p->to_send || !(at = qdio_place(&ports[i])))
		return false;
	memcpy(at, &p->sent, sizeof(p->sent));
	rc = qdio_send(&ports[i], sizeof(p->sent));
	if (rc == -EAGAIN)
		return false;
	if (rc == -ENOBUFS)
		p->lost++;
	else
		assert_in_range(rc, QDIO_DELIVERED, QDIO_PRIMED);
	p->sent++;
	return true;
}

static void take_one(unsigned int i)
{
	struct program *p = &programs[i];
	struct iovec frame;
	uint32_t number;
	int rc = qdio_receive(&ports[i], &frame);

	assert_in_range(rc, 0, 1);
	p->again = rc;
	if (!rc)
		return;
	assert_int_equal(frame.iov_len, sizeof(number));
	memcpy(&number, frame.iov_base, sizeof(number));
	assert_in_range(number, p->expected, programs[!i].to_send - 1);
	p->expected = number + 1;
	p->received++;
	p->has++;
}

static bool wake(unsigned int i)
{
	struct program *p = &programs[i];
	int rc;

	if (!atomic_load(&ports[i].mine->control->dsci) && !p->again &&
	    !qdio_machine_owes(&ports[i]) && !ports[i].primed)
		return false;
	qdio_noticed(&ports[i]);
	rc = qdio_kick(&ports[i]);
	p->lost += rc == -ENOBUFS;
	rc = qdio_complete(&ports[i]);
	p->failures += rc < 0;
	assert_true(rc >= 0 || rc == -EIO || rc == -EHOSTUNREACH);
	qdio_machine_run(&ports[i]);
	take_one(i);
	return true;
}

static bool give(unsigned int i)
{
	if (!programs[i].has)
		return false;
	programs[i].has--;
	qdio_replenish(&ports[i], 1);
	return true;
}

static bool take_step(enum step step, unsigned int side)
{
	static bool (*const steps[STEPS])(unsigned int side) = {send_one, wake, give};

	return steps[step](side);
}

/* In the middle of a step of @data's. */
static void between(void *data)
{
	struct qdio_port *port = data;
	int side = other.side;

	if (side < 0 || port == &ports[side] || other.points--)
		return;
	other.side = -1;
	take_step(other.step, (unsigned int)side);
}

struct snapshot {
	struct qdio_port ports[2];
	struct program programs[2];
	uint32_t faults_left;
	uint8_t trace[sizeof(trace) - offsetof(struct qdio_trace, both)];
	uint32_t frames[2][PIECES + BUFFERS];
	uint8_t control[]; /* all that is before the frames */
};

static size_t control_size(void)
{
	return segment.side[0].out;
}

static uint8_t *frame_at(unsigned int side, unsigned int i)
{
	return segment.memory + segment.side[side].out + (size_t)i * segment.geometry.frame;
}

static void save(struct snapshot *s)
{
	for (int i = 0; i < 2; i++)
		memset(&ports[i].counts, 0, sizeof(ports[i].counts));
	memcpy(s->ports, ports, sizeof(ports));
	memcpy(s->programs, programs, sizeof(programs));
	s->faults_left = faults_left;
	memcpy(s->trace, &trace.both, sizeof(s->trace));
	for (unsigned int side = 0; side < 2; side++)
		for (unsigned int i = 0; i < PIECES + BUFFERS; i++)
			memcpy(&s->frames[side][i], frame_at(side, i), sizeof(uint32_t));
	memcpy(s->control, segment.memory, control_size());
}

static void restore(const struct snapshot *s)
{
	memcpy(ports, s->ports, sizeof(ports));
	memcpy(programs, s->programs, sizeof(programs));
	faults_left = s->faults_left;
	memcpy(&trace.both, s->trace, sizeof(s->trace));
	for (unsigned int side = 0; side < 2; side++)
		for (unsigned int i = 0; i < PIECES + BUFFERS; i++)
			memcpy(frame_at(side, i), &s->frames[side][i], sizeof(uint32_t));
	memcpy(segment.memory, s->control, control_size());
}

static bool is_new(const struct snapshot *s)
{
	const uint64_t *words = (const void *)s;
	size_t n = (sizeof(*s) + control_size()) / sizeof(*words);
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
	hash |= 1;
	for (size_t at = hash % VISITED;; at = (at + 1) % VISITED) {
		if (visited[at] == hash)
			return false;
		if (visited[at])
			continue;
		assert_true(nr_visited < VISITED / 2);
		visited[at] = hash;
		nr_visited++;
		return true;
	}
}

static void check_lawful(void)
{
	if (trace.wrong[0])
		fail_msg("%s", trace.wrong);
	assert_false(ports[0].broken);
	assert_false(ports[1].broken);
}

/* Both go on until no interrupt wakes any of them. */
static void check_end(bool cq)
{
	bool any = true;

	for (int rounds = 0; any; rounds++) {
		any = false;
		for (unsigned int i = 0; i < 2; i++)
			any |= wake(i), any |= give(i), any |= send_one(i);
		check_lawful();
		assert_in_range(rounds, 0, 200);
	}
	if (*qdio_trace_end(&trace))
		fail_msg("%s", trace.wrong);
	for (unsigned int i = 0; i < 2; i++) {
		struct program *p = &programs[i];

		assert_int_equal(p->sent, p->to_send);
		assert_int_equal(programs[!i].received + p->failures + p->lost, p->to_send);
		assert_true(!cq || !p->lost);
		assert_int_equal(ports[i].waiting, 0);
		qdio_place(&ports[i]); /* takes note of what was delivered */
		assert_int_equal(ports[i].nr_free, PIECES - 1);
	}
}

static void set_fault(struct qdio_port *port, enum fault fault)
{
	struct qdio_faults *f = &port->faults;

	uint32_t *const count[FAULTS] = {
		[BUSY] = &f->busy,       [HOLD] = &f->hold, [LATE] = &f->late,
		[TWICE] = &f->duplicate, [RACE] = &f->race, [FAIL] = &f->fail};

	if (fault == NONE)
		return;
	++*count[fault];
	f->aorc = 17;
	faults_left--;
	used[fault]++;
}

static void explore(bool cq, unsigned int depth);

/* One step of @side, with a fault, or with a step of the other side after @points. */
static void try(const struct snapshot *s, bool cq, unsigned int depth, unsigned int side,
		enum step step, enum fault fault, int points, enum step within)
{
	restore(s);
	if (fault != NONE && !faults_left)
		return;
	set_fault(&ports[side], fault);
	other.side = points < 0 ? -1 : (int)!side;
	other.points = points;
	other.step = within;
	if (!take_step(step, side) || (points >= 0 && other.side >= 0))
		return; /* nothing to do, or no such point */
	other.side = -1;
	check_lawful();
	explore(cq, depth + 1);
}

static void explore(bool cq, unsigned int depth)
{
	struct snapshot *s = calloc(1, sizeof(*s) + control_size());

	assert_non_null(s);
	save(s);
	if (depth > deepest)
		deepest = depth;
	if (is_new(s)) {
		check_end(cq);
		for (unsigned int side = 0; side < 2; side++)
			for (enum step step = 0; step < STEPS; step++) {
				for (enum fault fault = NONE; fault < FAULTS; fault++)
					try(s, cq, depth, side, step, fault, -1, 0);
				for (int points = 0; points < 2; points++)
					for (enum step in = 0; in < STEPS; in++)
						try(s, cq, depth, side, step, NONE, points, in);
			}
	}
	free(s);
}

static void run_model(uint32_t to_send, uint32_t back, uint32_t posted, uint32_t faults, bool cq)
{
	int fd = qdio_segment_make(&segment, (struct qdio_geometry){16384, BUFFERS});

	assert_true(fd >= 0);
	memset(visited, 0, sizeof(visited));
	memset(&trace, 0, sizeof(trace));
	memset(programs, 0, sizeof(programs));
	nr_visited = deepest = 0;
	trace.both = true;
	programs[0].to_send = to_send;
	programs[1].to_send = back;
	faults_left = faults;
	other.side = -1;
	for (unsigned int i = 0; i < 2; i++) {
		qdio_port_init(&ports[i], &segment, i, posted, cq);
		ports[i].trace = &trace;
		ports[i].data = &ports[i];
		ports[i].between = between;
	}
	for (unsigned int i = 0; i < 2; i++)
		qdio_activate(&ports[i]);
	explore(cq, 0);
	print_message("%zu states, %u steps at most\n", nr_visited, deepest);
	assert_in_range(nr_visited, 100, VISITED);
	qdio_segment_drop(&segment);
	close(fd);
}

/* Five frames for one buffer: the list of pending transfers fills, and drains. */
static void test_one_buffer(void **state)
{
	(void)state;
	run_model(5, 0, 1, 0, true);
}

static void test_both_directions(void **state)
{
	(void)state;
	run_model(2, 2, 1, 0, true);
}

/* Each fault, anywhere. */
static void test_faults(void **state)
{
	(void)state;
	memset(used, 0, sizeof(used));
	run_model(FAULTY, 0, 1, 1, true);
	for (enum fault fault = NONE + 1; fault < FAULTS; fault++)
		assert_true(used[fault] > 0);
}

/* Without completion queue frames are lost, and the sender knows how many. */
static void test_without_completion_queue(void **state)
{
	(void)state;
	run_model(5, 0, 2, 0, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_buffer),
		cmocka_unit_test(test_both_directions),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_without_completion_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
