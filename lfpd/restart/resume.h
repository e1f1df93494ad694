/* SPDX-License-Identifier: Apache-2.0 */
/* resume.h - going on with the session that another lfpd has suspended */
#ifndef LFPD_RESTART_RESUME_H
#define LFPD_RESTART_RESUME_H

#include "lfpd/restart/suspend.h"

/**
 * resume_offer() - take over what was left, right after instance_start()
 * @what:	its descriptors are the instance's from now on, in any case; its array is the
 * caller's
 *
 * Orphans go on at once; the rest waits until the z/VSE side asks for the session (HELLO), and is
 * reset if it asks for another one or does not come. Says what is wrong with it. Return: 0 or a
 * negative errno, with everything reset.
 */
int resume_offer(struct instance *inst, const struct suspended *what);

/* HELLO was good: if it is for the session that waits, the session is that one from now on. */
void resume_try(struct session *session);

int resume_handle_resume(struct session *session, const struct lfp_frame *frame, const char **why);
int resume_handle_resumed(struct session *session, const struct lfp_frame *frame, const char **why);

/* Reset what nobody has asked for. */
void resume_drop(struct instance *inst);

#endif
