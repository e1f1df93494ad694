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
 * A look takes up to a microsecond for each of those, in which the instance serves nobody. Each
 * entry also counts for the instance's user in /proc/sys/fs/epoll/max_user_watches. A program may
 * hold near ends for as long as it likes, also when their sockets are over. So each user has a set,
 * and no near end enters it while a look finds NEAR_LIVING_HELD, or while it has NEAR_LIVING_MAX
 * entries. No call tells their number: near ends that are in use are counted, and a look finds all
 * others.
 */

#define NEAR_LIVING_SETS  64   /* users; the near ends of others have paths */
#define NEAR_LIVING_MAX   2048 /* entries of a user; further near ends have paths */
#define NEAR_LIVING_HELD  256  /* the same for those that a look finds */
#define NEAR_LIVING_PAUSE 256  /* near ends that a full set refuses before it is looked at again */

struct near_living {
	struct living_set {
		int epfd;
		uid_t uid;
		unsigned int in_use;  /* entries whose near end has a socket */
		unsigned int entries; /* at most so many; those of closed near ends count */
		unsigned int held;    /* that the last look has found */
		unsigned int refused; /* since it was full or was counted last */
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
void near_living_remove(struct near_living *living, int near, unsigned int set);

/* The socket of a near end is over. The entry stays while a program holds the near end. */
void near_living_leave(struct near_living *living, unsigned int set);

/* Returns true if every descriptor of the near end is closed. It must have no peer, or both its
 * directions must have ended. */
bool near_living_is_gone(struct near_living *living, unsigned int set, uint64_t cookie);

/* For several questions: one look answers all until the end. Calls may nest. */
void near_living_begin(struct near_living *living);
void near_living_end(struct near_living *living);

#endif
