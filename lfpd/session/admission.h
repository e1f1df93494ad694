/* SPDX-License-Identifier: Apache-2.0 */
/* admission.h - HELLO: who may use the instance */
#ifndef LFPD_SESSION_ADMISSION_H
#define LFPD_SESSION_ADMISSION_H

#include "lfpd/state/session.h"

/* The first frame of a path. The session is then active, waiting, or ended. */
void admission_handle_hello(struct session *session, const struct lfp_frame *frame);

/* The session that is there has proved to live. */
void admission_refuse_second(struct session *session);

/* The session that was there has ended: is another one waiting? */
void admission_admit_next(struct instance *inst);

#endif
