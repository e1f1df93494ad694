/* SPDX-License-Identifier: Apache-2.0 */
/* link-ops.h - what the rooms of an instance do on an event of its path to lfpd */
#ifndef IJBLFP_LINK_OPS_H
#define IJBLFP_LINK_OPS_H

#include "ijblfp/link/link.h"

/* For link_init(). */
extern const struct link_ops instance_link_ops;

#endif
