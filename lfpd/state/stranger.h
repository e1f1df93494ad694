/* SPDX-License-Identifier: Apache-2.0 */
/* stranger.h - messages about connections that were not admitted, at a limited rate */
#ifndef LFPD_STATE_STRANGER_H
#define LFPD_STATE_STRANGER_H

#include <stdbool.h>

#include "lfp/ratelimit.h"

struct instance;

/*
 * Returns true if a message about one is to be logged now. @more is then set to the text of
 * lfp_ratelimit_due(), which goes to its end. Whoever reaches the path can connect without end, and
 * must not fill the log: at most ten are told in ten seconds.
 */
bool stranger_is_told(struct instance *inst, char more[static LFP_RATELIMIT_TEXT]);

#endif
