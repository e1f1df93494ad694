/* SPDX-License-Identifier: Apache-2.0 */
/* pass.h - libc's functions that may wait, in a form that passes lfp-run's seccomp filter */
#ifndef VSESOCK_PASS_H
#define VSESOCK_PASS_H

#include "libvsesock/preload/real.h"

/* Put them in the place of libc's, if there is a filter (core/cookie.h). */
void pass_init(struct real *real);

#endif
