/* SPDX-License-Identifier: Apache-2.0 */
/* test-processor.c - the order in which the channel processor serves jobs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "devemu/fabric/processor.h"

struct work {
	struct sim_node node; /* first */
	struct processor_job job;
	int64_t ended;
};

static void on_served(struct sim *sim, struct sim_node *node)
{
	((struct work *)node)->ended = sim->now;
}

static void submit(struct sim *sim, struct processor *processor, struct work *work, int64_t left,
		   int64_t unit)
{
	*work = (struct work){.node = {on_served}, .job.done = &work->node};
	processor_submit(sim, processor, &work->job, left, unit);
}

/* A job of three units of 10 and one of a single unit of 4, at once. */
static void disciplines_differ(void **state)
{
	static const struct {
		enum discipline discipline;
		int64_t quantum, first, second;
	} cases[] = {
		{DISCIPLINE_FCFS, 0, 30, 34},
		{DISCIPLINE_RR, 0, 34, 14},
		{DISCIPLINE_PS, 2, 34, 8},
		{DISCIPLINE_PS, 100, 30, 34},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct processor processor;
		struct work first, second;
		struct sim sim;

		assert_int_equal(sim_init(&sim, 1, 1), 0);
		processor_init(&processor, cases[i].discipline, cases[i].quantum);
		/* Something is pending, so that the first job is not taken for alone. */
		struct work other = {.node = {on_served}};

		sim_at(&sim, 1, &other.node);
		submit(&sim, &processor, &first, 30, 10);
		submit(&sim, &processor, &second, 4, 4);
		assert_int_equal(sim_run(&sim, 1000), 0);
		assert_int_equal(first.ended, cases[i].first);
		assert_int_equal(second.ended, cases[i].second);
		assert_int_equal(processor.busy, 34);
		sim_finish(&sim);
	}
}

struct late {
	struct sim_node node; /* first */
	struct processor *processor;
	struct work work;
};

static void on_late(struct sim *sim, struct sim_node *node)
{
	struct late *late = (struct late *)node;

	submit(sim, late->processor, &late->work, 4, 4);
}

/* A job that is alone is served in one go, but no longer than until another can come. */
static void a_job_alone_makes_room(void **state)
{
	struct processor processor;
	struct late late = {.node = {on_late}, .processor = &processor};
	struct work first;
	struct sim sim;

	(void)state;
	assert_int_equal(sim_init(&sim, 1, 1), 0);
	processor_init(&processor, DISCIPLINE_PS, 2);
	sim_at(&sim, 11, &late.node);
	submit(&sim, &processor, &first, 1000, 1000);
	assert_int_equal(sim_run(&sim, 5000), 0);
	/* Comes at 11, within the slice that ends at 12; then slices in turn: 12-14, 16-18. */
	assert_int_equal(late.work.ended, 18);
	assert_int_equal(first.ended, 1004);
	assert_true(sim.handled < 12);
	sim_finish(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(disciplines_differ),
		cmocka_unit_test(a_job_alone_makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
