/* SPDX-License-Identifier: Apache-2.0 */
/* test-volume.c - I/Os of a fabric as channel programs: their bytes, units, status and time */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "devemu/device/ckd-device.h"
#include "tests/devemu/volume-rig.h"

/* Units of an I/O, if none is under way at the end. */
static void assert_units(struct fabric_rig *rig, uint64_t ios, unsigned int out, unsigned int in)
{
	const struct channel_counters counters =
		fabric_channel_counters(rig->fabric, fabric_channel(rig->fabric, 0x50));

	assert_int_equal(rig->fabric->load[0].ended, ios);
	assert_int_equal(counters.ius_out, ios * out);
	assert_int_equal(counters.ius_in, ios * in);
}

/* The paper's switch: the same I/Os on the same volume, six units for each or three. */
static void the_switch_changes_units_and_no_bytes(void **state)
{
	static const struct {
		const char *bytes;
		unsigned int ccw_out, ccw_in, tcw_out, tcw_in; /* of a read */
	} sizes[] = {
		{"4K", 3, 3, 1, 2},    {"8K", 3, 3, 1, 2},      {"48K", 3, 8, 1, 2},
		{"128K", 3, 18, 1, 2}, {"1020K", 3, 130, 1, 2},
	};
	struct fabric_rig rig;
	char text[512];

	(void)state;
	for (unsigned int s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct volume_counters seen[2];

		for (int zhpf = 0; zhpf < 2; zhpf++) {
			const char *path = volume_rig_name(zhpf ? "zhpf.ckd" : "ccw.ckd");

			volume_rig_make(path, true);
			snprintf(text, sizeof(text),
				 VOLUME_RIG_FABRIC
				 "zhpf %s\ntime 1003ms\ndevice 7800 cu=7800 file=%s\n"
				 "load w devices=7800 rate=100.5 arrivals=even read=0 "
				 "bytes=%s\n",
				 zhpf ? "yes" : "no", path, sizes[s].bytes);
			volume_rig_run(&rig, text);
			seen[zhpf] = *volume_rig_counters(&rig, 0x7800);
			assert_int_equal(seen[zhpf].writes, 100);
			assert_int_equal(seen[zhpf].errors, 0);
			fabric_rig_done(&rig);
		}
		assert_true(seen[0].written_hash == seen[1].written_hash);
		assert_true(
			volume_rig_same(volume_rig_name("ccw.ckd"), volume_rig_name("zhpf.ckd")));
		for (int zhpf = 0; zhpf < 2; zhpf++) {
			snprintf(text, sizeof(text),
				 VOLUME_RIG_FABRIC
				 "zhpf %s\ntime 1003ms\ndevice 7800 cu=7800 file=%s\n"
				 "load r devices=7800 rate=100.5 arrivals=even bytes=%s\n",
				 zhpf ? "yes" : "no", volume_rig_name("ccw.ckd"), sizes[s].bytes);
			volume_rig_run(&rig, text);
			seen[zhpf] = *volume_rig_counters(&rig, 0x7800);
			assert_int_equal(seen[zhpf].errors, 0);
			assert_units(&rig, 100, zhpf ? sizes[s].tcw_out : sizes[s].ccw_out,
				     zhpf ? sizes[s].tcw_in : sizes[s].ccw_in);
			fabric_rig_done(&rig);
		}
		/* A read returns the last written data, and the volume has data. */
		assert_true(seen[0].read_hash == seen[1].read_hash && seen[0].read_hash != 0);
	}
}

/* All of switch, channel, control unit, device and program have to allow it; and while it runs. */
static void everybody_has_to_allow_it(void **state)
{
	static const char *const texts[] = {
		"zhpf yes\nchannel 50 zhpf=no\ncontrol-unit 7800\n",
		"zhpf yes\nchannel 50\ncontrol-unit 7800 zhpf=no\n",
		"zhpf yes\nchannel 50\ncontrol-unit 7800\n",
		"zhpf yes\nchannel 50\ncontrol-unit 7800\n",
	};
	uint64_t hashes[4];
	struct fabric_rig rig;
	char text[512];

	(void)state;
	volume_rig_make(volume_rig_name("ccw.ckd"), true);
	for (unsigned int i = 0; i < 4; i++) {
		snprintf(text, sizeof(text),
			 "%spath 50 7800\ntime 1s\ndevice 7800 cu=7800 file=%s %s\n"
			 "load r devices=7800 rate=100.5 arrivals=even %s\n",
			 texts[i], volume_rig_name("ccw.ckd"), i == 2 ? "zhpf=no" : "",
			 i == 3 ? "program=ccw" : "");
		volume_rig_run(&rig, text);
		assert_units(&rig, 100, 3, 3);
		hashes[i] = volume_rig_counters(&rig, 0x7800)->read_hash;
		assert_true(hashes[i] == hashes[0]);
		fabric_rig_done(&rig);
	}
	snprintf(text, sizeof(text),
		 VOLUME_RIG_FABRIC "time 1s\ndevice 7800 cu=7800 file=%s\n"
				   "load r devices=7800 rate=100.5 arrivals=even\n"
				   "setios 500ms zhpf=yes\n",
		 volume_rig_name("ccw.ckd"));
	volume_rig_run(&rig, text);
	assert_int_equal(fabric_channel(rig.fabric, 0x50)->counters.ius_out, 50 * 3 + 50 * 1);
	assert_int_equal(fabric_channel(rig.fabric, 0x50)->counters.ius_in, 50 * 3 + 50 * 2);
	assert_true(rig.fabric->zhpf);
	fabric_rig_done(&rig);
}

