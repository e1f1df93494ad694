/* SPDX-License-Identifier: Apache-2.0 */
/* test-engine-workload.c - the Workload Activity report: the two published blocks, the identity,
 *the projection
 *
 * The accounts no-ziip and one-ziip are the two blocks of IBM's presentation, from accounts
 *with the published CPU times. The print of the presentation is damaged, as it was read from a
 *picture:
 *	- the second block's IOC row has the value of its CPU row, and the row's name is "VSC" for
 *"/SEC";
 *	- "ABSRPTM V", "RV", "I AAP" and "L05.17" stand for ABSRPTN, TRX SERV, AAP and 105.17;
 *	- columns run into each other, and all of PAGE-IN RATES but the names is lost in part;
 *	- rules and boxes are absent, so widths and places of columns are ours;
 *	- the lines of the goal are cut: GOAL is 5, and 57.8 is the actual velocity, which follows
 *from 57.2 / (57.2 + 41.7), with the index 5 / 57.8 = 0.1;
 *	- in the first block only USING% 74.7 and DELAY% 14.3 of them can be read.
 * POLICY and WORKLOAD are IBM's in every report.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "devemu/engine/workload.h"

enum { UNITS = 400, ROOM = 8192 };

static void compare(const struct workload *workload, const char *path)
{
	static char got[ROOM], want[ROOM];
	FILE *out = fmemopen(got, sizeof(got), "w"), *file = fopen(path, "r");
	size_t len;

	assert_non_null(out);
	workload_text(workload, out);
	fclose(out);
	assert_non_null(file);
	len = fread(want, 1, sizeof(want) - 1, file);
	want[len] = '\0';
	fclose(file);
	assert_string_equal(got, want);
}

static void the_block_without_ziip(void **state)
{
	const struct workload workload = {
		.class = "IPSECCL",
		.importance = 3,
		.goal = 5,
		.interval = 60,
		.units = 283684.5, /* 17901060 over 63.102 s */
		.project = true,
		.account = {.iipcp_ns = UINT64_C(63102000000),
			    .using_ns = UINT64_C(44820000000),
			    .delay_ns = UINT64_C(8580000000)},
	};

	(void)state;
	compare(&workload, "tests/devemu/workload/no-ziip");
}

static void the_block_with_one_ziip(void **state)
{
	const struct workload workload = {
		.class = "IPSECCL",
		.importance = 3,
		.goal = 5,
		.interval = 60,
		.units = 283696.0, /* 17517120 over 61.746 s */
		.ziips = true,
		.account = {.iip_ns = UINT64_C(57078000000),
			    .iipcp_ns = UINT64_C(4668000000),
			    .using_ns = UINT64_C(34320000000),
			    .delay_ns = UINT64_C(25020000000)},
	};
	struct workload_numbers numbers;

	(void)state;
	compare(&workload, "tests/devemu/workload/one-ziip");
	workload_compute(&workload, &numbers);
	assert_true(fabs(numbers.velocity - 57.8) < 0.05);
	assert_true(fabs(numbers.index - 0.1) < 0.05);
}

static void kinds_that_are_not_there_are_na(void **state)
{
	struct workload workload = {.class = "IPSECCL", .interval = 1, .units = 1};
	struct workload_numbers numbers;
	char text[1000] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	(void)state;
	workload.account.iipcp_ns = 500000000;
	workload_compute(&workload, &numbers);
	assert_true(isnan(numbers.iip) && isnan(numbers.iipcp));
	assert_true(fabs(numbers.cp - 50) < 1e-9);
	workload_json(&workload, out);
	fclose(out);
	assert_non_null(strstr(text, "\"appl_cp\":50.0,\"appl_iipcp\":null,\"appl_iip\":null"));
}

/* IBM: 105.17 % "would fully saturate a single zIIP, with at least 5% spilling over to CPs. Two
 * zIIPs would be required." */
