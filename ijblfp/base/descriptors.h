/* SPDX-License-Identifier: Apache-2.0 */
/* descriptors.h - the descriptors of the process, which calls and connections share */
#ifndef IJBLFP_BASE_DESCRIPTORS_H
#define IJBLFP_BASE_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct instance;

struct descriptors {
	unsigned int limit; /* numbers are below it */
	uv_timer_t retry;   /* while calls or connections wait for descriptors */
	bool said_short;
	uint64_t last_short; /* ms of the loop's clock */
	/* Lets those that wait for descriptors try again; @few: only those that are kept for
	 * replies are left. Returns true if nothing waits any more. */
	bool (*try_again)(struct instance *inst, bool few);
};

/* Connections leave descriptors for calls, without which programs can't even close in order; calls
 * leave some for answering. */
enum descriptors_kept {
	KEEP_FOR_CALLS,
	KEEP_FOR_REPLIES,
};

/* Reads the limit of the process. */
void descriptors_init(struct instance *inst, bool (*try_again)(struct instance *inst, bool few));

/* The timer is a handle of the instance. */
void descriptors_start(struct instance *inst);
void descriptors_finish(struct instance *inst);

/* Is @fd, the lowest descriptor that was free, among those that are kept? */
bool descriptors_are_short(const struct instance *inst, int fd, enum descriptors_kept kept);

/* May @fd, the lowest descriptor that was free, be held for as long as a program likes? Else the
 * calls of others would wait that long. 0, or -ENFILE, which is logged. */
int descriptors_check_full(struct instance *inst, int fd);

/* The same for the descriptor that would come next; @fd is one that the call holds meanwhile. The
 * number of @fd itself says little: the last call may have left it free. */
int descriptors_check_room(struct instance *inst, int fd);

/* @error, a negative errno, for a program: a lack of descriptors here is ENFILE, and is logged. */
int descriptors_lack(struct instance *inst, int error);

/* Descriptors are short: said once until it has been over for a while. A timer lets calls and
 * connections try again. */
void descriptors_say_short(struct instance *inst, int error);

#endif
