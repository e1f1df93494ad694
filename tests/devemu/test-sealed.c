/* SPDX-License-Identifier: Apache-2.0 */
/* test-sealed.c - the information units of channel programs on an encrypted path: the number of
 * frames of each kind, and the effect of dropping one kind */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-records.h"
#include "devemu/fces/connection.h"
#include "tests/devemu/volume-rig.h"

enum { IOS = 20, CATEGORIES = 8 };

struct way;

/* Counts frames by their category and direction, and changes some of those of one category. */
struct tap {
	uint8_t category; /* 0: none is changed */
	bool from_cu;
	unsigned int every;
	unsigned int seen[2][CATEGORIES], dropped;
	/* Not NULL: while a frame is on its way, what it was made of is overwritten in storage. */
	const struct way *forgets;
	struct fabric_rig *rig;
};

static void forget(const struct tap *tap, bool from_cu, uint8_t category, size_t len);

static void on_frame(void *context, bool from_cu, uint8_t *bytes, size_t len)
{
	struct tap *tap = context;
	unsigned int *seen;

	assert_true(bytes[0] < CATEGORIES && len > FC_HEADER);
	seen = &tap->seen[from_cu][bytes[0]];
	++*seen;
	if (tap->forgets)
		forget(tap, from_cu, bytes[0], len - FC_HEADER - FCES_OVERHEAD);
	if (bytes[0] == tap->category && from_cu == tap->from_cu && *seen % tap->every == 0) {
		bytes[len - 1 - *seen % 40] ^= 0x10;
		tap->dropped++;
	}
}

/* A way to move data: how it is written in a scenario, and frames of one I/O. */
struct way {
	const char *name, *channel, *load;
	bool write;
	unsigned int commands, pacing, ready, data, responses, answers;
};

static const struct way ways[] = {
	{"write, zHPF", "", "read=0 bytes=32K", true, 1, 0, 1, 16, 0, 1},
	{"write at once, zHPF", " first-transfer-ready=no", "read=0 bytes=32K", true, 1, 0, 0, 16,
	 0, 1},
	/* More than a first burst of 64 KB. */
	{"long write at once, zHPF", " first-transfer-ready=no", "read=0 bytes=96K", true, 1, 0, 1,
	 48, 0, 1},
	{"read, zHPF", "", "bytes=8K", false, 1, 0, 0, 4, 0, 1},
	{"read, CCWs", "", "program=ccw", false, 3, 0, 0, 2, 1, 1},
	{"write, CCWs", "", "program=ccw read=0", true, 3, 0, 0, 2, 1, 1},
	{"write of tracks, CCWs", "", "program=ccw read=0 bytes=96K", true, 3, 0, 0, 48, 1, 1},
	{"write, FCP", " type=FCP", "read=0 bytes=4K", true, 1, 0, 1, 2, 0, 1},
	/* More than sixteen units of 8 KB. */
	{"long write of tracks, CCWs", "", "program=ccw read=0 bytes=240K", true, 3, 1, 0, 120, 1,
	 1},
	{"read, FCP", " type=FCP", "bytes=16K", false, 1, 0, 0, 8, 0, 1},
};

/* Where the units of programs are, device/ckd-records.c; the page begins with parameters, or a TCW.
 */
enum { AT_PARAMETERS = 0, AT_CCW = 64, AT_TSB = 64, AT_TCCB = 128 };

