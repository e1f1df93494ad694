/* SPDX-License-Identifier: Apache-2.0 */
/* test-costs.c - what endpoint security adds to frames, and where SCSI I/Os wait */
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
	assert_true(rig.fabric->link[0].frame_extra == rig.fabric->link[1].frame_extra);
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
		cmocka_unit_test(scsi_waits_in_the_storage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
