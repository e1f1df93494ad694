/* SPDX-License-Identifier: Apache-2.0 */
/* test-fabric.c - results of runs: rates, credits, sharing, fail-over */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/fabric/fabric.h"
#include "devemu/fabric/zhpf.h"
#include "devemu/scenario/scenario.h"

static struct config config;
static struct fabric *fabric;

#define COMMON "time 100ms\nwarmup 20ms\ncontrol-unit 7800\ndevice 7800-7807 cu=7800\n"
#define IDEAL  "time 100ms\nwarmup 20ms\ncontrol-unit 7800 preset=ideal\ndevice 7800-7807 cu=7800\n"

static int build(const char *text, struct fabric_error *error)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct lfp_reader_error err;

	assert_non_null(file);
	if (scenario_read(&config, "test", file, &err) < 0)
		fail_msg("%s", err.text);
	fclose(file);
	return fabric_create(&fabric, &config, error);
}

static void run(const char *text)
{
	struct fabric_error error;

	if (build(text, &error) < 0)
		fail_msg("%d: %s", error.line, error.text);
	assert_int_equal(fabric_run(fabric), 0);
}

static void done(void)
{
	fabric_destroy(fabric);
	fabric = NULL;
	config_finish(&config);
}

static double seconds(void)
{
	return (double)fabric_interval(fabric) / SIM_SEC;
}

static double load_rate(int nr)
{
	return (double)fabric->load[nr].ended / seconds();
}

static double megabytes(void)
{
	const struct channel_counters counters =
		fabric_channel_counters(fabric, &fabric->channel[0]);

	return (double)(counters.bytes_read + counters.bytes_written) / 1e6 / seconds();
}

static void near(double value, double expected, double tolerance)
{
	if (fabs(value - expected) > tolerance * expected)
		fail_msg("%g is not within %g %% of %g", value, tolerance * 100, expected);
}

static void zhpf_and_ficon_reach_their_maxima(void **state)
{
	double zhpf;

	(void)state;
	run(COMMON "zhpf yes\nchannel 50\npath 50 7800\nload a devices=7800 streams=60\n");
	zhpf = load_rate(0);
	near(zhpf, 302000, 0.01);
	near((double)fabric->load[0].response / (double)fabric->load[0].ended / SIM_US, 200, 0.05);
	done();
	run(COMMON "channel 50\npath 50 7800\nload a devices=7800 streams=60\n");
	near(zhpf / load_rate(0), 12, 0.04);
	done();
}

static void the_switch_decides_and_six_units_become_three(void **state)
{
	static const struct {
		const char *zhpf, *program;
		uint64_t out, in;
	} cases[] = {
		{"zhpf yes\n", "", 1, 2},
		{"zhpf no\n", "", 3, 3},
		{"", "", 3, 3},
		{"zhpf yes\n", " program=ccw", 3, 3},
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		char text[512];
		struct channel_counters counters;
		uint64_t ios;

		snprintf(text, sizeof(text),
			 COMMON "%schannel 50\npath 50 7800\nload a devices=7800 rate=1000%s\n",
			 cases[i].zhpf, cases[i].program);
		run(text);
		counters = fabric_channel_counters(fabric, &fabric->channel[0]);
		ios = counters.operation[cases[i].out == 1 ? OPERATION_ZHPF : OPERATION_FICON].ends;
		assert_true(ios > 50);
		near((double)counters.ius_out / (double)ios, (double)cases[i].out, 0.05);
		near((double)counters.ius_in / (double)ios, (double)cases[i].in, 0.05);
		done();
	}
}

static void channel_and_device_must_allow_zhpf_too(void **state)
{
	(void)state;
	run(COMMON "zhpf yes\nchannel 50 zhpf=no\npath 50 7800\nload a devices=7800 streams=1\n");
	assert_true(fabric->channel[0].counters.operation[OPERATION_ZHPF].starts == 0);
	assert_true(fabric->channel[0].counters.operation[OPERATION_FICON].starts > 0);
	done();
	run("control-unit 1\ntime 10ms\ndevice 1 cu=1 zhpf=no\ndevice 2 cu=1\nzhpf yes\nchannel "
	    "50\n"
	    "path 50 1\nload a devices=1-2 streams=1\n");
	assert_true(fabric->channel[0].counters.operation[OPERATION_ZHPF].starts > 0);
	assert_true(fabric->channel[0].counters.operation[OPERATION_FICON].starts > 0);
	done();
}

static void shares_of_streams_share_the_processor(void **state)
{
	(void)state;
	run(IDEAL "zhpf yes\nchannel 50 discipline=ps:0.2us\npath 50 7800\n"
		  "load a devices=7800 streams=50\nload b devices=7800 streams=50 program=ccw\n");
	near(load_rate(0) + load_rate(1), 160000, 0.03);
	done();
	/* One after the other, each gets as many I/Os: the harmonic mean. */
	run(IDEAL "zhpf yes\nchannel 50\npath 50 7800\n"
		  "load a devices=7800 streams=50\nload b devices=7800 streams=50 program=ccw\n");
	assert_true(load_rate(0) + load_rate(1) < 80000);
	done();
}

