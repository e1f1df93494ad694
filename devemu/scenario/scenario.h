/* SPDX-License-Identifier: Apache-2.0 */
/* scenario.h - reading scenarios, zdev-scenario(5), and the values of their keys */
#ifndef DEVEMU_SCENARIO_H
#define DEVEMU_SCENARIO_H

#include <stdio.h>
#include <stdbool.h>
#include <stdint.h>

#include "devemu/fabric/config.h"
#include "lfp/reader.h"

/*
 * Read all of @file into @config, which config_init() or nothing has seen before. @name is for
 * messages. Checks each line by itself; fabric_create() checks the relations between parts. Return:
 * 0; -EINVAL with @err filled; -ENOMEM or what reading gave, @err filled too. config_finish() is
 * needed in each case.
 */
int scenario_read(struct config *config, const char *name, FILE *file,
		  struct lfp_reader_error *err);

/* Each returns 0, -EINVAL (no such value) or -ERANGE, and sets its result only with 0. */

/* Decimal digits, with up to six more after a point: in millionths. */
int value_micro(const char *text, uint64_t max, uint64_t *micro);

/* The same with ps, ns, us, ms or s directly behind it, "0" without: in ps, up to 100 days. */
int value_time(const char *text, int64_t *ps);

/* Metres: decimal with m or km directly behind it, "0" without; up to 100,000 km. */
int value_distance(const char *text, unsigned long *metres);

/* 0 to 100, with or without a percent sign. */
int value_percent(const char *text, unsigned int *percent);

int value_bool(const char *text, bool *value); /* yes, no */

/* Hexadecimal digits only. */
int value_hex(const char *text, unsigned int max, unsigned int *value);

/* FIRST or FIRST-LAST, hexadecimal, up to FFFF. */
int value_devices(const char *text, unsigned int *first, unsigned int *count);

#endif
