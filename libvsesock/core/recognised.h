/* SPDX-License-Identifier: Apache-2.0 */
/* recognised.h - stream near ends of this process that need no recognition */
#ifndef VSESOCK_RECOGNISED_H
#define VSESOCK_RECOGNISED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * It takes two system calls to recognise a near end without a path: it has no name, and it has the
 * mark (lfp/ctl.h, fresh sockets). Its cookie is one call, and tells the same for the rest of the
 * socket's life, whatever name it gets later.
 *
 * The table has the fresh sockets that this process has made, and the connections that it has
 * accepted, as the instance's record tells. From Linux 5.4 on the kernel never gives a cookie
 * twice; before that the instance's page takes no posts, and its records have no cookie. No program
 * can choose a cookie (core/known.h). The table is small: what was forgotten is recognised by its
 * mark.
 */

/* Remembers a near end of instance @nn. @cookie 0: none. */
void recognised_put(uint64_t cookie, const char nn[static 2]);

/* Returns true if the cookie is such a near end's, and sets @nn to its instance, NUL-terminated.
 * @cookie 0: false. */
bool recognised_get(uint64_t cookie, char nn[static 3]);

#endif
