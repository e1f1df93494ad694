/* SPDX-License-Identifier: Apache-2.0 */
/* test-costs.c - bytes that endpoint security adds to frames, and the place where SCSI I/Os wait */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "tests/devemu/fabric-rig.h"

static struct fabric_rig rig;

/* Mean bytes of a frame from the control unit, of reads of 4 KB. */
static double frame_mean(const char *channel, const char *control_unit, int bytes)
{
	const struct link_counters *counters;
	char text[512];
	double mean;

	snprintf(text, sizeof(text),
		 "zhpf yes\ntime 10ms\nkey-server own\nfces-frame-bytes %d\n"
		 "link A\nlink B\nchannel 50 fces=%s\n"
		 "control-unit 7800 fces=%s\npath 50 7800 via=A,B\ndevice 7800 cu=7800\n"
		 "load r devices=7800 streams=1\n",
		 bytes, channel, control_unit);
	fabric_rig_run(&rig, text);
	counters = &rig.fabric->link[0].direction[1].counters;
	assert_true(counters->frames > 40);
	mean = (double)counters->frame_bytes / (double)counters->frames;
	/* Directors between do not take it off again. */
	assert_true(rig.fabric->link[1].direction[1].counters.frame_bytes == counters->frame_bytes);
	fabric_rig_done(&rig);
	return mean;
}

static void frames_are_longer_where_both_ends_encrypt(void **state)
{
	const double plain = frame_mean("no", "no", 32);

	(void)state;
	assert_true(plain > 1000 && plain < 1200);
	assert_true(frame_mean("yes", "yes", 32) == plain + 32);
	assert_true(frame_mean("yes", "yes", 0) == plain);
	assert_true(frame_mean("yes", "no", 32) == plain);
	assert_true(frame_mean("no", "yes", 32) == plain);
}

/* Bytes of all frames on a link that two paths share, one of which is encrypted or not. */
static uint64_t shared_bytes(const char *fces, const char *load, uint64_t *frames)
{
	uint64_t bytes = 0;
	char text[512];

	snprintf(text, sizeof(text),
		 "zhpf yes\ntime 10ms\nkey-server own\nlink A\n"
		 "channel 50 fces=%s\ncontrol-unit 7800 fces=%s\npath 50 7800 via=A\n"
		 "channel 51\ncontrol-unit 7900\npath 51 7900 via=A\n"
		 "device 7800 cu=7800\ndevice 7900 cu=7900\n"
		 "load r devices=%s rate=1000 arrivals=even\n",
		 fces, fces, load);
	fabric_rig_run(&rig, text);
	*frames = 0;
	for (int d = 0; d < 2; d++) {
		bytes += rig.fabric->link[0].direction[d].counters.frame_bytes;
		*frames += rig.fabric->link[0].direction[d].counters.frames;
	}
	fabric_rig_done(&rig);
	return bytes;
}

/* On a shared link, frames in the clear stay as they are. */
static void only_encrypted_frames_are_longer(void **state)
{
	uint64_t plain, sealed, frames[2];

	(void)state;
	plain = shared_bytes("no", "7900", &frames[0]);
	sealed = shared_bytes("yes", "7900", &frames[1]);
	assert_true(frames[0] > 20);
	assert_int_equal(frames[0], frames[1]);
	assert_int_equal(sealed, plain);
	plain = shared_bytes("no", "7800", &frames[0]);
	sealed = shared_bytes("yes", "7800", &frames[1]);
	assert_int_equal(frames[0], frames[1]);
	assert_int_equal(sealed, plain + 32 * frames[0]);
}

static double fcp_response(unsigned int rate, const char *storage)
{
	double response;
	char text[256];

	snprintf(text, sizeof(text),
		 "time 100ms\nwarmup 10ms\nchannel 50 type=FCP\ncontrol-unit 7800 preset=%s\n"
		 "path 50 7800\ndevice 7800 cu=7800\nload r devices=7800 rate=%u\n",
		 storage, rate);
	fabric_rig_run(&rig, text);
	assert_true(rig.fabric->load[0].ended > 1000);
	response = (double)rig.fabric->load[0].response / (double)rig.fabric->load[0].ended /
		   (double)SIM_US;
	fabric_rig_done(&rig);
	return response;
}

/* Long before the channel is busy, SCSI I/Os wait for each other in the storage. */
static void scsi_waits_in_the_storage(void **state)
{
	const double low = fcp_response(50000, "DS8950"), high = fcp_response(450000, "DS8950");

	(void)state;
	assert_true(high > low + 50 && high < low + 150);
	assert_true(fcp_response(450000, "ideal") < fcp_response(50000, "ideal") + 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_longer_where_both_ends_encrypt),
		cmocka_unit_test(only_encrypted_frames_are_longer),
		cmocka_unit_test(scsi_waits_in_the_storage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
