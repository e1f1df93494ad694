/* SPDX-License-Identifier: Apache-2.0 */
/* closers.h - threads that close descriptors whose last close() may wait */
#ifndef TRANSPORT_CLOSERS_H
#define TRANSPORT_CLOSERS_H

#include <stdbool.h>
#include <stdint.h>

#define CLOSERS_KEPT 4u /* threads that are always there */

/* Descriptors have lower numbers: the daemons have no higher limit (the kernel's default of
 * fs.nr_open). */
#define CLOSERS_NUMBERS (1u << 20)

/* Starts the permanent threads: in the process that stays, before it drops privileges or limits
 * threads. Returns 0 or a negative errno. */
int closers_start(void);

enum closing {
	CLOSING_SOCKET,
	CLOSING_READ, /* a socket; read it first, so that its peer sees no reset */
	CLOSING_FILE, /* anything else: its close() may wait for ever, and no signal ends that */
};

/* The owner of descriptors that no user has passed. */
#define CLOSERS_NOBODY UINT32_MAX

/* Close @fd in a thread, as soon as one has time. Never waits. @owner is the user id of the program
 * that has passed it: slow closes of one user do not hold up those of others. */
void closers_close(int fd, enum closing how, uint32_t owner);

/* Returns how many files of @owner wait to be closed or are being closed. */
unsigned int closers_files_of(uint32_t owner);

/* Long enough for a close, if there is processor time. */
#define CLOSERS_SETTLE_MS 10u

/* Returns true if a closer will soon be done with a descriptor. Those that take longer do not
 * count. */
bool closers_are_at_work(void);

/* Returns the number of the last descriptor that the closers have got. */
uint64_t closers_serial(void);

/* A close that takes longer waits for others: it is no lack of processor time. */
#define CLOSERS_STUCK_MS 1000u

/* Returns true if the sockets of @owner up to that number are closed, or stuck. With very many
 * owners at once some are not watched: then true. */
bool closers_are_done(uint32_t owner, uint64_t serial);

/* From now on the end of each close makes the non-blocking eventfd @event readable; -1: none. A
 * process has one such eventfd, and must keep it open until the next call. */
void closers_tell(int event);

#endif
