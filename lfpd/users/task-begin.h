/* SPDX-License-Identifier: Apache-2.0 */
/* task-begin.h - TASK_BEGIN: a task of z/VSE begins */
#ifndef LFPD_USERS_TASK_BEGIN_H
#define LFPD_USERS_TASK_BEGIN_H

#include "lfpd/state/session.h"

int task_handle_begin(struct session *session, const struct lfp_frame *frame, const char **why);

#endif
