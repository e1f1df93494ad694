/* SPDX-License-Identifier: Apache-2.0 */
/* test-volume-ways.c - the same bytes over other ways: another path, FCP, zHyperLink, an encrypted
 * path; and refused files */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "devemu/device/ckd-device.h"
#include "devemu/fces/connection.h"
#include "tests/devemu/volume-rig.h"

/* An I/O repeated on another path moves the same bytes. */
static void a_path_fails(void **state)
{
	struct fabric_rig rig;
	struct volume_counters seen[2];
	char text[768];

	(void)state;
	volume_rig_make(volume_rig_name("fails.ckd"), true);
	for (int fails = 0; fails < 2; fails++) {
		snprintf(text, sizeof(text),
			 VOLUME_RIG_FABRIC
			 "channel 51\npath 51 7800 port=1\nzhpf yes\ntime 201700us\n"
			 "device 7800 cu=7800 file=%s\n"
			 "load w devices=7800 rate=500.5 arrivals=even read=0 bytes=128K\n"
			 "load r devices=7800 rate=500.5 arrivals=even bytes=8K\n%s",
			 volume_rig_name("fails.ckd"),
			 fails ? "fail 100ms channel=50\nrestore 150ms channel=50\n" : "");
		volume_rig_run(&rig, text);
		seen[fails] = *volume_rig_counters(&rig, 0x7800);
		assert_int_equal(seen[fails].writes, 100);
		assert_int_equal(seen[fails].reads, 100);
		assert_int_equal(fabric_device(rig.fabric, 0x7800)->counters.path_switches > 0,
				 fails);
		fabric_rig_done(&rig);
	}
	assert_true(seen[0].written_hash == seen[1].written_hash);
}

static void scsi_disks(void **state)
{
	struct volume_counters first;
	struct fabric_rig rig;
	char text[512];
	FILE *file;

	(void)state;
	file = fopen(volume_rig_name("disk"), "we");
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 4 << 20), 0);
	fclose(file);
	for (int read = 0; read < 2; read++) {
		snprintf(text, sizeof(text),
			 "channel 50 type=FCP\ncontrol-unit 7800\npath 50 7800\ntime 1s\n"
			 "device 7800 cu=7800 file=%s\n"
			 "load a devices=7800 rate=100.5 arrivals=even read=%d bytes=64K\n",
			 volume_rig_name("disk"), read ? 100 : 0);
		volume_rig_run(&rig, text);
		if (!read)
			first = *volume_rig_counters(&rig, 0x7800);
		else
			assert_int_equal(volume_rig_counters(&rig, 0x7800)->reads, 100);
		assert_int_equal(volume_rig_counters(&rig, 0x7800)->errors, 0);
		fabric_rig_done(&rig);
	}
	assert_int_equal(first.writes, 100);
	/* A disk that ends under its I/Os answers with CHECK CONDITION. */
	snprintf(text, sizeof(text),
		 "channel 50 type=FCP\ncontrol-unit 7800\npath 50 7800\ntime 100ms\n"
		 "device 7800 cu=7800 file=%s\nload a devices=7800 streams=1\n",
		 volume_rig_name("disk"));
	{
		struct fabric_error error;

		assert_int_equal(volume_rig_open(&rig, text, &error), 0);
		assert_int_equal(truncate(volume_rig_name("disk"), 0), 0);
		assert_int_equal(fabric_run(rig.fabric), 0);
		assert_true(rig.fabric->load[0].errors > 0);
		assert_int_equal(rig.fabric->load[0].ended, 0);
		assert_int_equal(volume_rig_counters(&rig, 0x7800)->sense[0], SCSI_MEDIUM_ERROR);
		fabric_rig_done(&rig);
	}
}

/* One record over zHyperLink or over a channel: the same bytes; requests that cannot use zHyperLink
 * use the channel.
 */
static void synchronous(void **state)
{
	uint64_t hashes[2];
	struct fabric_rig rig;
	char text[512];

	(void)state;
	volume_rig_make(volume_rig_name("sync.ckd"), true);
	for (int sync = 0; sync < 2; sync++) {
		snprintf(text, sizeof(text),
			 VOLUME_RIG_FABRIC
			 "zhpf yes\ntime 1s\nzhyperlink 7800\n"
			 "device 7800 cu=7800 file=%s\n"
			 "load w devices=7800 rate=500.5 arrivals=even read=0 sync=%s\n"
			 "load r devices=7800 rate=500.5 arrivals=even sync=%s\n",
			 volume_rig_name("sync.ckd"), sync ? "yes" : "no", sync ? "yes" : "no");
		volume_rig_run(&rig, text);
		assert_int_equal(fabric_device(rig.fabric, 0x7800)->sync.writes > 0, sync);
		assert_int_equal(volume_rig_counters(&rig, 0x7800)->writes, 500);
		assert_int_equal(volume_rig_counters(&rig, 0x7800)->reads, 500);
		hashes[sync] = volume_rig_counters(&rig, 0x7800)->written_hash;
		fabric_rig_done(&rig);
	}
	assert_true(hashes[0] == hashes[1]);
	/* No such record: a reject, and then the channel program says why. */
	volume_rig_make(volume_rig_name("empty.ckd"), false);
	snprintf(text, sizeof(text),
		 VOLUME_RIG_FABRIC
		 "zhpf yes\ntime 100ms\nzhyperlink 7800\ndevice 7800 cu=7800 file=%s\n"
		 "load r devices=7800 rate=100.5 arrivals=even sync=yes\n",
		 volume_rig_name("empty.ckd"));
	volume_rig_run(&rig, text);
	assert_int_equal(fabric_device(rig.fabric, 0x7800)->sync.read_rejects, 10);
	assert_int_equal(volume_rig_counters(&rig, 0x7800)->errors, 10);
	assert_int_equal(volume_rig_counters(&rig, 0x7800)->sense[1], SENSE1_NO_RECORD_FOUND);
	fabric_rig_done(&rig);
}

