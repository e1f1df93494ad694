/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h - the threads of a daemon, made at its start */
#ifndef TRANSPORT_THREADS_H
#define TRANSPORT_THREADS_H

#include <stdbool.h>
#include <uv.h>

/*
 * Start the threads that close descriptors and, with @pool, those of libuv, which would end the
 * process when it cannot have one later. In the process that stays, before threads are limited.
 * 0 or a negative errno; then the daemon is to end.
 */
int threads_start(uv_loop_t *loop, bool pool);

#endif