static void credits_limit_a_long_link(void **state)
{
	static const struct {
		const char *credits;
		double rate;
	} cases[] = {
		{"1690", 3200},
		/* 66 frames carry 128 KB, a credit is back after 1 ms and a frame's time */
		{"720", 720 / 66. * 131.072},
		{"100", 100 / 66. * 131.072},
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 COMMON "zhpf yes\nchannel 50\nlink L distance=100km credits=%s\n"
				"path 50 7800 via=L\nload a devices=7800 streams=100 bytes=128K\n",
			 cases[i].credits);
		run(text);
		near(megabytes(), cases[i].rate, 0.01);
		assert_true((fabric->link[0].direction[1].counters.credit_waits > 0) == (i > 0));
		done();
	}
}

static void frames_have_the_published_mean_size(void **state)
{
	static const struct {
		const char *bytes;
		double mean;
	} cases[] = {{"4K", 1083}, {"128K", 2023}, {"512K", 2068}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct link_counters *counters;
		char text[512];

		snprintf(text, sizeof(text),
			 COMMON "zhpf yes\nchannel 50\npath 50 7800\n"
				"load a devices=7800 streams=2 bytes=%s\n",
			 cases[i].bytes);
		run(text);
		counters = &fabric->link[0].direction[1].counters;
		near((double)counters->frame_bytes / (double)counters->frames, cases[i].mean,
		     0.0005);
		done();
	}
}

static void speed_is_negotiated(void **state)
{
	static const struct {
		const char *channel, *link;
		unsigned int g, gbps;
	} cases[] = {
		{"FEx32S", "speed=32", 0x2E, 32},         {"FEx32S", "speed=16", 0x2D, 16},
		{"FEx32S", "speed=16 fec=no", 0x2C, 16},  {"FEx32S", "speed=32 fec=no", 0x2C, 16},
		{"FEx32S", "speed=8", 0x2B, 8},           {"FEx16SA", "speed=32", 0x28, 16},
		{"FEx16SA", "speed=16 fec=no", 0x27, 16}, {"FEx16SA", "speed=8", 0x26, 8},
		{"FEx16S+", "speed=32", 0x22, 16},        {"FEx16S+", "speed=16 fec=no", 0x21, 16},
		{"FEx16S+", "speed=8", 0x20, 8},          {"FEx16S+", "speed=4", 0x1F, 4},
	};
	struct fabric_error error;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 "control-unit 1\ndevice 1 cu=1\nchannel 50 preset=%s\nlink L %s\n"
			 "path 50 1 via=L\n",
			 cases[i].channel, cases[i].link);
		assert_int_equal(build(text, &error), 0);
		assert_int_equal(fabric->channel[0].speed->g, cases[i].g);
		assert_int_equal(fabric->channel[0].speed->gbps, cases[i].gbps);
		done();
	}
	assert_int_equal(build("control-unit 1\ndevice 1 cu=1\nchannel 50\nlink L speed=4\n"
			       "path 50 1 via=L\n",
			       &error),
			 -EINVAL);
	assert_int_equal(error.line, 5);
	assert_non_null(strstr(error.text, "no speed in common"));
	config_finish(&config);
}

static void full_exchanges_defer(void **state)
{
	const struct operation_counters *ficon;

	(void)state;
	run(COMMON "channel 50\npath 50 7800\nload a devices=7800 streams=80\n");
	ficon = &fabric->channel[0].counters.operation[OPERATION_FICON];
	assert_true(ficon->deferred > 0);
	assert_true(ficon->active_sum <= 64 * ficon->starts);
	assert_int_equal(fabric->channel[0].active[OPERATION_FICON], 64);
	done();
}

static void a_failed_path_is_replaced(void **state)
{
	(void)state;
	run(COMMON "zhpf yes\nchannel 50\nchannel 51\npath 50 7800\npath 51 7800\n"
		   "load a devices=7800-7807 streams=60\nfail 60ms channel=50\n");
	assert_true(fabric->device[0].counters.path_switches > 0);
	assert_true(fabric->load[0].failed == 0);
	assert_int_equal(fabric->channel[0].active[OPERATION_ZHPF], 0);
	assert_int_equal(fabric->channel[1].active[OPERATION_ZHPF], 60);
	done();
	run(COMMON "zhpf yes\nchannel 50\npath 50 7800\nload a devices=7800 streams=3\n"
		   "fail 60ms channel=50\nrestore 90ms channel=50\n");
	assert_true(fabric->load[0].failed >= 3);
	assert_int_equal(fabric->channel[0].active[OPERATION_ZHPF], 3);
	done();
}

