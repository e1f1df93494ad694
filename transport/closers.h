/* SPDX-License-Identifier: Apache-2.0 */
/* closers.h - threads that close descriptors whose last close() may wait */
#ifndef TRANSPORT_CLOSERS_H
#define TRANSPORT_CLOSERS_H

#define CLOSERS_KEPT 4u /* threads that are always there */

/* Descriptors have lower numbers: the daemons have no higher limit (the kernel's default of
 * fs.nr_open). */
#define CLOSERS_NUMBERS (1u << 20)

/* Start the threads that are always there: in the process that stays, before it gives up rights or
 * threads are limited. 0 or a negative errno. */
int closers_start(void);

/* Close @fd in a thread, as soon as one has time. Never waits. */
void closers_close(int fd);

/* Wait for those that were given away just now, at most CLOSERS_SETTLE_MS and not for closers that are
 * stuck: what the last copy of a descriptor holds is free then. */
#define CLOSERS_SETTLE_MS 10u
void closers_settle(void);

#endif
