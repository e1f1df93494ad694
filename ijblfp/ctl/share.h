/* SPDX-License-Identifier: Apache-2.0 */
/* share.h - each user's part of the connections of the control channel */
#ifndef IJBLFP_CTL_SHARE_H
#define IJBLFP_CTL_SHARE_H

#include <stdbool.h>

#include "ijblfp/base/list.h"
#include "ijblfp/ctl/ctl-state.h"
#include "lfp/ctl.h"
#include "lfp/share.h"

/*
 * Theory of operation
 *
 * All users share three pools of connections: those that have said nothing yet, those that are
 * parked, and calls that have been read and not answered, which hold descriptors while they wait. A
 * user but root may have three quarters of each. Beyond that the user's own oldest connection gives
 * way, and a further call is refused. In a pool that is full, the oldest of the user that has most
 * gives way: so a user that has little keeps it, whatever others do.
 *
 * A connection counts for one pool at a time, and for the user that it had when it came there.
 */
struct share {
	struct lfp_share base;               /* first member */
	struct list conns[SHARE_PARKED + 1]; /* of each kind, as in the list of all users */
};

void ijblfp_shares_init(struct instance *inst);

/* The connection counts for this pool from now on; it must not count for another. Without memory
 * for a new user's entry it counts for none. */
void share_enter(struct ctl_conn *conn, enum share_kind kind);

/* It counts for none any more; nothing happens if it did not. */
void share_leave(struct ctl_conn *conn);

/* It was used just now: the user's others are older. */
void share_renew(struct ctl_conn *conn);

/**
 * share_crowded() - whose connections must give way to one more of a user?
 * @conn:	the one more, which is not counted yet
 * @nr:		how many there are of all users
 * @most:	how many there may be
 *
 * Return: the list of that user's, by `mine`, the oldest first; NULL if there is room.
 */
struct list *share_crowded(const struct ctl_conn *conn, enum share_kind kind, unsigned int nr,
			   unsigned int most);

/* A call begins: false if its user has too many, and it was answered. */
bool share_begin_call(struct ctl_conn *conn, const struct lfp_ctl_request *request);

#endif
