/* SPDX-License-Identifier: Apache-2.0 */
/* heap.h - memory that was needed for a while goes back to the system */
#ifndef LFP_HEAP_H
#define LFP_HEAP_H

#include <stddef.h>

/*
 * free() keeps memory below a block that is still in use (glibc's malloc), so a daemon whose
 * sockets all stalled once would keep its peak size. Code that queues data reports the amount here,
 * and when most of it is free again the pages go back to the system. Any thread may call this; the
 * heap is the process's.
 */

/* Counts @bytes allocated for queued data. */
void lfp_heap_taken(size_t bytes);

/* Counts them as free again. */
void lfp_heap_freed(size_t bytes);

#endif
