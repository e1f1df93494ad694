/* SPDX-License-Identifier: Apache-2.0 */
/* restart.h - how long the steps of a restart of lfpd may take */
#ifndef LFP_RESTART_H
#define LFP_RESTART_H

/* What lfpd waits for, in ms: */
#define LFP_HOLD_MS    30000u /* the z/VSE side asks for its session (HELLO) */
#define LFP_RESUME_MS  10000u /* it has named all of its sockets (RESUMED) */
#define LFP_SUSPEND_MS 10000u /* it has said all it has to say (SUSPENDED, BYE) */
#define LFP_STORE_MS   5000u  /* systemd has looked at what it was told of its descriptor store */

/*
 * From "restart" until lfpd has ended, or is ready again in the same process. It leaves nothing
 * before it has what the lfpd before it has left, so all steps of two restarts may come first; the
 * rest is for a machine that has other things to do. TimeoutStopSec= of the unit is longer.
 */
#define LFP_RESTART_MS (LFP_HOLD_MS + LFP_RESUME_MS + LFP_SUSPEND_MS + 2 * LFP_STORE_MS + 10000u)

#endif