/* Changes a bit in every hundredth frame. */
static void harm(void *context, bool from_cu, uint8_t *bytes, size_t len)
{
	unsigned int *frames = context;

	(void)from_cu;
	if (++*frames % 100 == 0)
		bytes[*frames % len] ^= 0x10;
}

/* Of 100 writes of 32 KB and 100 reads of 8 KB as zHPF, and 100 reads of 4 KB as CCWs. */
static void sealed_frames(const struct fces_connection *connection)
{
	/* TCCB and 16 of data; TCCB; three commands. */
	const uint64_t out = 100 * (17 + 1 + 3);
	/* Transfer ready and response; 4 of data and response; response, 2 of data and status. */
	const uint64_t in = 100 * (2 + 5 + 4);

	assert_int_equal(fces_end_counters(&connection->channel).sealed, out);
	assert_int_equal(fces_end_counters(&connection->control_unit).opened, out);
	assert_int_equal(fces_end_counters(&connection->control_unit).sealed, in);
	assert_int_equal(fces_end_counters(&connection->channel).opened, in);
}

/* The same bytes in the clear, encrypted, and encrypted over a path that changes some. */
static void over_an_encrypted_path(void **state)
{
	struct volume_counters seen[3];
	struct fabric_error error;
	struct fabric_rig rig;
	char text[512];

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct fabric_device *device;
		unsigned int frames = 0;

		volume_rig_make(volume_rig_name("sealed.ckd"), true);
		snprintf(text, sizeof(text),
			 "seed 3\nzhpf yes\ntime 1003ms\nkey-server own\n"
			 "channel 50 fces=%s\ncontrol-unit 7800 fces=yes\npath 50 7800\n"
			 "device 7800 cu=7800 file=%s\n"
			 "load w devices=7800 rate=100.5 arrivals=even read=0 bytes=32K\n"
			 "load r devices=7800 rate=100.5 arrivals=even bytes=8K\n"
			 "load c devices=7800 rate=100.5 arrivals=even program=ccw\n",
			 i ? "yes" : "no", volume_rig_name("sealed.ckd"));
		if (volume_rig_open(&rig, text, &error) < 0)
			fail_msg("%d: %s", error.line, error.text);
		assert_int_equal(rig.fabric->path[0].fces != NULL, i > 0);
		if (i == 2)
			fces_connection_tap(rig.fabric->path[0].fces, harm, &frames);
		assert_int_equal(fabric_run(rig.fabric), 0);
		device = fabric_device(rig.fabric, 0x7800);
		seen[i] = device->volume->counters;
		assert_int_equal(seen[i].writes, 100);
		assert_int_equal(seen[i].reads, 200);
		assert_int_equal(seen[i].errors, 0);
		assert_int_equal(device->counters.lost > 0, i == 2);
		assert_int_equal(device->counters.lost, device->counters.path_switches);
		if (i == 1)
			sealed_frames(rig.fabric->path[0].fces);
		fabric_rig_done(&rig);
		if (i == 0)
			assert_int_equal(
				rename(volume_rig_name("sealed.ckd"), volume_rig_name("clear.ckd")),
				0);
		else
			assert_true(volume_rig_same(volume_rig_name("clear.ckd"),
						    volume_rig_name("sealed.ckd")));
		assert_true(seen[i].written_hash == seen[0].written_hash);
	}
	assert_true(seen[1].read_hash == seen[0].read_hash);
}

/* A disk of one place, and what is on it in the end. */
static void write_one_place(const char *load, uint64_t writes, uint8_t bytes[4096])
{
	struct fabric_rig rig;
	char text[512];
	FILE *file;

	unlink(volume_rig_name("place"));
	file = fopen(volume_rig_name("place"), "we");
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 4096), 0);
	fclose(file);
	snprintf(text, sizeof(text),
		 "channel 50 type=FCP\ncontrol-unit 7800\npath 50 7800\ntime 100ms\n"
		 "device 7800 cu=7800 file=%s\nload a devices=7800 arrivals=even read=0 %s\n",
		 volume_rig_name("place"), load);
	volume_rig_run(&rig, text);
	assert_int_equal(volume_rig_counters(&rig, 0x7800)->writes, writes);
	fabric_rig_done(&rig);
	file = fopen(volume_rig_name("place"), "re");
	assert_non_null(file);
	assert_int_equal(fread(bytes, 1, 4096, file), 4096);
	fclose(file);
}

