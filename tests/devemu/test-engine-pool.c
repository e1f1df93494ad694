/* SPDX-License-Identifier: Apache-2.0 */
/* test-engine-pool.c - which engine runs which unit, varying, CPU time, shares */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "devemu/engine/pool.h"

enum { UNITS = 300 };

/* Engines 0 and 1 are CPs, the others zIIPs. */
struct job {
	struct unit unit;
	struct pool *pool;
	uint64_t burn_ns;
	atomic_int engine; /* that has run it, -1: none yet */
	int place;         /* in the order of ends */
	atomic_bool *wait; /* until it is set */
};

static struct job job[UNITS];
static atomic_int ends;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

static void pause_ms(unsigned int ms)
{
	const struct timespec ts = {0, ms * 1000000L};

	nanosleep(&ts, NULL);
}

static void run(struct unit *unit, unsigned int engine)
{
	struct job *self = (struct job *)unit;
	const uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + self->burn_ns;

	while (self->wait && !atomic_load(self->wait))
		pause_ms(1);
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
	self->place = atomic_fetch_add(&ends, 1);
	atomic_store(&self->engine, (int)engine);
}

static struct pool *start(unsigned int ziips, bool honor, unsigned int help_us)
{
	struct pool_config config = {.engines = 2 + ziips,
				     .classes = 2,
				     .class = {{"OTHER", 5}, {"IPSECCL", 3}},
				     .honor_priority = honor,
				     .help_us = help_us};
	struct pool *pool;

	for (unsigned int i = 0; i < config.engines; i++)
		config.engine[i] = (struct engine_config){
			.kind = i < 2 ? ENGINE_CP : ENGINE_ZIIP, .cpu = -1, .share = 100};
	pool = pool_create(&config);
	assert_non_null(pool);
	return pool;
}

static void submit(struct pool *pool, int nr, bool eligible, uint64_t burn_us)
{
	job[nr] = (struct job){.unit = {.run = run, .class = 1, .eligible = eligible},
			       .pool = pool,
			       .burn_ns = burn_us * 1000,
			       .engine = -1};
	pool_submit(pool, &job[nr].unit);
}

static void wait_for(int nr)
{
	while (atomic_load(&job[nr].engine) < 0)
		pause_ms(1);
}

static bool on_cp(int nr)
{
	return atomic_load(&job[nr].engine) < 2;
}

static void a_ziip_runs_eligible_work_only(void **state)
{
	struct pool *pool = start(1, false, 0);

	(void)state;
	for (int i = 0; i < UNITS; i++)
		submit(pool, i, i % 3 == 0, 100);
	pool_destroy(pool); /* waits */
	for (int i = 0; i < UNITS; i++)
		assert_int_equal(on_cp(i), i % 3 != 0);
}

static void no_contains_work_on_ziips(void **state)
{
	struct pool *pool = start(1, false, 100);
	struct pool_account account;

	(void)state;
	/* Much more than one zIIP gets through in the time of help, and CPs are idle. */
	for (int i = 0; i < 40; i++)
		submit(pool, i, true, 1000);
	for (int i = 0; i < 40; i++)
		wait_for(i);
	pool_drain(pool);
	pool_read(pool, &account);
	assert_int_equal(account.class[1].iipcp_ns, 0);
	assert_true(account.class[1].iip_ns >= 40 * 1000000);
	assert_int_equal(account.helped, 0);
	pool_destroy(pool);
	for (int i = 0; i < 40; i++)
		assert_false(on_cp(i));
}

static void yes_lets_cps_help_after_a_time(void **state)
{
	struct pool *pool = start(1, true, 2000);
	struct pool_account account;
	int cp = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		submit(pool, i, true, 1000);
	for (int i = 0; i < 100; i++)
		wait_for(i);
	pool_drain(pool);
	for (int i = 0; i < 100; i++)
		cp += on_cp(i);
	pool_read(pool, &account);
	assert_true(cp > 0 && cp < 100);
	assert_int_equal(account.helped, cp);
	assert_true(account.class[1].iipcp_ns > 0 && account.class[1].iip_ns > 0);
	pool_destroy(pool);
}

