/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - resources that a daemon allocates before its loop runs, because a later failure would
 * end it */
#ifndef TRANSPORT_LOOP_H
#define TRANSPORT_LOOP_H

#include <stdbool.h>
#include <uv.h>

/*
 * Start the threads that close descriptors and, with @pool, those of libuv, which would end the
 * process when it cannot have one later. In the process that stays, before threads are limited.
 * 0 or a negative errno; then the daemon is to end.
 */
int threads_start(uv_loop_t *loop, bool pool);

/*
 * libuv has a table of watched descriptors, by number. The table grows when a higher number comes,
 * and without memory for that libuv calls abort() (libuv, src/unix/core.c, maybe_resize). So the
 * table gets its size at the start.
 */

/* Descriptors with higher numbers can still make the table grow: few daemons need them, so not
 * every daemon reserves them. */
#define WATCHERS_MOST 65536u

/* Makes room for all descriptors below the limit of this process, or WATCHERS_MOST. 0 or a negative
 * errno. */
int watchers_reserve(uv_loop_t *loop);

#endif
