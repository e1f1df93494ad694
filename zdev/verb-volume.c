/* SPDX-License-Identifier: Apache-2.0 */
/* verb-volume.c - zdev volume: a new 3390 of 4 KB records */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-records.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/number.h"
#include "zdev/verb.h"

/* Makes a volume and fills it. Removes it again if that fails. */
static int make(const char *path, uint32_t cylinders)
{
	struct ckd_image *image;
	const char *why;
	int rc = ckd_create(path, cylinders);

	if (rc < 0)
		return rc;
	rc = ckd_open(&image, path, false, &why);
	if (rc == 0) {
		rc = ckd_4k_format(image, 0, cylinders * CKD_HEADS - 1);
		ckd_close(image);
	}
	if (rc < 0)
		unlink(path);
	return rc;
}

int verb_volume(int argc, char **argv)
{
	unsigned long cylinders;
	int rc;

	if (argc != 3) {
		fputs("usage: zdev volume FILE CYLINDERS\n", stderr);
		return LFP_EXIT_USAGE;
	}
	if (lfp_number(argv[2], 1, CKD_CYLINDERS_MAX, &cylinders) < 0) {
		fprintf(stderr, "zdev: '%s' is not a number of cylinders from 1 to %u\n", argv[2],
			CKD_CYLINDERS_MAX);
		return LFP_EXIT_USAGE;
	}
	rc = make(argv[1], (uint32_t)cylinders);
	if (rc == 0)
		return LFP_EXIT_OK;
	lfp_msg("VLFZ021E", "Cannot create volume %s: %s.", argv[1], strerror(-rc));
	return LFP_EXIT_FAILURE;
}
