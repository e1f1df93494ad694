/* SPDX-License-Identifier: Apache-2.0 */
/* admin.h - the admin socket: lfpd answers questions about itself */
#ifndef LFPD_WATCH_ADMIN_H
#define LFPD_WATCH_ADMIN_H

#include "lfpd/state/instance.h"

/* Listen at @path. 0 or a negative errno. */
int admin_start(struct instance *inst, const char *path, struct admin **out);

/* Stop; memory is freed by the loop. */
void admin_stop(struct admin *admin);

#endif
