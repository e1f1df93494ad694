/* SPDX-License-Identifier: Apache-2.0 */
/* system-calls.h - system calls that a serving lfpd never makes */
#ifndef LFPD_POLICY_SYSTEM_CALLS_H
#define LFPD_POLICY_SYSTEM_CALLS_H

#include <stdbool.h>

/* From now on they fail with EPERM, in all threads and in what is executed. Needs no_new_privs,
 * which it sets. Where another filter is there already this adds nothing, but with @more. Return 0,
 * or a negative errno: nothing is refused then. */
int system_calls_refuse(bool more);

#endif
