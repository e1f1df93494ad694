/* SPDX-License-Identifier: Apache-2.0 */
/* rules-thread.h - reads a file of rules, and frees rules, beside the loop */
#ifndef LFPD_NAMES_RULES_THREAD_H
#define LFPD_NAMES_RULES_THREAD_H

#include <uv.h>

#include "lfp/reader.h"
#include "lfpd/policy/rules.h"

/*
 * Theory of operation
 *
 * A hundred thousand rules take a tenth of a second to read, and some of that to free. A thread of
 * its own does both, one after the other: look-ups may fill libuv's pool for as long as name
 * servers are slow. Rules belong to one thread at a time. Their upstreams are shared with sockets,
 * so they are dropped on the loop. Without a thread the loop does the work itself.
 */

/* @rc: 0 with @rules (NULL for @path NULL), or a negative errno with @err filled. */
typedef void (*rules_read_done)(void *data, struct rules *rules, int rc,
				const struct lfp_reader_error *err);

/* Reads @path, or nothing for "". Calls @done on the loop, maybe before it returns. Returns 0, or
 * -ENOMEM: then @done is not called. */
int rules_thread_read(uv_loop_t *loop, const char *path, rules_read_done done, void *data);

/* Frees the rules, if any. */
void rules_thread_free(uv_loop_t *loop, struct rules *rules);

#endif
