/* SPDX-License-Identifier: Apache-2.0 */
/* heap.h - memory that was needed for a while goes back to the system */
#ifndef LFP_HEAP_H
#define LFP_HEAP_H

#include <stddef.h>

/*
 * free() keeps what lies below something that is still in use, so a daemon whose sockets were all
 * stalled once would stay as big as it was then. Who queues data says how much, and when most of it
 * is gone again the pages are given back. Any thread may call this; the heap is the process's.
 */

/* So many bytes were allocated for data that waits. */
void lfp_heap_taken(size_t bytes);

/* They are free. */
void lfp_heap_freed(size_t bytes);

#endif
