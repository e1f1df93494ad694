/* SPDX-License-Identifier: Apache-2.0 */
/* restore.h - tasks and sockets from saved state and the descriptors that came with it */
#ifndef LFPD_RESTART_RESTORE_H
#define LFPD_RESTART_RESTORE_H

#include "lfpd/base/table.h"
#include "lfpd/restart/suspend.h"
#include "lfpd/saved/saved.h"

struct restore {
	const uint8_t *bytes; /* mapped, and checked from its beginning to its end */
	size_t len;
	struct table hosts;   /* descriptors by their sockets' SO_COOKIE */
	struct table unnamed; /* the session's sockets that RESUME has not named yet, by id */
};

/**
 * restore_init() - check what was saved, and sort its descriptors
 * @what:	its descriptors are taken over, and closed if this fails
 * @why:	set if it fails
 * Return: 0 or a negative errno.
 */
int restore_init(struct restore *from, const struct suspended *what, const char **why);

/* The orphans go on; @session is set to what is said of the session. */
void restore_orphans(struct restore *from, struct instance *inst, struct saved_session *session);

/* Its tasks and sockets. Those that cannot be had are left out, and so z/VSE is told. */
void restore_session(struct restore *from, struct session *session);

/* RESUME names a socket of the session; false if it has named that one before. */
bool restore_name(struct restore *from, uint64_t id);

/* Reset the session's sockets that RESUME has not named; returns their number. */
size_t restore_drop_unnamed(struct restore *from, struct session *session);

/* Questions about names are asked again. */
void restore_questions(struct restore *from, struct session *session);

/* Close the descriptors that nobody has taken, and forget the rest. */
void restore_finish(struct restore *from);

#endif