static void the_projection_is_ibms(void **state)
{
	struct projection projection;

	(void)state;
	projection_compute(105.17, 100, 1, &projection);
	assert_true(fabs(projection.iip[0] - 100) < 1e-9);
	assert_true(fabs(projection.iipcp[0] - 5.17) < 1e-9);
	assert_true(fabs(projection.iip[1] - 105.17) < 1e-9);
	assert_int_equal(projection.ziips, 2);
	/* With the part that classes get, as the published run had it; its demand was smaller. */
	projection_compute(105.17, 100, 0.9513, &projection);
	assert_true(fabs(projection.iipcp[0] - 10.04) < 0.005);
	/* Engines with half of a CPU each. */
	projection_compute(105.17, 50, 1, &projection);
	assert_true(fabs(projection.iipcp[1] - 5.17) < 1e-9);
	assert_int_equal(projection.ziips, 3);
}

struct job {
	struct unit unit;
	atomic_bool done;
};

static struct job job[UNITS];

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

static void run(struct unit *unit, unsigned int engine)
{
	const uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 500000;

	(void)engine;
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
	atomic_store(&((struct job *)unit)->done, true);
}

/* IIP + IIPCP of the report = eligible CPU seconds of the threads' clocks / interval, within 0.1
 * point, with 0, 1 and 2 zIIPs. */
static void the_identity(unsigned int ziips)
{
	struct pool_config config = {.engines = 2 + ziips,
				     .classes = 1,
				     .class = {{"IPSECCL", 3}},
				     .honor_priority = true,
				     .help_us = 1000};
	struct workload workload = {
		.class = "IPSECCL", .units = 1, .ziips = ziips > 0, .project = true};
	struct pool_account begin, end, interval;
	struct workload_numbers numbers;
	double eligible = 0, reported;
	struct pool *pool;

	for (unsigned int i = 0; i < config.engines; i++)
		config.engine[i] = (struct engine_config){
			.kind = i < 2 ? ENGINE_CP : ENGINE_ZIIP, .cpu = -1, .share = 60};
	pool = pool_create(&config);
	assert_non_null(pool);
	pool_read(pool, &begin);
	for (int i = 0; i < UNITS; i++) {
		job[i] = (struct job){.unit = {.run = run, .eligible = i % 8 != 0}};
		pool_submit(pool, &job[i].unit);
	}
	pool_drain(pool);
	pool_read(pool, &end);
	pool_account_between(&begin, &end, &interval);
	workload.interval = (double)interval.now_ns / 1e9;
	workload.account = interval.class[0];
	workload_compute(&workload, &numbers);
	for (unsigned int i = 0; i < config.engines; i++)
		eligible += (double)interval.engine[i].eligible_ns / 1e9;
	reported = numbers.iipcp + (ziips ? numbers.iip : 0);
	assert_true(fabs(reported - 100 * eligible / workload.interval) < 0.1);
	/* The clocks have seen all of it, and a zIIP has had nothing else. */
	assert_true(eligible >= UNITS * 7 / 8 * 0.0005);
	for (unsigned int i = 2; i < config.engines; i++)
		assert_int_equal(interval.engine[i].eligible_ns, interval.engine[i].charged_ns);
	pool_destroy(pool);
}

static void the_identity_holds(void **state)
{
	(void)state;
	for (unsigned int ziips = 0; ziips <= 2; ziips++)
		the_identity(ziips);
}

static void waiting_does_not_lower_the_capture(void **state)
{
	struct pool_account account = {
		.engine = {{.thread_ns = 1000, .charged_ns = 760, .waiting_ns = 200},
			   {.thread_ns = 300, .charged_ns = 190, .waiting_ns = 100}}};

	(void)state;
	assert_float_equal(workload_capture(&account, 2), 0.95, 1e-9);
	assert_float_equal(workload_capture(&account, 1), 0.95, 1e-9);
	account.engine[0].waiting_ns = 241;
	assert_float_equal(workload_capture(&account, 1), 1, 1e-9);
	assert_float_equal(workload_capture(&(struct pool_account){0}, 2), 1, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_block_without_ziip),
		cmocka_unit_test(the_block_with_one_ziip),
		cmocka_unit_test(kinds_that_are_not_there_are_na),
		cmocka_unit_test(the_projection_is_ibms),
		cmocka_unit_test(waiting_does_not_lower_the_capture),
		cmocka_unit_test(the_identity_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
