/* SPDX-License-Identifier: Apache-2.0 */
/* deadly.h - system calls for which a seccomp filter around this process kills */
#ifndef LFP_DEADLY_H
#define LFP_DEADLY_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if a filter kills a process that makes one of @nr system calls, as systemd's
 * SystemCallFilter= does. If there is any filter, a child tries them; where there can be no child,
 * they count as deadly. Each must be a call that refuses -1 as its arguments. */
bool lfp_calls_kill(const long *calls, size_t nr);

#endif
