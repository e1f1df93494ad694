/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - runs a scenario to its end and shows the progress */
#ifndef ZDEV_RUN_H
#define ZDEV_RUN_H

#include <stdbool.h>

#include "devemu/fabric/fabric.h"

/* Runs the warm-up and the time of @fabric's configuration. After a second a progress line is
 * updated on standard error, if that is a terminal and not @quiet. Return: 0 or a negative errno
 * after a message, in which @path is the scenario's name. */
int run_scenario(struct fabric *fabric, const char *path, bool quiet);

/* Writes the message VLFZ005E and returns the exit code. */
int run_failed(const struct fabric *fabric, const char *path, int rc);

/* Flushes standard output. Return: 0 or a negative errno. */
int run_flush(void);

/* The machine's clock in seconds. */
double run_wall(void);

#endif
