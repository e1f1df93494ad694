/* SPDX-License-Identifier: Apache-2.0 */
/* full.h - a control call when the program has no descriptor free */
#ifndef VSESOCK_FULL_H
#define VSESOCK_FULL_H

#include "libvsesock/core/ctl-conn.h"

/* Let @fn do @call with a copy of the descriptor table. Returns what @fn returns, or -EMFILE. */
int full_call(struct ctl_call *call, int (*fn)(struct ctl_call *call));

#endif