/* @len bytes of a frame of so many of its kind before it in its I/O. */
static void forget(const struct tap *tap, bool from_cu, uint8_t category, size_t len)
{
	const struct way *way = tap->forgets;
	const unsigned int nr = tap->seen[from_cu][category] - 1;
	struct exchange *exchange = fabric_device(tap->rig->fabric, 0x7800)->volume->all;
	uint8_t *program = exchange->storage->bytes + EXCHANGE_PROGRAM;
	const bool scsi = exchange->disk, ccws = way->commands > 1;

	assert_null(exchange->all); /* one at a time */
	switch ((enum fc_category)category) {
	case FC_COMMAND:
		if (!ccws) {
			memset(program + (scsi ? 0 : AT_TCCB), 0xee, len);
			break;
		}
		memset(program + AT_CCW + nr % 3 * 8, 0xee, 8);
		memset(program + AT_PARAMETERS + nr % 3 * 16, 0xee, len - 8);
		assert_int_equal(len > 8, nr % 3 < 2);
		break;
	case FC_SOLICITED_DATA:
		memset(exchange->storage->bytes + exchange->data + nr % way->data * 2048, 0xee,
		       len);
		break;
	case FC_STATUS:
		if (!ccws && !scsi)
			memset(program + AT_TSB, 0xee, len);
		break;
	case FC_SOLICITED_CONTROL:
	case FC_DATA_DESCRIPTOR:
		break;
	}
}

static const char *medium(const struct way *way)
{
	return volume_rig_name(strstr(way->channel, "FCP") ? "sealed.disk" : "sealed.ckd");
}

static void make(const struct way *way)
{
	FILE *file;

	unlink(medium(way));
	if (!strstr(way->channel, "FCP")) {
		struct ckd_image *image;
		const char *why;

		assert_int_equal(ckd_create(medium(way), 1), 0);
		assert_int_equal(ckd_open(&image, medium(way), false, &why), 0);
		assert_int_equal(ckd_4k_format(image, 0, CKD_HEADS - 1), 0);
		ckd_close(image);
		return;
	}
	file = fopen(medium(way), "we");
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 1 << 20), 0);
	fclose(file);
}

/* Runs so many I/Os, one every 10 ms, over a path that @tap looks at. */
static void over(struct fabric_rig *rig, const struct way *way, unsigned int ios, struct tap *tap)
{
	struct fabric_error error;
	char text[512];

	make(way);
	snprintf(text, sizeof(text),
		 "zhpf yes\ntime %ums\nkey-server own\nchannel 50 fces=yes%s\n"
		 "control-unit 7800 fces=yes\npath 50 7800\ndevice 7800 cu=7800 file=%s\n"
		 "load a devices=7800 rate=100.5 arrivals=even %s\n",
		 ios * 10 + 3, way->channel, medium(way), way->load);
	if (volume_rig_open(rig, text, &error) < 0)
		fail_msg("%s: %d: %s", way->name, error.line, error.text);
	assert_non_null(rig->fabric->path[0].fces);
	tap->rig = rig;
	fces_connection_tap(rig->fabric->path[0].fces, on_frame, tap);
	assert_int_equal(fabric_run(rig->fabric), 0);
}

static uint64_t moved(const struct fabric_rig *rig, const struct way *way)
{
	const struct volume_counters *counters = volume_rig_counters(rig, 0x7800);

	assert_int_equal(counters->errors, 0);
	return way->write ? counters->writes : counters->reads;
}

static void frames_of_each_kind(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct way *way = &ways[i];
		const struct {
			bool from_cu;
			uint8_t category;
			unsigned int due;
		} kinds[] = {
			{false, FC_COMMAND, way->commands},
			{true, FC_SOLICITED_CONTROL, way->responses + way->pacing},
			{true, FC_DATA_DESCRIPTOR, way->ready},
			{!way->write, FC_SOLICITED_DATA, way->data},
			{true, FC_STATUS, way->answers},
		};
		struct tap tap = {0};
		struct fabric_rig rig;
		unsigned int all = 0, due = 0;

		over(&rig, way, IOS, &tap);
		assert_int_equal(moved(&rig, way), IOS);
		for (unsigned int k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			const unsigned int seen = tap.seen[kinds[k].from_cu][kinds[k].category];

			if (seen != kinds[k].due * IOS)
				fail_msg("%s: %u frames of category %u", way->name, seen,
					 kinds[k].category);
			due += seen;
		}
		for (unsigned int k = 0; k < 2 * CATEGORIES; k++)
			all += tap.seen[k / CATEGORIES][k % CATEGORIES];
		assert_int_equal(all, due);
		fabric_rig_done(&rig);
	}
}

