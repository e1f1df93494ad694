/* SPDX-License-Identifier: Apache-2.0 */
/* running.h - the instances that are running */
#ifndef LFPD_ADMIN_RUNNING_H
#define LFPD_ADMIN_RUNNING_H

#include <stddef.h>

#define RUNNING_MAX 32 /* more are not found */

struct running {
	char name[RUNNING_MAX][9];
	size_t nr;
};

/**
 * running_find() - find the running instances
 * @found:	set to their NAMEs, sorted
 *
 * The instances of the tree in force (lfp/places.h) and, for an ordinary user without LFP_ROOT,
 * those of the system. One that refuses this user is running, too.
 */
void running_find(struct running *found);

#endif
