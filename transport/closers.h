/* SPDX-License-Identifier: Apache-2.0 */
/* closers.h - threads that close descriptors whose last close() may wait */
#ifndef TRANSPORT_CLOSERS_H
#define TRANSPORT_CLOSERS_H

#include <stdbool.h>

#define CLOSERS_KEPT 4u /* threads that are always there */

/* Descriptors have lower numbers: the daemons have no higher limit (the kernel's default of
 * fs.nr_open). */
#define CLOSERS_NUMBERS (1u << 20)

/* Start the threads that are always there: in the process that stays, before it gives up rights or
 * threads are limited. 0 or a negative errno. */
int closers_start(void);

/* Close @fd in a thread, as soon as one has time. Never waits. */
void closers_close(int fd);

/* A close that takes longer is stuck. */
#define CLOSERS_SETTLE_MS 10u

/* Will a closer soon be done with what was given away? What is stuck does not count. */
bool closers_are_at_work(void);

/* From now on each close that is done makes the eventfd @event readable; -1: none. There is one for the process. It
 * must not block, and must be open until the next call. */
void closers_tell(int event);

#endif