/* Each frame carries the bytes that it describes: the receiver builds all units from frames alone,
 * at the same addresses.
 */
static void what_comes_out_is_what_runs(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct way *way = &ways[i];
		struct volume_counters clean;
		const struct volume_counters *counters;
		struct tap tap = {0}, forgets = {.forgets = way};
		struct fabric_rig rig;

		over(&rig, way, IOS, &tap);
		clean = *volume_rig_counters(&rig, 0x7800);
		fabric_rig_done(&rig);
		assert_int_equal(rename(medium(way), volume_rig_name("clean")), 0);
		over(&rig, way, IOS, &forgets);
		counters = volume_rig_counters(&rig, 0x7800);
		if (counters->errors || moved(&rig, way) != IOS)
			fail_msg("%s: %u errors", way->name, (unsigned int)counters->errors);
		assert_true(counters->read_hash == clean.read_hash);
		assert_true(counters->written_hash == clean.written_hash);
		assert_memory_equal(tap.seen, forgets.seen, sizeof(tap.seen));
		if (way->commands == 1 && !strstr(way->channel, "FCP")) {
			const uint8_t *storage =
				fabric_device(rig.fabric, 0x7800)->volume->all->storage->bytes;
			struct tsb tsb;

			tsb_decode(storage + EXCHANGE_PROGRAM + AT_TSB, &tsb);
			assert_int_equal(tsb.flags & TSB_FORMAT_MASK, TSB_IO_STATUS);
			assert_true(tsb.flags & TSB_TIMES_VALID && tsb.count == 0);
		}
		fabric_rig_done(&rig);
		assert_true(volume_rig_same(medium(way), volume_rig_name("clean")));
	}
}

/* Units of each kind that are dropped show: their I/Os are driven again, once for each. */
static void one_kind_is_dropped(void **state)
{
	static const uint8_t categories[] = {FC_SOLICITED_CONTROL, FC_DATA_DESCRIPTOR,
					     FC_SOLICITED_DATA, FC_COMMAND, FC_STATUS};

	(void)state;
	for (unsigned int i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct way *way = &ways[i];
		struct fabric_rig rig;
		struct tap tap = {0};
		uint64_t hash;

		over(&rig, way, IOS, &tap);
		hash = volume_rig_counters(&rig, 0x7800)->written_hash;
		fabric_rig_done(&rig);
		assert_int_equal(rename(medium(way), volume_rig_name("clean")), 0);
		for (unsigned int k = 0; k < sizeof(categories); k++) {
			const uint8_t category = categories[k];
			struct device_counters *counters;
			struct tap harm = {.category = category};

			harm.from_cu = category == FC_SOLICITED_DATA ? !way->write
								     : category != FC_COMMAND;
			if (!tap.seen[harm.from_cu][category])
				continue;
			/* Not in each try of a long write. */
			harm.every = category == FC_SOLICITED_DATA ? 3 * way->data - 1 : 19;
			over(&rig, way, IOS, &harm);
			counters = &fabric_device(rig.fabric, 0x7800)->counters;
			if (!harm.dropped)
				fail_msg("%s: nothing of category %u was dropped", way->name,
					 category);
			if (counters->lost != harm.dropped)
				fail_msg("%s: %u of category %u dropped, %u lost", way->name,
					 harm.dropped, category, (unsigned int)counters->lost);
			assert_int_equal(counters->path_switches, harm.dropped);
			assert_int_equal(moved(&rig, way), IOS);
			assert_true(volume_rig_counters(&rig, 0x7800)->written_hash == hash);
			fabric_rig_done(&rig);
			assert_true(volume_rig_same(medium(way), volume_rig_name("clean")));
		}
	}
}

