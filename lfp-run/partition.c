/* SPDX-License-Identifier: Apache-2.0 */
/* partition.c - starts the TCP/IP stack in the program's own partition */
#include "lfp-run/partition-inner.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lfp-run/environment.h"

#define PING_SECONDS 10

/* Returns true if an lfp-run around this one has started this stack, and the stack answers. */
static bool is_around(const char *nn)
{
	const char *place = mux_stack_place(nn);
	char path[LFP_PLACE_MAX];

	return place &&
	       snprintf(path, sizeof(path), "%s/run/vselfp/%s/ctl", place, nn) <
		       (int)sizeof(path) &&
	       instance_ping(path, PING_SECONDS) == 0;
}

static int set_variable(const struct partition *part)
{
	char value[LFP_PLACE_MAX + 4];

	snprintf(value, sizeof(value), "%s:%s", part->nn, part->dir);
	return setenv(MUX_STACK_VARIABLE, value, 1) < 0 ? -errno : 0;
}

static int start(struct partition *part, char why[static PATH_MAX])
{
	int rc;

	part->program = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (part->program < 0)
		return partition_fail(why, "cannot watch", "the program", -errno);
	rc = partition_choose(part, why);
	if (!rc)
		rc = keeper_start(part, why);
	if (!rc && set_variable(part) < 0)
		rc = partition_fail(why, "cannot set", MUX_STACK_VARIABLE, -errno);
	close(part->program);
	return rc;
}

int partition_start(const char *nn, enum mux_stack stack, char why[static PATH_MAX])
{
	struct partition part = {.stack = stack, .lock = -1, .log = -1};

	if (is_around(nn))
		return 0;
	memcpy(part.nn, nn, sizeof(part.nn));
	return start(&part, why);
}

/* Sets the variables of the private instance, and removes those that name another one. */
static int set_private_variables(const char *dir)
{
	static const char *const others[] = {"LFP$ID", "LFP_SETPARM", "SYSID", "SYSPARM"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (unsetenv(others[i]) < 0)
			return -errno;
	return setenv("LFP_ROOT", dir, 1) < 0 || setenv("LFP_ID", PARTITION_PRIVATE, 1) < 0 ? -errno
											    : 0;
}

int partition_start_private(const struct partition_rules *rules, int log, char why[static PATH_MAX])
{
	struct partition part = {
		.stack = MUX_STACK_HOST,
		.nn = PARTITION_PRIVATE,
		.rules = rules,
		.lock = -1,
		.log = log,
	};
	const char *dir = mux_stack_place(PARTITION_PRIVATE);
	int rc;

	if (is_around(PARTITION_PRIVATE)) {
		/* Its rules are those that it was started with. */
		if (rules->file || rules->single.nr || rules->publish.nr || rules->upstream) {
			snprintf(
				why, PATH_MAX,
				"the instance of the lfp-run around this one takes no other rules");
			return -1;
		}
		if (log >= 0) {
			snprintf(why, PATH_MAX,
				 "the instance of the lfp-run around this one keeps no other log");
			return -1;
		}
	} else {
		if (start(&part, why))
			return -1;
		dir = part.dir;
	}
	/* The program must not keep the log open. */
	if (log >= 0)
		close(log);
	rc = set_private_variables(dir);
	return rc < 0 ? partition_fail(why, "cannot set", "the environment", rc) : 0;
}
