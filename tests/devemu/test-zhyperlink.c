/* SPDX-License-Identifier: Apache-2.0 */
/* test-zhyperlink.c - synchronous I/O: its limits, its rejects, its second tries */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "devemu/fabric/zhyperlink.h"
#include "tests/devemu/fabric-rig.h"

#define COMMON                                                                                     \
	"zhpf yes\ntime 100ms\nwarmup 10ms\ncontrol-unit 7800\nchannel 50\npath 50 7800\n"         \
	"device 7800 cu=7800\ndevice 7801 cu=7800 hit=60% miss=1ms\n"
#define LINK "zhyperlink 7800 adapter=0 port=0\n"

static struct fabric_rig rig;

static const struct sync_counters *sync_of(unsigned int number)
{
	return &fabric_device(rig.fabric, number)->sync;
}

static void limits_are_checked_one_by_one(void **state)
{
	static const struct {
		uint32_t bytes;
		uint64_t address;
		enum zhyperlink_outcome outcome;
	} cases[] = {
		{4096, 0, ZHYPERLINK_DONE},          {16, 0x1000, ZHYPERLINK_DONE},
		{4096, 16, ZHYPERLINK_DONE},         {0, 0, ZHYPERLINK_LENGTH},
		{4112, 0, ZHYPERLINK_LENGTH},        {4095, 0, ZHYPERLINK_LENGTH},
		{8, 0, ZHYPERLINK_LENGTH},           {4096, 8, ZHYPERLINK_ALIGNMENT},
		{4096, 0xFFF, ZHYPERLINK_ALIGNMENT},
	};
	struct fabric_error error;

	(void)state;
	assert_int_equal(fabric_rig_build(&rig,
					  COMMON LINK "control-unit 7900\npath 50 7900\n"
						      "device 7900 cu=7900\nchannel 60 type=FCP\n"
						      "control-unit 7A00\npath 60 7A00\n"
						      "device 7A00 cu=7A00\n",
					  &error),
			 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(zhyperlink_check(fabric_device(rig.fabric, 0x7800), cases[i].bytes,
						  cases[i].address),
				 cases[i].outcome);
	assert_int_equal(zhyperlink_check(fabric_device(rig.fabric, 0x7900), 4096, 0),
			 ZHYPERLINK_NO_LINK);
	assert_int_equal(zhyperlink_check(fabric_device(rig.fabric, 0x7A00), 4096, 0),
			 ZHYPERLINK_NOT_ECKD);
	rig.fabric->channel[0].up = false;
	assert_int_equal(zhyperlink_check(fabric_device(rig.fabric, 0x7800), 4096, 0),
			 ZHYPERLINK_NO_PATH);
	fabric_rig_done(&rig);
}

static void what_cannot_be_built_is_said(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{COMMON "zhyperlink 7900 adapter=0 port=0\n", "unknown control unit 7900"},
		{COMMON "zhyperlink 7800 adapter=8 port=0\n",
		 "a system has adapters 0 to 7 with ports 0 to 1, not port 0 of adapter 8"},
		{COMMON "zhyperlink 7800 adapter=0 port=2\n",
		 "a system has adapters 0 to 7 with ports 0 to 1, not port 2 of adapter 0"},
		{COMMON "zhyperlink 7800 adapter=0 port=0 distance=151m\n",
		 "151 m is more than the maximum of 150 m"},
		{COMMON "zhyperlink 7800 adapter=0 port=0 functions=65\n",
		 "port 0 of adapter 0 would have 65 virtual functions, at most 64 are possible"},
		{COMMON "control-unit 7900\npath 50 7900\n"
			"zhyperlink 7800 adapter=3 port=1 functions=40\n"
			"zhyperlink 7900 adapter=3 port=1 functions=25\n",
		 "port 1 of adapter 3 would have 65 virtual functions, at most 64 are possible"},
		{COMMON "control-unit 7900\npath 50 7900\n"
			"zhyperlink 7800 adapter=3 port=1 distance=10m\n"
			"zhyperlink 7900 adapter=3 port=1\n",
		 "port 1 of adapter 3 already has a link of 10 m"},
		{COMMON LINK LINK, "port 0 of adapter 0 is already connected to it"},
		{COMMON "control-unit 7900\nzhyperlink 7900 adapter=0 port=0\n",
		 "the control unit has no FICON path"},
		{COMMON "control-unit 7900\nchannel 60 type=FCP\npath 60 7900\n"
			"zhyperlink 7900 adapter=0 port=0\n",
		 "the control unit has no FICON path"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fabric_error error;

		assert_int_equal(fabric_rig_build(&rig, cases[i].text, &error), -EINVAL);
		if (!strstr(error.text, cases[i].message) || error.line == 0)
			fail_msg("%d: %s", error.line, error.text);
		fabric_rig_done(&rig);
	}
}

static void one_stream_never_finds_the_link_held(void **state)
{
	const struct sync_counters *sync;

	(void)state;
	fabric_rig_run(&rig, COMMON LINK "load a devices=7800 streams=1 sync=yes\n");
	sync = sync_of(0x7800);
	assert_true(sync->reads > 3000 && sync->writes == 0);
	assert_true(sync->link_busy == 0 && sync->cache_miss == 0 && sync->read_rejects == 0);
	assert_true(sync->bytes_read == sync->reads * 4096);
	assert_true(sync->read_time == sync->reads * (uint64_t)preset_zhyperlink.read);
	assert_true(fabric_device(rig.fabric, 0x7800)->counters.starts == 0);
	assert_true(rig.fabric->load[0].ended == sync->reads);
	fabric_rig_done(&rig);
}

static void distance_takes_its_time(void **state)
{
	const struct sync_counters *sync;

	(void)state;
	fabric_rig_run(&rig, COMMON "zhyperlink 7800 adapter=0 port=0 distance=150m\n"
				    "load a devices=7800 streams=1 read=0 sync=yes\n");
	sync = sync_of(0x7800);
	assert_true(sync->writes > 2000 && sync->reads == 0);
	/* 150 m there and back, 5 ns a metre */
	assert_true(sync->write_time ==
		    sync->writes * (uint64_t)(preset_zhyperlink.write + 1500 * SIM_NS));
	fabric_rig_done(&rig);
}

static void a_held_link_sends_to_zhpf(void **state)
{
	const struct sync_counters *sync;
	const struct operation_counters *zhpf;

	(void)state;
	fabric_rig_run(&rig, COMMON LINK "load a devices=7800 rate=40000 sync=yes\n");
	sync = sync_of(0x7800);
	zhpf = &rig.fabric->channel[0].counters.operation[OPERATION_ZHPF];
	assert_true(sync->link_busy > 500 && sync->reads > 1000);
	/* An I/O under way at either end of the interval may count in one of the two numbers
	 * only. */
	assert_in_range(zhpf->starts + 8 - sync->link_busy, 0, 16);
	assert_in_range(rig.fabric->load[0].ended + 40 - sync->reads - sync->link_busy, 0, 80);
	assert_true(sync->failed_time == sync->link_busy * (uint64_t)preset_zhyperlink.busy);
	fabric_rig_done(&rig);
}

static void links_are_used_in_turn(void **state)
{
	uint64_t busy;

	(void)state;
	fabric_rig_run(&rig, COMMON LINK "load a devices=7800 rate=40000 sync=yes\n");
	busy = sync_of(0x7800)->link_busy;
	fabric_rig_done(&rig);
	fabric_rig_run(&rig, COMMON LINK "zhyperlink 7800 adapter=0 port=1\n"
					 "load a devices=7800 rate=40000 sync=yes\n");
	assert_true(busy > 500 && sync_of(0x7800)->link_busy < busy * 3 / 4);
	fabric_rig_done(&rig);
	/* One link to two control units is one link. */
	fabric_rig_run(&rig, COMMON LINK "control-unit 7900\npath 50 7900\ndevice 7900 cu=7900\n"
					 "zhyperlink 7900 adapter=0 port=0\n"
					 "load a devices=7800 rate=20000 sync=yes\n"
					 "load b devices=7900 rate=20000 sync=yes\n");
	busy -= sync_of(0x7800)->link_busy + sync_of(0x7900)->link_busy;
	assert_in_range(busy + 150, 0, 300);
	fabric_rig_done(&rig);
}

static void a_miss_misses_again(void **state)
{
	const struct fabric_device *device;

	(void)state;
	fabric_rig_run(&rig, COMMON LINK "load a devices=7801 streams=1 sync=yes\n");
	device = fabric_device(rig.fabric, 0x7801);
	assert_true(device->sync.cache_miss > 20 && device->sync.link_busy == 0);
	/* Nothing but misses comes to the channel, and it stays a miss there. */
	assert_true(device->counters.hits == 0);
	assert_in_range(device->counters.misses + 1 - device->sync.cache_miss, 0, 2);
	assert_true(device->counters.disc == device->counters.misses * SIM_MS);
	fabric_rig_done(&rig);
}

static void other_rejects_are_apart(void **state)
{
	static const struct {
		const char *load;
		bool write;
	} cases[] = {
		{"load a devices=7800 streams=1 sync=yes bytes=8K\n", false},
		{"load a devices=7800 streams=1 sync=yes bytes=1000\n", false},
		{"load a devices=7800 streams=1 sync=yes align=8 read=0\n", true},
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct sync_counters *sync;
		char text[512];

		snprintf(text, sizeof(text), "%s%s", COMMON LINK, cases[i].load);
		fabric_rig_run(&rig, text);
		sync = sync_of(0x7800);
		assert_true((cases[i].write ? sync->write_rejects : sync->read_rejects) > 300);
		assert_true((cases[i].write ? sync->read_rejects : sync->write_rejects) == 0);
		assert_true(sync->reads + sync->writes + sync->link_busy + sync->cache_miss == 0);
		assert_true(rig.fabric->load[0].ended > 300 && rig.fabric->load[0].failed == 0);
		fabric_rig_done(&rig);
	}
}

static void without_a_path_there_is_no_synchronous_io(void **state)
{
	const struct sync_counters *sync;

	(void)state;
	fabric_rig_run(&rig, COMMON LINK "load a devices=7800 streams=1 sync=yes\n"
					 "fail 60ms channel=50\n");
	sync = sync_of(0x7800);
	assert_true(sync->reads > 1000 && sync->reads < 2500);
	assert_true(sync->read_rejects > 0 && rig.fabric->load[0].failed == sync->read_rejects);
	fabric_rig_done(&rig);
}

static void ficon_takes_what_zhpf_may_not(void **state)
{
	(void)state;
	fabric_rig_run(&rig,
		       "time 100ms\ncontrol-unit 7800\nchannel 50\npath 50 7800\n"
		       "device 7800 cu=7800\n" LINK "load a devices=7800 rate=40000 sync=yes\n");
	assert_true(rig.fabric->channel[0].counters.operation[OPERATION_FICON].starts > 500);
	assert_true(rig.fabric->channel[0].counters.operation[OPERATION_ZHPF].starts == 0);
	fabric_rig_done(&rig);
}

static void outcomes_have_names(void **state)
{
	(void)state;
	for (int i = 0; i < ZHYPERLINK_OUTCOMES; i++)
		assert_non_null(zhyperlink_outcome_name((enum zhyperlink_outcome)i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_are_checked_one_by_one),
		cmocka_unit_test(what_cannot_be_built_is_said),
		cmocka_unit_test(one_stream_never_finds_the_link_held),
		cmocka_unit_test(distance_takes_its_time),
		cmocka_unit_test(a_held_link_sends_to_zhpf),
		cmocka_unit_test(links_are_used_in_turn),
		cmocka_unit_test(a_miss_misses_again),
		cmocka_unit_test(other_rejects_are_apart),
		cmocka_unit_test(without_a_path_there_is_no_synchronous_io),
		cmocka_unit_test(ficon_takes_what_zhpf_may_not),
		cmocka_unit_test(outcomes_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
