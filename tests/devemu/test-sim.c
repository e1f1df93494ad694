/* SPDX-License-Identifier: Apache-2.0 */
/* test-sim.c - simulated time, random numbers, the event log */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "devemu/clock/sim.h"

struct waiting {
	struct sim_node node;
	int64_t at;
	unsigned int nr;
};

static struct waiting *last;
static unsigned int handled;

static void in_order(struct sim *sim, struct sim_node *node)
{
	struct waiting *now = (struct waiting *)node;

	assert_true(sim->now == now->at);
	if (last) {
		assert_true(last->at <= now->at);
		if (last->at == now->at)
			assert_true(last->nr < now->nr);
	}
	last = now;
	handled++;
}

static void events_come_by_time_and_then_by_call(void **state)
{
	enum { MANY = 5000 };
	struct waiting *all = calloc(MANY, sizeof(*all));
	struct random random;
	struct sim sim;

	(void)state;
	assert_non_null(all);
	assert_int_equal(sim_init(&sim, 1, 1), 0);
	random_seed(&random, 7);
	last = NULL;
	handled = 0;
	for (unsigned int i = 0; i < MANY; i++) {
		all[i] = (struct waiting){{in_order}, (int64_t)random_below(&random, 500), i};
		sim_at(&sim, all[i].at, &all[i].node);
	}
	assert_true(sim_next(&sim) <= 500);
	assert_int_equal(sim_run(&sim, 249), 0);
	assert_true(sim.now == 249 && handled > MANY / 3 && handled < 2 * MANY / 3);
	assert_int_equal(sim_run(&sim, 1000), 0);
	assert_int_equal(handled, MANY);
	assert_true(sim.now == 1000);
	assert_true(sim_next(&sim) == INT64_MAX);
	sim_finish(&sim);
	free(all);
}

static void stop_here(struct sim *sim, struct sim_node *node)
{
	(void)node;
	sim_stop(sim);
}

static void a_stopped_run_stays_where_it_is(void **state)
{
	struct sim_node first = {stop_here}, second = {stop_here};
	struct sim sim;

	(void)state;
	assert_int_equal(sim_init(&sim, 1, 1), 0);
	sim_at(&sim, 10, &first);
	sim_at(&sim, 20, &second);
	assert_int_equal(sim_run(&sim, 100), 0);
	assert_true(sim.now == 10);
	sim_at(&sim, 5, &first); /* the past is now */
	assert_int_equal(sim_run(&sim, 100), 0);
	assert_true(sim.now == 10);
	assert_int_equal(sim_run(&sim, 100), 0);
	assert_true(sim.now == 20);
	sim_finish(&sim);
}

/* The first numbers of the published reference code for a state of 1, 2, 3, 4. */
static void random_numbers_are_xoshiro(void **state)
{
	static const uint64_t expected[] = {11520, 0, 1509978240, UINT64_C(1215971899390074240)};
	struct random random = {{1, 2, 3, 4}};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_true(random_next(&random) == expected[i]);
	random_seed(&random, 0);
	assert_true(random.state[0] == UINT64_C(0xE220A8397B1DCDAF)); /* splitmix64 of 0 */
}

static void exponential_has_its_mean_and_tail(void **state)
{
	enum { MANY = 200000 };
	struct random random;
	int64_t sum = 0;
	int beyond = 0;

	(void)state;
	random_seed(&random, 3);
	for (int i = 0; i < MANY; i++) {
		const int64_t value = random_exponential(&random, 1000000);

		assert_true(value >= 0);
		sum += value;
		beyond += value > 2302585; /* ln 10 means: one in ten */
	}
	assert_true(sum / MANY > 990000 && sum / MANY < 1010000);
	assert_true(beyond > MANY / 10 - 600 && beyond < MANY / 10 + 600);
	assert_true(random_exponential(&random, 0) == 0);
}

static void below_is_even_and_below(void **state)
{
	int count[6] = {0};
	struct random random;

	(void)state;
	random_seed(&random, 5);
	for (int i = 0; i < 60000; i++)
		count[random_below(&random, 6)]++;
	for (int i = 0; i < 6; i++)
		assert_true(count[i] > 9600 && count[i] < 10400);
	assert_true(random_below(&random, 0) == 0 && random_below(&random, 1) == 0);
}

static void the_hash_knows_order_and_content(void **state)
{
	struct eventlog a, b;

	(void)state;
	eventlog_init(&a);
	eventlog_init(&b);
	eventlog_add(&a, 1, 2, 3, 4);
	eventlog_add(&b, 1, 2, 3, 4);
	assert_true(a.hash == b.hash && a.count == 1);
	eventlog_add(&a, 5, 1, 1, 1);
	eventlog_add(&a, 6, 1, 1, 1);
	eventlog_add(&b, 6, 1, 1, 1);
	eventlog_add(&b, 5, 1, 1, 1);
	assert_true(a.hash != b.hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_by_time_and_then_by_call),
		cmocka_unit_test(a_stopped_run_stays_where_it_is),
		cmocka_unit_test(random_numbers_are_xoshiro),
		cmocka_unit_test(exponential_has_its_mean_and_tail),
		cmocka_unit_test(below_is_even_and_below),
		cmocka_unit_test(the_hash_knows_order_and_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
