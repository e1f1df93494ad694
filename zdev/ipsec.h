/* SPDX-License-Identifier: Apache-2.0 */
/* ipsec.h - a running zdev ipsec, and its commands */
#ifndef ZDEV_IPSEC_H
#define ZDEV_IPSEC_H

#include <stdio.h>

#include "devemu/engine/pool.h"
#include "devemu/engine/switches.h"
#include "devemu/ipsec/path.h"

enum { IPSEC_COMMAND = 80 };

struct ipsec_run {
	struct switches switches;
	struct policy *policy;
	struct netdev device;
	struct pool_config pool_config;
	struct pool *pool;
	struct ipsec_path *path;
	unsigned int class, other; /* IPSECCL, SYSSTC */
	struct pool_account begin; /* of the interval of the next report */
	uint64_t begin_io_ns;
	unsigned int messages;
};

/* Answers a command. Returns 1 to continue, 0 after STOP, -EINVAL with @why filled. */
int ipsec_command(struct ipsec_run *run, const char *command, FILE *out, char why[120]);

#endif