static void a_failed_domain_goes_the_other_way(void **state)
{
	static const char format[] =
		COMMON "zhpf yes\nchannel 50\nchannel 51\nchannel 52 card=1\nchannel 53 card=1\n"
		       "channel 54 card=2\nchannel 55 card=2\nchannel 56 card=3\n"
		       "path 50 7800\npath 51 7800\npath 52 7800\npath 53 7800\npath 54 7800\n"
		       "path 55 7800\npath 56 7800\nload a devices=7800 streams=1000 bytes=128K "
		       "read=50\n%s";
	double before;
	char text[1024];

	(void)state;
	snprintf(text, sizeof(text), format, "");
	run(text);
	before = load_rate(0) * 0.131072;
	near(before, 19000, 0.03);
	done();
	snprintf(text, sizeof(text), format, "fail 0 domain=0\n");
	run(text);
	near(load_rate(0) * 0.131072, 12000, 0.03);
	done();
}

static void response_is_the_sum_of_its_parts(void **state)
{
	(void)state;
	run("zhpf yes\ncontrol-unit 1\ndevice 1 cu=1 aliases=1 hit=70% miss=1ms\nchannel 50\n"
	    "path 50 1\nload a devices=1 streams=8\ntime 1s\nwarmup 10ms\n");
	const struct device_counters *device = &fabric->device[0].counters;

	assert_true(device->ends == fabric->load[0].ended);
	assert_true(device->iosq + device->pend + device->disc + device->conn ==
		    fabric->load[0].response);
	near((double)device->hits / (double)device->ends, 0.7, 0.05);
	assert_true(device->disc == device->misses * SIM_MS);
	assert_true(device->iosq > 0 && device->cmr > 0 && device->cmr <= device->pend);
	assert_int_equal(fabric->device[0].active, 2);
	done();
}

static void same_seed_same_hash(void **state)
{
	uint64_t hash[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 COMMON "seed %d\nzhpf yes\nchannel 50\npath 50 7800\n"
				"load a devices=7800-7807 rate=5000 read=60\n",
			 i < 2 ? 1 : 2);
		run(text);
		hash[i] = fabric->sim.log.hash;
		done();
	}
	assert_true(hash[0] == hash[1] && hash[0] != hash[2]);
}

static void setios_changes_what_starts_next(void **state)
{
	const struct operation_counters *operation;
	struct fabric_error error;

	(void)state;
	run("control-unit 1\ndevice 1 cu=1\nchannel 50\npath 50 1\nload a devices=1 streams=1\n"
	    "time 20ms\nsetios 10ms zhpf=yes\n");
	operation = fabric->channel[0].counters.operation;
	assert_true(operation[OPERATION_FICON].starts > 20 &&
		    operation[OPERATION_ZHPF].starts > 20);
	done();

	assert_int_equal(build("channel 50\n", &error), 0);
	assert_int_equal(zhpf_setios(fabric, "setios zhpf=yes"), 0);
	assert_true(fabric->zhpf);
	assert_int_equal(zhpf_setios(fabric, "SETIOS ZHPF=MAYBE"), -EINVAL);
	assert_int_equal(zhpf_setios(fabric, "SETIOS ZHPF=NO NOW"), -EINVAL);
	assert_int_equal(zhpf_setios(fabric, "SETZIO ZHPF=NO"), -EINVAL);
	assert_true(fabric->zhpf);
	assert_int_equal(zhpf_setios(fabric, " SETIOS ZHPF=NO"), 0);
	assert_false(fabric->zhpf);
	done();
}

static void memory_does_not_grow(void **state)
{
	struct fabric_error error;
	uint64_t ios;

	(void)state;
	assert_int_equal(build(COMMON "zhpf yes\nchannel 50\npath 50 7800\n"
				      "load a devices=7800 streams=60\n",
			       &error),
			 0);
	assert_int_equal(fabric_begin(fabric), 0);
	assert_int_equal(fabric_run_until(fabric, 10 * SIM_MS), 0);
	ios = fabric->ios;
	assert_int_equal(fabric_run_until(fabric, SIM_SEC), 0);
	assert_true(fabric->io_numbers > 300000);
	assert_true(fabric->ios == ios && fabric->sim.room == 1024);
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zhpf_and_ficon_reach_their_maxima),
		cmocka_unit_test(the_switch_decides_and_six_units_become_three),
		cmocka_unit_test(channel_and_device_must_allow_zhpf_too),
		cmocka_unit_test(shares_of_streams_share_the_processor),
		cmocka_unit_test(credits_limit_a_long_link),
		cmocka_unit_test(frames_have_the_published_mean_size),
		cmocka_unit_test(speed_is_negotiated),
		cmocka_unit_test(full_exchanges_defer),
		cmocka_unit_test(a_failed_path_is_replaced),
		cmocka_unit_test(a_failed_domain_goes_the_other_way),
		cmocka_unit_test(response_is_the_sum_of_its_parts),
		cmocka_unit_test(same_seed_same_hash),
		cmocka_unit_test(setios_changes_what_starts_next),
		cmocka_unit_test(memory_does_not_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
