/* SPDX-License-Identifier: Apache-2.0 */
/* load.h - loads a scenario and builds its fabric, for all verbs */
#ifndef ZDEV_LOAD_H
#define ZDEV_LOAD_H

#include "devemu/fabric/fabric.h"

/* Reads the scenario @path ("-" is standard input) and builds it. The caller finishes @config and
 * destroys @fabric. Return: 0, or the exit code after a message, with nothing left to free. */
int load_scenario(const char *path, struct config *config, struct fabric **fabric);

#endif
