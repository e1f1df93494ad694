/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - a scenario to its end, with a line that says how far it is */
#ifndef ZDEV_RUN_H
#define ZDEV_RUN_H

#include <stdbool.h>

#include "devemu/fabric/fabric.h"

/* The warm-up and the time of @fabric's configuration. After a second, and if standard error is a
 * terminal and not @quiet, a line there is written again and again. Return: 0 or a negative errno
 * after a message, for which @path is the scenario's name. */
int run_scenario(struct fabric *fabric, const char *path, bool quiet);

/* The message VLFZ005E. Returns the exit code. */
int run_failed(const struct fabric *fabric, const char *path, int rc);

/* What has been printed is on its way out: 0 or a negative errno. */
int run_flush(void);

/* Seconds of the machine's clock. */
double run_wall(void);

#endif