/* Where the program is the one that the model of time takes for granted, times are the same. */
static void bytes_do_not_change_times(void **state)
{
	static const char *const loads[] = {"bytes=4K", "bytes=128K", "bytes=4K read=0"};
	struct fabric_rig rig;
	char text[512];

	(void)state;
	for (unsigned int l = 0; l < 3; l++)
		for (int zhpf = 0; zhpf < 2; zhpf++) {
			uint64_t response[2];

			for (int file = 0; file < 2; file++) {
				snprintf(text, sizeof(text),
					 VOLUME_RIG_FABRIC
					 "zhpf %s\ntime 201700us\n"
					 "device 7800 cu=7800 cylinders=2 %s\n"
					 "load l devices=7800 rate=500.5 arrivals=even %s\n",
					 zhpf ? "yes" : "no", file ? "file=scratch" : "", loads[l]);
				volume_rig_run(&rig, text);
				assert_int_equal(rig.fabric->load[0].ended, 100);
				response[file] = rig.fabric->load[0].response;
				fabric_rig_done(&rig);
			}
			assert_true(response[0] == response[1]);
		}
}

static void a_program_that_fails_has_its_sense(void **state)
{
	struct fabric_rig rig;
	char text[512];

	(void)state;
	volume_rig_make(volume_rig_name("empty.ckd"), false);
	for (int zhpf = 0; zhpf < 2; zhpf++) {
		snprintf(text, sizeof(text),
			 VOLUME_RIG_FABRIC "zhpf %s\ntime 100ms\ndevice 7800 cu=7800 file=%s\n"
					   "load a devices=7800 streams=2 think=1ms read=50\n",
			 zhpf ? "yes" : "no", volume_rig_name("empty.ckd"));
		volume_rig_run(&rig, text);
		assert_true(volume_rig_counters(&rig, 0x7800)->errors > 100);
		assert_int_equal(volume_rig_counters(&rig, 0x7800)->reads, 0);
		assert_int_equal(volume_rig_counters(&rig, 0x7800)->writes, 0);
		assert_int_equal(volume_rig_counters(&rig, 0x7800)->sense[0], 0);
		assert_int_equal(volume_rig_counters(&rig, 0x7800)->sense[1],
				 SENSE1_NO_RECORD_FOUND);
		assert_int_equal(rig.fabric->load[0].errors,
				 volume_rig_counters(&rig, 0x7800)->errors);
		assert_int_equal(rig.fabric->load[0].ended, 0);
		assert_int_equal(rig.fabric->load[0].failed, 0);
		/* No data has moved, and no status says so. */
		assert_int_equal(fabric_device(rig.fabric, 0x7800)->counters.bytes_read, 0);
		assert_int_equal(fabric_channel(rig.fabric, 0x50)->counters.bytes_written, 0);
		fabric_rig_done(&rig);
	}
}

/* A device whose image file gets shorter reports intervention required. */
static void a_file_that_shrinks(void **state)
{
	struct fabric_error error;
	struct fabric_rig rig;
	char text[512];

	(void)state;
	volume_rig_make(volume_rig_name("short.ckd"), true);
	snprintf(text, sizeof(text),
		 VOLUME_RIG_FABRIC
		 "time 100ms\ndevice 7800 cu=7800 file=%s\nload a devices=7800 streams=2\n",
		 volume_rig_name("short.ckd"));
	assert_int_equal(volume_rig_open(&rig, text, &error), 0);
	assert_int_equal(fabric_begin(rig.fabric), 0);
	assert_int_equal(fabric_run_until(rig.fabric, 50 * SIM_MS), 0);
	assert_int_equal(volume_rig_counters(&rig, 0x7800)->errors, 0);
	assert_int_equal(truncate(volume_rig_name("short.ckd"), 512), 0);
	assert_int_equal(fabric_run_until(rig.fabric, 100 * SIM_MS), 0);
	assert_true(volume_rig_counters(&rig, 0x7800)->errors > 0);
	assert_int_equal(volume_rig_counters(&rig, 0x7800)->sense[0], SENSE_INTERVENTION);
	fabric_rig_done(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_switch_changes_units_and_no_bytes),
		cmocka_unit_test(everybody_has_to_allow_it),
		cmocka_unit_test(bytes_do_not_change_times),
		cmocka_unit_test(a_program_that_fails_has_its_sense),
		cmocka_unit_test(a_file_that_shrinks),
	};

	return cmocka_run_group_tests(tests, volume_rig_setup, volume_rig_teardown);
}
