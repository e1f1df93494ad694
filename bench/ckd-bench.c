/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-bench.c - how many 4 KB records a second go through the interpreters, with real bytes
 *
 *	ckd-bench [SECONDS [CYLINDERS]]
 *
 * One core; by default 2 seconds a line and 100 cylinders (18000 records, 74 MB).
 *
 * Each I/O is complete: storing its program, SSCH, the device, TSCH. Records are chosen at random
 * over the volume, which is in the page cache.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "devemu/channel/subch.h"
#include "devemu/device/ckd-device.h"
#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-records.h"

#define STORAGE (64u << 20)
#define DATA    0x100000u
#define AREAS   256u

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *why)
{
	fprintf(stderr, "ckd-bench: %s\n", why);
	exit(1);
}

static void measure(const char *what, struct subch *subch, struct storage *storage,
		    uint64_t records, double seconds, bool transport, bool write)
{
	uint64_t x = 1, done = 0;
	double start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID), end;
	uint8_t orb[ORB_LEN], irb[IRB_LEN];

	do {
		for (int i = 0; i < 1000; i++, done++) {
			struct ckd_4k_io io = {.count = 1, .write = write};

			x = x * 6364136223846793005u + 1442695040888963407u;
			io.record = (x >> 33) % records;
			io.data = DATA + (x >> 20) % AREAS * CKD_4K;
			if (transport ? ckd_4k_tcw(storage, 0x1000, &io, orb)
				      : ckd_4k_ccw(storage, 0x1000, &io, orb))
				die("the program does not fit");
			if (subch_start(subch, orb) || subch_test(subch, irb) ||
			    irb[8] != UNIT_END || irb[9])
				die("an I/O has failed");
		}
		end = now(CLOCK_MONOTONIC);
	} while (end - start < seconds);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("%-22s %8.0f I/Os a second (%.0f MB/s), %8.0f a second of CPU time\n", what,
	       (double)done / (end - start), (double)done * CKD_4K / 1e6 / (end - start),
	       (double)done / cpu);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 2;
	uint32_t cylinders = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 100;
	const char *tmp = getenv("TMPDIR"), *why;
	struct storage *storage = storage_create(STORAGE);
	struct ckd_image *image = NULL;
	struct device *device;
	struct subch *subch;
	char path[128];
	int rc;

	snprintf(path, sizeof(path), "%.80s/ckd-bench-%d", tmp ? tmp : "/tmp", (int)getpid());
	rc = ckd_create(path, cylinders);
	if (!rc)
		rc = ckd_open(&image, path, false, &why);
	unlink(path);
	if (!rc)
		rc = ckd_4k_format(image, 0, cylinders * CKD_HEADS - 1);
	if (rc)
		die(strerror(-rc));
	device = ckd_device_create(image, 0x7800);
	subch = storage && device ? subch_create(storage, device) : NULL;
	if (!subch)
		die("out of memory");
	/* Once over all of it, so that no page is touched for the first time. */
	measure("(warming up)", subch, storage, ckd_4k_records(image), seconds / 2, false, false);
	measure("4 KB read by CCWs", subch, storage, ckd_4k_records(image), seconds, false, false);
	measure("4 KB read by a TCW", subch, storage, ckd_4k_records(image), seconds, true, false);
	measure("4 KB write by CCWs", subch, storage, ckd_4k_records(image), seconds, false, true);
	measure("4 KB write by a TCW", subch, storage, ckd_4k_records(image), seconds, true, true);
	subch_destroy(subch);
	ckd_device_destroy(device);
	ckd_close(image);
	storage_destroy(storage);
	return 0;
}
