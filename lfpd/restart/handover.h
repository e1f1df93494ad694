/* SPDX-License-Identifier: Apache-2.0 */
/* handover.h - handing suspended state from one lfpd process to the next */
#ifndef LFPD_RESTART_HANDOVER_H
#define LFPD_RESTART_HANDOVER_H

#include <stddef.h>

#include "lfpd/restart/suspend.h"

/*
 * Theory of operation
 *
 * Over exec(): the descriptors stay open, and the environment variable HANDOVER_ENV has the numbers
 * of two of them, that of the state and that of a sealed memory file with the numbers of the
 * others: a list of thousands has no place in the environment.
 *
 * Over systemd's descriptor store: the state has the name HANDOVER_STATE, and sockets in whose
 * queues the others wait (carrier.c) have HANDOVER_SOCKETS. The next process gets them with these
 * names. One by one they could not be thousands: systemd compares each with all that it has
 * already, and their names come in one variable of the environment, which has room for 128 KiB.
 *
 * The store keeps its own copies, and hands them to each process that it starts. So a process that
 * cannot start leaves everything to the one after it, for LFP_RESTART_MS. After that time the z/VSE
 * side no longer waits, and only peers still have open connections. They are removed right before
 * anything is used: later, connections that we close would stay open, and a process that ends by a
 * fault in what it was given would be followed by others that restore the same again, which would
 * send twice what was sent already. That is worse than a reset.
 */
#define HANDOVER_ENV     "LFPD_RESUME"
#define HANDOVER_STATE   "state"
#define HANDOVER_SOCKETS "sockets"

/* Makes the descriptors survive execve(), and sets the variable. Returns 0 or a negative errno. */
int handover_by_exec(const struct suspended *what);

/* Puts the state into the store. Returns 0; -ENOTCONN without systemd; another negative errno. */
int handover_by_store(const struct suspended *what);

/**
 * handover_take() - take the state left by the previous process, by exec or store
 * @what:	filled; the caller owns its descriptors and frees its array
 *
 * Removes the environment variable; leaves the store as it is. Call it once, before other
 * descriptors are made. Return: 1; 0 if there is no state; a negative errno if the state is not
 * understood. After an error its descriptors are closed and the store is emptied.
 */
int handover_take(struct suspended *what);

/**
 * handover_claim() - become the owner of the state, right before its use
 *
 * Removes the state from the store, so that no other process gets it. @what then holds the sockets
 * themselves, except those that cannot be received.
 */
void handover_claim(struct suspended *what);

/* Two messages of SCM_MAX_FD descriptors, for which every queue has room. */
#define CARRIER_MAX 506u

/* Returns a socket with copies of @nr descriptors, at most CARRIER_MAX, in its queue; or a negative
 * errno. */
int carrier_create(const int *fds, size_t nr);

/* Receives the descriptors of a carrier. Returns their number, which may be less than were sent.
 * The socket stays the caller's. */
size_t carrier_unpack(int carrier, int fds[static CARRIER_MAX]);

#endif
