/* SPDX-License-Identifier: Apache-2.0 */
/* restore.h - tasks and sockets from saved state and the descriptors that came with it */
#ifndef LFPD_RESTART_RESTORE_H
#define LFPD_RESTART_RESTORE_H

#include "lfp/table.h"
#include "lfpd/restart/suspend.h"
#include "lfpd/saved/saved.h"

struct restore {
	const uint8_t *bytes; /* mapped, and checked from its beginning to its end */
	size_t len;
	struct lfp_table hosts;   /* descriptors by their sockets' SO_COOKIE */
	struct lfp_table unnamed; /* the session's sockets that RESUME has not named yet, by id */
};

/**
 * restore_init() - check what was saved, and sort its descriptors
 * @what:	its descriptors are taken over, and closed if this fails
 * @why:	set if it fails
 * Return: 0 or a negative errno.
 */
int restore_init(struct restore *from, const struct suspended *what, const char **why);

/* Lets the orphans go on. Sets @session to the record of the session. */
void restore_orphans(struct restore *from, struct instance *inst, struct saved_session *session);

/* Restores tasks and sockets. Leaves out those that fail; z/VSE learns that they are gone. */
void restore_session(struct restore *from, struct session *session);

/* Notes that RESUME names a socket of the session; returns false if it named that one before. */
bool restore_name(struct restore *from, uint64_t id);

/* Resets the session's sockets that RESUME did not name; returns their number. */
size_t restore_drop_unnamed(struct restore *from, struct session *session);

/* Asks the saved questions about names again. */
void restore_questions(struct restore *from, struct session *session);

/* Closes the descriptors that no socket has taken, and frees @from's data. */
void restore_finish(struct restore *from);

#endif
