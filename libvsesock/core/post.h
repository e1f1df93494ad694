/* SPDX-License-Identifier: Apache-2.0 */
/* post.h - options of connected streams that this process posts (lfp/post.h) */
#ifndef VSESOCK_POST_H
#define VSESOCK_POST_H

#include <stdbool.h>
#include <stdint.h>

/* Notes that process @pid may post options of the near end with @cookie. @pid 0: the process that
 * has the page. */
void post_allow(uint64_t cookie, int32_t pid);

/* Posts TCP_NODELAY of the near end with @cookie; 0: of an unknown one. Returns false if only a
 * request can set it. */
bool post_put(uint64_t cookie, bool on);

#endif
