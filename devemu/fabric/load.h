/* SPDX-License-Identifier: Apache-2.0 */
/* load.h - what starts I/Os */
#ifndef DEVEMU_FABRIC_LOAD_H
#define DEVEMU_FABRIC_LOAD_H

#include "devemu/fabric/fabric.h"

/* A part of fabric_create(), after the devices. 0, -ENOMEM or -EINVAL. */
int build_loads(struct fabric *fabric, struct fabric_error *error);

/* Start the loads; -ENOMEM. */
int loads_begin(struct fabric *fabric);

#endif