static void yes_leaves_cps_out_of_what_does_not_wait(void **state)
{
	struct pool *pool = start(1, true, 60000000);

	(void)state;
	for (int i = 0; i < 10; i++) {
		submit(pool, i, true, 10);
		wait_for(i);
	}
	pool_destroy(pool);
	for (int i = 0; i < 10; i++)
		assert_false(on_cp(i));
}

/* The first exception of NO: no zIIP is online. */
static void without_ziips_cps_run_everything(void **state)
{
	struct pool *pool = start(1, false, 100);

	(void)state;
	assert_int_equal(pool_vary(pool, 2, false), 0);
	for (int i = 0; i < 10; i++)
		submit(pool, i, true, 100);
	for (int i = 0; i < 10; i++)
		wait_for(i);
	for (int i = 0; i < 10; i++)
		assert_true(on_cp(i));
	assert_true(pool_may(pool, 0, true));
	assert_int_equal(pool_vary(pool, 2, true), 0);
	assert_false(pool_may(pool, 0, true));
	submit(pool, 0, true, 100);
	wait_for(0);
	assert_false(on_cp(0));
	pool_destroy(pool);
}

/* The second one: it holds something that other work waits for. */
static void holders_may_run_on_cps(void **state)
{
	struct pool *pool = start(1, false, 100);
	atomic_bool go = false;

	(void)state;
	/* The zIIP is busy until the test lets it go. */
	job[0] = (struct job){.unit = {.run = run, .class = 1, .eligible = true},
			      .pool = pool,
			      .engine = -1,
			      .wait = &go};
	pool_submit(pool, &job[0].unit);
	for (int i = 1; i <= 3; i++)
		submit(pool, i, true, 10);
	pool_promote(pool, &job[2].unit);
	wait_for(2);
	assert_true(on_cp(2));
	assert_int_equal(atomic_load(&job[1].engine), -1);
	assert_int_equal(atomic_load(&job[3].engine), -1);
	atomic_store(&go, true);
	wait_for(3);
	wait_for(1);
	assert_false(on_cp(1));
	assert_false(on_cp(3));
	pool_destroy(pool);
}

static void important_classes_come_first(void **state)
{
	struct pool *pool = start(0, true, 100);
	atomic_bool go = false;

	(void)state;
	/* One engine, which is busy until all units are queued. */
	assert_int_equal(pool_vary(pool, 1, false), 0);
	job[0] = (struct job){.unit = {.run = run, .class = 1}, .engine = -1, .wait = &go};
	pool_submit(pool, &job[0].unit);
	/* The less important class first in time. */
	for (int i = 2; i < 22; i++) {
		job[i] = (struct job){.unit = {.run = run, .class = i < 12 ? 0 : 1}, .engine = -1};
		pool_submit(pool, &job[i].unit);
	}
	atomic_store(&go, true);
	pool_destroy(pool);
	for (int late = 2; late < 12; late++)
		for (int early = 12; early < 22; early++)
			assert_true(job[early].place < job[late].place);
	/* Within a class, the order of arrival. */
	for (int i = 3; i < 12; i++)
		assert_true(job[i].place > job[i - 1].place);
}

static void nothing_is_lost_when_engines_are_varied(void **state)
{
	struct pool *pool = start(2, true, 1000);

	(void)state;
	for (int i = 0; i < UNITS; i++) {
		submit(pool, i, i % 4 != 0, 50);
		if (i % 10 == 0)
			pool_vary(pool, 2 + (unsigned int)i / 10 % 2, i / 20 % 2 == 1);
		if (i % 25 == 0)
			pool_vary(pool, 1, i / 25 % 2 == 1);
	}
	pool_destroy(pool);
	for (int i = 0; i < UNITS; i++) {
		assert_true(atomic_load(&job[i].engine) >= 0);
		if (i % 4 == 0)
			assert_true(on_cp(i));
	}
}

