/* SPDX-License-Identifier: Apache-2.0 */
/* build.h - the parts of fabric_create(), and the start of loads and actions */
#ifndef DEVEMU_FABRIC_BUILD_H
#define DEVEMU_FABRIC_BUILD_H

#include "devemu/fabric/fabric.h"

/* Fills @error and returns -EINVAL. */
int build_fail(struct fabric_error *error, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Each one needs those above it. Return: 0, -ENOMEM or -EINVAL. */
int build_links(struct fabric *fabric, struct fabric_error *error);
int build_cards(struct fabric *fabric, struct fabric_error *error);
int build_channels(struct fabric *fabric, struct fabric_error *error);
int build_control_units(struct fabric *fabric, struct fabric_error *error);
int build_paths(struct fabric *fabric, struct fabric_error *error);
int build_devices(struct fabric *fabric, struct fabric_error *error);
int build_zhyperlinks(struct fabric *fabric, struct fabric_error *error);
int build_loads(struct fabric *fabric, struct fabric_error *error);
int build_actions(struct fabric *fabric, struct fabric_error *error);

/* Starts the loads. Return: 0 or -ENOMEM. */
int loads_begin(struct fabric *fabric);

/* Schedules faults and SETIOS at their times. */
void actions_begin(struct fabric *fabric);

#endif
