/* SPDX-License-Identifier: Apache-2.0 */
/* recognised.h - stream near ends that this process has recognised before */
#ifndef VSESOCK_RECOGNISED_H
#define VSESOCK_RECOGNISED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * It takes one or two system calls to recognise a near end: its name, or the mark of one without a
 * path (lfp/ctl.h, fresh sockets). Its cookie is one call, and tells the same for the rest of the
 * socket's life, whatever name it gets later: the kernel never gives a cookie twice, and no program
 * can choose one (core/known.h).
 *
 * The table is small: what was forgotten is recognised by its name or mark.
 */

/* Remembers a near end of instance @nn. @cookie 0: none. */
void recognised_put(uint64_t cookie, const char nn[static 2]);

/* Returns true if the cookie is such a near end's, and sets @nn to its instance, NUL-terminated.
 * @cookie 0: false. */
bool recognised_get(uint64_t cookie, char nn[static 3]);

#endif
