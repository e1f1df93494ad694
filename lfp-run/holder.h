/* SPDX-License-Identifier: Apache-2.0 */
/* holder.h - find the processes that have near ends, and send a byte through these */
#ifndef LFP_RUN_HOLDER_H
#define LFP_RUN_HOLDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A near end, known by its inode and by the name that its peer, the far end, sees. */
struct held_near {
	struct held_near *next;
	uint64_t ino;
	pid_t holder; /* a process that is likely to have it, or 0 */
	int far;
	bool is_mute; /* it was found, and is shut down for writing */
};

/* Returns true if the far end has unread bytes. */
bool holder_has_unread(const struct held_near *near);

/**
 * holder_leave_byte() - send a byte through each near end of the list
 *
 * Their processes are looked at first, then all that the caller may look into, once. A descriptor
 * is used only if its inode and its name are the near end's: numbers change hands meanwhile.
 */
void holder_leave_byte(struct held_near *list);

#endif
