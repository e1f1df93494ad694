/* SPDX-License-Identifier: Apache-2.0 */
/* watchers.h - room in a loop for the descriptors that it will watch */
#ifndef TRANSPORT_WATCHERS_H
#define TRANSPORT_WATCHERS_H

#include <uv.h>

/*
 * libuv has a table of what it watches, by descriptor number. The table grows when a higher number
 * comes, and without memory for that libuv calls abort() (libuv, src/unix/core.c, maybe_resize). So
 * the table gets its size at the start.
 */

/* Descriptors with higher numbers can still make the table grow: what few daemons need is not
 * reserved for all. */
#define WATCHERS_MOST 65536u

/* Makes room for all descriptors below the limit of this process, or WATCHERS_MOST. 0 or a negative
 * errno. */
int watchers_reserve(uv_loop_t *loop);

#endif
