/* SPDX-License-Identifier: Apache-2.0 */
/* action.h - parts that fail and come back, and SETIOS */
#ifndef DEVEMU_FABRIC_ACTION_H
#define DEVEMU_FABRIC_ACTION_H

#include "devemu/fabric/fabric.h"

/* A part of fabric_create(), the last. 0, -ENOMEM or -EINVAL. */
int build_actions(struct fabric *fabric, struct fabric_error *error);

/* Let the actions of the configuration happen at their times. */
void actions_begin(struct fabric *fabric);

#endif
