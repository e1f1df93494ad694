/* SPDX-License-Identifier: Apache-2.0 */
/* share.h - each user's part of the connections of the control channel */
#ifndef IJBLFP_CTL_SHARE_H
#define IJBLFP_CTL_SHARE_H

#include <stdbool.h>

#include "ijblfp/ctl/ctl-state.h"
#include "lfp/ctl.h"
#include "lfp/list.h"
#include "lfp/share.h"

/*
 * Theory of operation
 *
 * All users share three pools of connections: silent ones, which have not sent a request yet;
 * parked ones; and calls that are read and not answered, which hold descriptors while they wait.
 * Each user except root may have three quarters of each pool. Beyond that the user's own oldest
 * connection is dropped, and a further call is refused. In a full pool the oldest connection of the
 * user with the most connections is dropped. So a user with few connections keeps them, whatever
 * others do.
 *
 * A connection counts for one pool at a time, and for the user that it had when it entered the
 * pool.
 */
struct share {
	struct lfp_share base;                   /* first member */
	struct lfp_list conns[SHARE_PARKED + 1]; /* of each pool, as in the list of all users */
};

void ijblfp_shares_init(struct instance *inst);

/* Counts the connection for this pool. It must not count for another one. Without memory for a new
 * user's entry it counts for no pool. */
void share_enter(struct ctl_conn *conn, enum share_kind kind);

/* Stops counting the connection, if it was counted. */
void share_leave(struct ctl_conn *conn);

/* Notes that the connection was used just now: it becomes the user's newest. */
void share_renew(struct ctl_conn *conn);

/**
 * share_crowded() - the user whose connections must make room for one more
 * @conn:	the new connection, not counted yet
 * @nr:		how many there are of all users
 * @most:	how many there may be
 *
 * Return: the list of that user's, by `mine`, the oldest first; NULL if there is room.
 */
struct lfp_list *share_crowded(const struct ctl_conn *conn, enum share_kind kind, unsigned int nr,
			       unsigned int most);

/* Returns false if the call may not wait for lfpd: it was let in although its user has too many,
 * because such calls are usually answered at once. */
bool share_may_wait(const struct ctl_conn *conn, const struct lfp_ctl_request *request);

/* Counts a new call. Returns false if its user has too many; the call was answered then. */
bool share_begin_call(struct ctl_conn *conn, const struct lfp_ctl_request *request);

#endif