/* The control unit acts only on units that it receives. A volume is unchanged if all commands,
 * transfer ready or data are dropped, and written if only answers are dropped. */
static void all_of_one_kind_are_dropped(void **state)
{
	static const uint8_t categories[] = {FC_COMMAND, FC_DATA_DESCRIPTOR, FC_SOLICITED_DATA,
					     FC_STATUS};

	(void)state;
	for (unsigned int i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct way *way = &ways[i];

		for (unsigned int k = 0; k < sizeof(categories); k++) {
			const uint8_t category = categories[k];
			struct tap harm = {.category = category, .every = 1};
			struct fabric_rig rig;

			if (category == FC_DATA_DESCRIPTOR && !way->ready)
				continue;
			harm.from_cu = category == FC_SOLICITED_DATA ? !way->write
								     : category != FC_COMMAND;
			over(&rig, way, 3, &harm);
			assert_int_equal(moved(&rig, way), 0);
			assert_true(fabric_device(rig.fabric, 0x7800)->counters.lost > 3);
			fabric_rig_done(&rig);
			assert_int_equal(rename(medium(way), volume_rig_name("after")), 0);
			make(way);
			if (volume_rig_same(medium(way), volume_rig_name("after")) !=
			    (!way->write || category != FC_STATUS))
				fail_msg("%s: category %u", way->name, category);
		}
	}
}

/* One frame in 50, by a scenario: each is dropped, whichever of its bits has changed. */
static void a_path_that_changes_frames(void **state)
{
	static const char *const ends[] = {" fces=yes", ""};
	struct fces_counters channel, unit;
	const struct fabric_path *path;
	struct fabric_error error;
	struct fabric_rig rig;
	char text[512];

	(void)state;
	volume_rig_make(volume_rig_name("sealed.ckd"), true);
	for (unsigned int i = 0; i < 4; i++) {
		snprintf(text, sizeof(text),
			 "zhpf yes\ntime 1003ms\nkey-server own\nchannel 50%s\n"
			 "control-unit 7800%s\npath 50 7800 corrupt-frames=50\n"
			 "device 7800 cu=7800 file=%s\n"
			 "load a devices=7800 rate=499.5 arrivals=even read=50 bytes=16K\n",
			 ends[i & 1], ends[i / 2], volume_rig_name("sealed.ckd"));
		if (i) {
			assert_int_equal(volume_rig_open(&rig, text, &error), -EINVAL);
			assert_int_equal(error.line, 6);
			assert_string_equal(error.text,
					    i & 1 ? "path 50 7800: corrupt-frames needs "
						    "encryption, but CHP50 has no fces=yes"
						  : "path 50 7800: corrupt-frames needs "
						    "encryption, but CU7800 has no fces=yes");
			fabric_rig_done(&rig);
			continue;
		}
		volume_rig_run(&rig, text);
		path = &rig.fabric->path[0];
		channel = fces_end_counters(&path->fces->channel);
		unit = fces_end_counters(&path->fces->control_unit);
		assert_true(channel.sealed > 2000 && unit.sealed > 2000);
		assert_int_equal(fces_dropped(&channel) + fces_dropped(&unit),
				 (channel.sealed + unit.sealed) / 50);
		assert_int_equal(fabric_device(rig.fabric, 0x7800)->counters.lost,
				 (channel.sealed + unit.sealed) / 50);
		assert_int_equal(rig.fabric->load[0].ended, 500);
		assert_int_equal(volume_rig_counters(&rig, 0x7800)->errors, 0);
		fabric_rig_done(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_each_kind),
		cmocka_unit_test(what_comes_out_is_what_runs),
		cmocka_unit_test(one_kind_is_dropped),
		cmocka_unit_test(all_of_one_kind_are_dropped),
		cmocka_unit_test(a_path_that_changes_frames),
	};

	return cmocka_run_group_tests(tests, volume_rig_setup, volume_rig_teardown);
}
