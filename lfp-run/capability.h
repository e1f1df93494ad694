/* SPDX-License-Identifier: Apache-2.0 */
/* capability.h - the capabilities of this process */
#ifndef LFP_RUN_CAPABILITY_H
#define LFP_RUN_CAPABILITY_H

#include <linux/capability.h>
#include <stdbool.h>

/* Returns true if the capability is in the effective set. */
bool capability_has(unsigned int cap);

#endif