/* Each write to a place writes other bytes there than those before, and the same in every run. */
static void other_bytes_each_time(void **state)
{
	static uint8_t seen[9][4096], again[4096];
	char load[32];

	(void)state;
	for (unsigned int n = 1; n <= 9; n++) {
		snprintf(load, sizeof(load), "rate=%u5", n);
		write_one_place(load, n, seen[n - 1]);
		for (unsigned int i = 0; i + 1 < n; i++)
			for (unsigned int at = 0; at < 4096; at += 8)
				assert_memory_not_equal(seen[i] + at, seen[n - 1] + at, 8);
	}
	write_one_place("rate=95", 9, again);
	assert_memory_equal(again, seen[8], sizeof(again));
}

static void what_is_refused(void **state)
{
	static const struct {
		const char *text, *says;
		int rc;
	} rows[] = {
		{"device 7800-7801 cu=7800 file=%s\n", "in it for their numbers", -EINVAL},
		{"device 7800 cu=7800 file=%s\nload a devices=7800 streams=1 bytes=6K\n",
		 "a multiple of 4096, at most 1044480", -EINVAL},
		{"device 7800 cu=7800 file=%s\nload a devices=7800 streams=1 bytes=1M\n",
		 "a multiple of 4096, at most 1044480", -EINVAL},
		{"device 7800 cu=7800 file=%s.none\n", "No such file", -ENOENT},
		{"device 7800 cu=7800 file=%s\nchannel 51 type=FCP\npath 51 7800\n",
		 "by FICON and by FCP", -EINVAL},
		{"device 7800 cu=7800 file=scratch cylinders=1001 # %s\n", "at most 1000 cylinders",
		 -EINVAL},
		{"device 7800 cu=7800 file=%s\nload a devices=7800 streams=1 read=0\n"
		 "device 7801 cu=7800 file=scratch\n",
		 "at most 1000 cylinders", -EINVAL},
		{"device 7800 cu=7800 file=/dev/null # %s\n", "it is not a regular file", -EINVAL},
	};
	struct fabric_error error;
	struct fabric_rig rig;
	char text[512], form[512];
	int rc;

	(void)state;
	volume_rig_make(volume_rig_name("ccw.ckd"), true);
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(form, sizeof(form), VOLUME_RIG_FABRIC "%s", rows[i].text);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(text, sizeof(text), form, volume_rig_name("ccw.ckd"));
#pragma GCC diagnostic pop
		rc = volume_rig_open(&rig, text, &error);
		if (rc != rows[i].rc || !strstr(error.text, rows[i].says))
			fail_msg("row %u: %d, %s", i, rc, error.text);
		assert_true(error.line > 0);
		fabric_rig_done(&rig);
	}
}

/* Many devices have files named after them, and read-only devices share a file. */
static void a_file_a_device(void **state)
{
	struct fabric_error error;
	struct fabric_rig one, two;
	char text[512];

	(void)state;
	volume_rig_make(volume_rig_name("vol-7800.ckd"), true);
	volume_rig_make(volume_rig_name("vol-7801.ckd"), true);
	snprintf(text, sizeof(text),
		 VOLUME_RIG_FABRIC "time 10ms\ndevice 7800-7801 cu=7800 file=%s/vol-*.ckd\n"
				   "load a devices=7800-7801 streams=4\n",
		 volume_rig_folder());
	volume_rig_run(&one, text);
	assert_true(volume_rig_counters(&one, 0x7800)->reads > 10);
	assert_true(volume_rig_counters(&one, 0x7801)->reads > 10);
	assert_int_equal(fabric_device(one.fabric, 0x7801)->cylinders, VOLUME_RIG_CYLINDERS);
	assert_true(fabric_device(one.fabric, 0x7801)->volume->image->read_only);
	volume_rig_run(&two, text);
	fabric_rig_done(&two);
	/* The file is beside the scenario; a writing device has it alone. */
	assert_int_equal(fabric_rig_build(&two,
					  VOLUME_RIG_FABRIC
					  "device 7800 cu=7800 file=vol-7800.ckd\n"
					  "load a devices=7800 streams=1 read=0\n",
					  &error),
			 0);
	assert_int_equal(volumes_open(two.fabric, volume_rig_name("scenario.zdev"), &error),
			 -EBUSY);
	assert_non_null(strstr(error.text, "it is open elsewhere"));
	fabric_rig_done(&two);
	fabric_rig_done(&one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_fails),          cmocka_unit_test(scsi_disks),
		cmocka_unit_test(synchronous),           cmocka_unit_test(over_an_encrypted_path),
		cmocka_unit_test(other_bytes_each_time), cmocka_unit_test(what_is_refused),
		cmocka_unit_test(a_file_a_device),
	};

	return cmocka_run_group_tests(tests, volume_rig_setup, volume_rig_teardown);
}
