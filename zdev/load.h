/* SPDX-License-Identifier: Apache-2.0 */
/* load.h - a scenario's file made into a fabric, for all verbs */
#ifndef ZDEV_LOAD_H
#define ZDEV_LOAD_H

#include "devemu/fabric/fabric.h"

/* Read the scenario @path ("-" is standard input) and build it. @config is to be finished and
 * @fabric destroyed by the caller. Return: 0, or the exit code after a message; then nothing is
 * left to be freed. */
int load_scenario(const char *path, struct config *config, struct fabric **fabric);

#endif
