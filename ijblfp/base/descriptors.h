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
	/* Lets the calls and connections that wait for descriptors or memory try again. With @few,
	 * no more descriptors are free than are kept for replies. Returns true if nothing waits any
	 * more. */
	bool (*try_again)(struct instance *inst, bool few);
};

/* Connections leave descriptors for calls, since programs need calls even to close in order. Calls
 * leave some for their answers. */
enum descriptors_kept {
	KEEP_FOR_CALLS,
	KEEP_FOR_REPLIES,
};

/* Reads the limit of the process. */
void descriptors_init(struct instance *inst, bool (*try_again)(struct instance *inst, bool few));

/* The timer is a handle of the instance. */
void descriptors_start(struct instance *inst);
void descriptors_finish(struct instance *inst);

/* Returns true if @fd, the lowest descriptor that was free, is among those that are kept. */
bool descriptors_are_short(const struct instance *inst, int fd, enum descriptors_kept kept);

/* Checks whether a program may hold @fd, the lowest descriptor that was free, for any time: if not,
 * the calls of others would wait that long. Returns 0, or -ENFILE, which is logged. */
int descriptors_check_full(struct instance *inst, int fd);

/* The same check for the descriptor that would come next. The call holds @fd meanwhile. The number
 * of @fd itself says little: the last call may have left it free. */
int descriptors_check_room(struct instance *inst, int fd);

/* Returns the error for a program: a lack of descriptors here becomes ENFILE and is logged. @error
 * is a negative errno. */
int descriptors_lack(struct instance *inst, int error);

/* Returns true if @error, a negative errno, is a lack of descriptors or memory, which passes: the
 * same work may succeed later. */
bool descriptors_lack_passes(int error);

/* Reports that descriptors or memory are short, once until the shortage has been over for a while.
 * A timer lets calls and connections try again. */
void descriptors_say_short(struct instance *inst, int error);

#endif
