/* SPDX-License-Identifier: Apache-2.0 */
/* near-living.h - which near ends without a path a program still holds */
#ifndef IJBLFP_NEAR_NEAR_LIVING_H
#define IJBLFP_NEAR_NEAR_LIVING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/types.h>

/*
 * Theory of operation
 *
 * A path costs a near end an inode: a quarter of what the instance spends on a connection. It shows
 * that a program still holds the near end (near-names.h). An epoll set shows the same, if the near
 * end has come with a request once: an entry holds no descriptor, and the kernel removes it at the
 * socket's last close, before the far end hears of that (fs/file_table.c, __fput()). No process can
 * change the entry.
 *
 * Entries ask for no events. EPOLLHUP is always reported (fs/eventpoll.c, do_epoll_ctl()), as long
 * as it stands: while the near end has no peer, or both directions have ended. So in these states,
 * and only then, the set names exactly the near ends that are held.
 *
 * A look costs a moment for each of those. So each user has a set: near ends that one user's
 * programs keep in this state cost others nothing.
 */

#define NEAR_LIVING_SETS 64 /* users; the near ends of others have paths */

struct near_living {
	struct living_set {
		int epfd;
		uid_t uid;
	} sets[NEAR_LIVING_SETS];
	unsigned int nr;
	struct epoll_event *events; /* of the last look */
	unsigned int size;
	/* A look that serves several questions: */
	unsigned int looks;             /* near_living_begin() without its end */
	unsigned int looked, looked_nr; /* the set that it was at, from 1; and its near ends */
};

void near_living_finish(struct near_living *living);

/* Enters the near end @near, which belongs to @uid. Returns the number of its set, from 1, or 0 if
 * it has to have a path. */
unsigned int near_living_add(struct near_living *living, int near, uid_t uid, uint64_t cookie);

/* Takes out a near end that gets a path. */
void near_living_remove(const struct near_living *living, int near, unsigned int set);

/* Returns true if every descriptor of the near end is closed. It must have no peer, or both its
 * directions must have ended. */
bool near_living_is_gone(struct near_living *living, unsigned int set, uint64_t cookie);

/* For several questions: one look answers all until the end. Calls may nest. */
void near_living_begin(struct near_living *living);
void near_living_end(struct near_living *living);

#endif
