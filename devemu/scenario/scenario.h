/* SPDX-License-Identifier: Apache-2.0 */
/* scenario.h - reading scenarios, zdev-scenario(5) */
#ifndef DEVEMU_SCENARIO_H
#define DEVEMU_SCENARIO_H

#include <stdio.h>

#include "devemu/fabric/config.h"
#include "lfp/reader.h"

/*
 * Read all of @file into @config, which config_init() or nothing has seen before. @name is for
 * messages. Only what a line says by itself is checked here; what parts say about each other, by
 * fabric_create(). Return: 0; -EINVAL with @err filled; -ENOMEM or what reading gave, @err filled
 * too. config_finish() is needed in each case.
 */
int scenario_read(struct config *config, const char *name, FILE *file,
		  struct lfp_reader_error *err);

#endif
