/* SPDX-License-Identifier: Apache-2.0 */
/* fabric-rig.c - fabrics for tests */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "devemu/fabric/login.h"
#include "devemu/fabric/fabric.h"
#include "devemu/scenario/scenario.h"
#include "tests/devemu/fabric-rig.h"

static void read_from(struct fabric_rig *rig, FILE *file, const char *name)
{
	struct lfp_reader_error err;

	rig->fabric = NULL;
	if (scenario_read(&rig->config, name, file, &err) < 0)
		fail_msg("%s", err.text);
	fclose(file);
}

static void run(struct fabric_rig *rig)
{
	struct fabric_error error;

	if (fabric_create(&rig->fabric, &rig->config, &error) < 0 ||
	    fces_login(rig->fabric, NULL, NULL, NULL, &error) < 0)
		fail_msg("%d: %s", error.line, error.text);
	assert_int_equal(fabric_run(rig->fabric), 0);
}

int fabric_rig_build(struct fabric_rig *rig, const char *text, struct fabric_error *error)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int rc;

	assert_non_null(file);
	read_from(rig, file, "test");
	rc = fabric_create(&rig->fabric, &rig->config, error);
	if (rc < 0) {
		rig->fabric = NULL;
		return rc;
	}
	rc = fces_login(rig->fabric, NULL, NULL, NULL, error);
	if (rc < 0) {
		fabric_destroy(rig->fabric);
		rig->fabric = NULL;
	}
	return rc;
}

void fabric_rig_run(struct fabric_rig *rig, const char *text)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	assert_non_null(file);
	read_from(rig, file, "test");
	run(rig);
}

void fabric_rig_run_file(struct fabric_rig *rig, const char *path, int64_t time)
{
	FILE *file = fopen(path, "re");

	if (!file)
		fail_msg("%s is not there: tests are run from the top of the tree", path);
	read_from(rig, file, path);
	if (time > 0)
		rig->config.time = time;
	run(rig);
}

void fabric_rig_done(struct fabric_rig *rig)
{
	fabric_destroy(rig->fabric);
	rig->fabric = NULL;
	config_finish(&rig->config);
}

FILE *fabric_rig_catch(struct fabric_rig *rig)
{
	memset(rig->text, 0, sizeof(rig->text));
	rig->file = fmemopen(rig->text, sizeof(rig->text) - 1, "w");
	assert_non_null(rig->file);
	return rig->file;
}

const char *fabric_rig_caught(struct fabric_rig *rig)
{
	assert_int_equal(ferror(rig->file), 0);
	assert_int_equal(fclose(rig->file), 0);
	return rig->text;
}
