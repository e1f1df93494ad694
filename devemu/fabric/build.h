/* SPDX-License-Identifier: Apache-2.0 */
/* build.h - the parts of fabric_create(): links, cards, channels, control units, paths, devices */
#ifndef DEVEMU_FABRIC_BUILD_H
#define DEVEMU_FABRIC_BUILD_H

#include "devemu/fabric/fabric.h"

/* Fill @error and return -EINVAL. */
int build_fail(struct fabric_error *error, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Each needs what stands above it. 0, -ENOMEM or -EINVAL. */
int build_links(struct fabric *fabric, struct fabric_error *error);
int build_cards(struct fabric *fabric, struct fabric_error *error);
int build_channels(struct fabric *fabric, struct fabric_error *error);
int build_control_units(struct fabric *fabric, struct fabric_error *error);
int build_paths(struct fabric *fabric, struct fabric_error *error);
int build_devices(struct fabric *fabric, struct fabric_error *error);
int build_zhyperlinks(struct fabric *fabric, struct fabric_error *error);

#endif