static void varying_has_limits(void **state)
{
	struct pool *pool = start(1, true, 1000);

	(void)state;
	assert_int_equal(pool_vary(pool, 3, true), -ENODEV);
	assert_int_equal(pool_vary(pool, 2, true), -EALREADY);
	assert_int_equal(pool_vary(pool, 0, false), 0);
	assert_int_equal(pool_vary(pool, 1, false), -EBUSY);
	assert_int_equal(pool_online(pool, ENGINE_CP), 1);
	assert_int_equal(pool_online(pool, ENGINE_ZIIP), 1);
	pool_destroy(pool);
}

/* What classes are charged is what the clocks of the threads say, but for dispatching. */
static void charges_are_those_of_the_clocks(void **state)
{
	struct pool *pool = start(1, true, 1000);
	struct pool_account before, after, between;
	uint64_t charged = 0, classes = 0, threads = 0;

	(void)state;
	pool_read(pool, &before);
	for (int i = 0; i < UNITS; i++)
		submit(pool, i, i % 2, 300);
	for (int i = 0; i < UNITS; i++)
		wait_for(i);
	pool_drain(pool);
	pool_read(pool, &after);
	pool_account_between(&before, &after, &between);
	for (unsigned int i = 0; i < 3; i++) {
		const struct engine_account *engine = &between.engine[i];

		assert_true(engine->charged_ns <= engine->thread_ns);
		assert_true(engine->waiting_ns <= engine->thread_ns);
		charged += engine->charged_ns;
		threads += engine->thread_ns;
	}
	for (unsigned int i = 0; i < 2; i++)
		classes += between.class[i].cp_ns + between.class[i].iipcp_ns +
			   between.class[i].iip_ns;
	assert_int_equal(classes, charged);
	assert_int_equal(between.engine[2].eligible_ns, between.class[1].iip_ns);
	assert_int_equal(between.engine[0].eligible_ns + between.engine[1].eligible_ns,
			 between.class[1].iipcp_ns);
	assert_true(charged >= UNITS * UINT64_C(300000));
	assert_true(threads < charged + charged / 4);
	pool_destroy(pool);
}

/* A throttled engine uses its share of a CPU at most, also after it had nothing to do. */
static void shares_are_kept(void **state)
{
	struct pool_config config = {.engines = 1,
				     .classes = 2,
				     .class = {{"OTHER", 5}, {"IPSECCL", 3}},
				     .engine = {{ENGINE_CP, false, -1, 20}}};
	struct pool *pool = pool_create(&config);
	uint64_t begin, elapsed;

	(void)state;
	assert_non_null(pool);
	pause_ms(300);
	begin = clock_ns(CLOCK_MONOTONIC);
	for (int i = 0; i < 100; i++)
		submit(pool, i, false, 500);
	for (int i = 0; i < 100; i++)
		wait_for(i);
	elapsed = clock_ns(CLOCK_MONOTONIC) - begin;
	/* 50 ms of CPU time at 20 %, less unused time of 50 ms and what may be ahead. */
	assert_true(elapsed >= UINT64_C(190000000));
	pool_destroy(pool);
}

static void configurations_are_checked(void **state)
{
	struct pool_config config = {
		.engines = 1, .classes = 1, .engine = {{ENGINE_ZIIP, false, -1, 100}}};

	(void)state;
	assert_null(pool_create(&config));
	assert_int_equal(errno, EINVAL);
	config.engine[0] = (struct engine_config){ENGINE_CP, false, -1, 101};
	assert_null(pool_create(&config));
	config.engine[0] = (struct engine_config){ENGINE_CP, true, -1, 100};
	assert_null(pool_create(&config));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ziip_runs_eligible_work_only),
		cmocka_unit_test(no_contains_work_on_ziips),
		cmocka_unit_test(yes_lets_cps_help_after_a_time),
		cmocka_unit_test(yes_leaves_cps_out_of_what_does_not_wait),
		cmocka_unit_test(without_ziips_cps_run_everything),
		cmocka_unit_test(holders_may_run_on_cps),
		cmocka_unit_test(important_classes_come_first),
		cmocka_unit_test(nothing_is_lost_when_engines_are_varied),
		cmocka_unit_test(varying_has_limits),
		cmocka_unit_test(charges_are_those_of_the_clocks),
		cmocka_unit_test(shares_are_kept),
		cmocka_unit_test(configurations_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
