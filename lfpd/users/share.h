/* SPDX-License-Identifier: Apache-2.0 */
/* share.h - each z/VSE user's part of the instance, and its limits */
#ifndef LFPD_USERS_SHARE_H
#define LFPD_USERS_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp/list.h"
#include "lfp/share.h"
#include "lfpd/state/instance.h"

/*
 * Theory of operation
 *
 * A socket counts for the user of the task that made it or took it (TAKEN), an accepted one for the
 * user of its listener, and both until the host's socket is closed: sockets outlive their tasks.
 *
 * A listener of a user that has all of its sockets waits in the list of that user. It goes on when
 * the user has one less. Only one listener at a time does, and when it is done it lets the next one
 * go on (sock/paused.c). So lfpd checks no listener that can accept nothing.
 */
enum share_kind {
	SHARE_SOCKETS, /* MAX_SOCKETS_USER */
	SHARE_TASKS,   /* MAX_TASKS_USER */
	SHARE_LOOKUPS, /* look-ups under way: three quarters of MAX_LOOKUPS */
	SHARE_THREADS, /* those of them that a thread works on: resolver.c */
};

struct share {
	struct lfp_share base;  /* first member */
	unsigned int spares;    /* sockets that no program may ever need: sock/life.c */
	struct lfp_list paused; /* listeners that wait until the user has less sockets */
	struct lfp_list jobs;   /* struct resolver_job: look-ups that wait for a thread */
	struct lfp_list meters; /* struct meter */
	struct lfp_list turn;   /* in instance->turns while there are such */
	struct share_log {
		uint64_t told;
		unsigned int more;
	} log[LFP_SHARE_KINDS]; /* refusal.c */
};

void shares_init(struct instance *inst);

/* Returns whether the user has reached its limit. */
bool share_is_spent(const struct instance *inst, uint32_t uid, enum share_kind kind);

/* Returns the limit of a user but root. */
unsigned int share_most(const struct instance *inst, enum share_kind kind);

/* Counts one more for the user. Returns the share, or NULL without memory. */
struct share *share_take(struct instance *inst, uint32_t uid, enum share_kind kind);

/* Counts one less. Frees @share if nothing else uses it. */
void share_drop(struct instance *inst, struct share *share, enum share_kind kind);

#endif
