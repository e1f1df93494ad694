/* SPDX-License-Identifier: Apache-2.0 */
/* heap.c - memory that was needed for a while goes back to the system */
#include "lfp/heap.h"

#include <malloc.h>
#include <stdatomic.h>

/*
 * Giving back costs a walk through the heap and a fault for each page that is needed again. Both
 * cost little compared with moving this many bytes. The heap keeps at most this many bytes beyond
 * those in use when pages were last given back.
 */
#define WORTH_IT  (2u * 1024u * 1024u)
#define MOST_GONE 4u /* a quarter is left */

/* In use; the most since pages were given back; freed since then. */
static _Atomic size_t used, peak, freed;

void lfp_heap_taken(size_t bytes)
{
	size_t now = atomic_fetch_add_explicit(&used, bytes, memory_order_relaxed) + bytes;

	if (now > atomic_load_explicit(&peak, memory_order_relaxed))
		atomic_store_explicit(&peak, now, memory_order_relaxed);
}

void lfp_heap_freed(size_t bytes)
{
	size_t now = atomic_fetch_sub_explicit(&used, bytes, memory_order_relaxed) - bytes;
	size_t gone = atomic_fetch_add_explicit(&freed, bytes, memory_order_relaxed) + bytes;

	if (gone < WORTH_IT || now > atomic_load_explicit(&peak, memory_order_relaxed) / MOST_GONE)
		return;
	atomic_store_explicit(&peak, now, memory_order_relaxed);
	atomic_store_explicit(&freed, 0, memory_order_relaxed);
	malloc_trim(0);
}
