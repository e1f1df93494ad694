/* SPDX-License-Identifier: Apache-2.0 */
/* running.h - the LFP instances that are running */
#ifndef LFP_RUN_RUNNING_H
#define LFP_RUN_RUNNING_H

#include <stdbool.h>
#include <stddef.h>

struct running {
	char nn[3];
	bool is_system; /* in the system's tree, which is not the user's own */
};

#define RUNNING_MAX 100

/**
 * running_find() - find the instances that answer this user
 * @found:	filled, at most RUNNING_MAX
 *
 * The instances of the tree in force (lfp/places.h) come first. An ordinary user without LFP_ROOT
 * also gets the system's.
 *
 * Return: their number.
 */
size_t running_find(struct running found[static RUNNING_MAX]);

#endif
