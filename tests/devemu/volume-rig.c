/* SPDX-License-Identifier: Apache-2.0 */
/* volume-rig.c - fabrics whose devices have volumes in a folder of the test's own */
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
#include "tests/devemu/volume-rig.h"

static char folder[64];

const char *volume_rig_name(const char *file)
{
	static char path[4][128];
	static unsigned int next;
	char *to = path[next++ % 4];

	snprintf(to, sizeof(path[0]), "%s/%s", folder, file);
	return to;
}

int volume_rig_setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(folder, sizeof(folder), "%.40s/test-volume-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

int volume_rig_teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

void volume_rig_make(const char *path, bool formatted)
{
	struct ckd_image *image;
	const char *why;

	unlink(path);
	assert_int_equal(ckd_create(path, VOLUME_RIG_CYLINDERS), 0);
	assert_int_equal(ckd_open(&image, path, false, &why), 0);
	if (formatted)
		assert_int_equal(ckd_4k_format(image, 0, VOLUME_RIG_CYLINDERS * CKD_HEADS - 1), 0);
	ckd_close(image);
}

bool volume_rig_same(const char *a, const char *b)
{
	FILE *one = fopen(a, "re"), *two = fopen(b, "re");
	int x, y;

	assert_non_null(one);
	assert_non_null(two);
	do {
		x = getc(one);
		y = getc(two);
	} while (x == y && x != EOF);
	fclose(one);
	fclose(two);
	return x == y;
}

int volume_rig_open(struct fabric_rig *rig, const char *text, struct fabric_error *error)
{
	int rc = fabric_rig_build(rig, text, error);

	return rc < 0 ? rc : volumes_open(rig->fabric, NULL, error);
}

void volume_rig_run(struct fabric_rig *rig, const char *text)
{
	struct fabric_error error;

	if (volume_rig_open(rig, text, &error) < 0)
		fail_msg("%d: %s", error.line, error.text);
	assert_int_equal(fabric_run(rig->fabric), 0);
}

const struct volume_counters *volume_rig_counters(const struct fabric_rig *rig, unsigned int number)
{
	return &fabric_device(rig->fabric, number)->volume->counters;
}

const char *volume_rig_folder(void)
{
	return folder;
}
