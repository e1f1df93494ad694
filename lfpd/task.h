/* SPDX-License-Identifier: Apache-2.0 */
/* task.h - the tasks of z/VSE */
#ifndef LFPD_TASK_H
#define LFPD_TASK_H

#include "lfpd/session.h"

int task_handle_begin(struct session *session, const struct lfp_frame *frame, const char **why);
int task_handle_end(struct session *session, const struct lfp_frame *frame, const char **why);

bool task_known(const struct session *session, uint32_t id);
void task_drop_all(struct session *session);

#endif
