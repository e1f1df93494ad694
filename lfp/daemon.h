/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.h - leaving the terminal, and reporting the result of the start there */
#ifndef LFP_DAEMON_H
#define LFP_DAEMON_H

/*
 * The parent waits until its child reports an exit code or ends. Until then the child keeps
 * standard error, so that messages about its start are seen.
 */
struct lfp_daemon {
	int tell; /* the pipe to the parent; -1 if the parent does not wait */
};

/**
 * lfp_daemon_fork() - become two
 * @daemon:	in the child: for lfp_daemon_tell()
 * @code:	in the parent: the code that the child reported; -1 if it ended without one
 *
 * The child is in a session of its own, with umask 022 and no inherited descriptors but the
 * standard ones: the reader of an inherited pipe would wait for the daemon.
 *
 * Return: 0 in the child, 1 in the parent, or a negative errno.
 */
int lfp_daemon_fork(struct lfp_daemon *daemon, int *code);

/* Reports the child's start: 0 (success; the child leaves the terminal) or an exit code. Only the
 * first call has an effect. */
void lfp_daemon_tell(struct lfp_daemon *daemon, int code);

/* Time limits for the steps of a restart of lfpd. */

/* Limits of lfpd's waits, ms: */
#define LFP_HOLD_MS    30000u /* until the z/VSE side sends HELLO for its session */
#define LFP_RESUME_MS  10000u /* until it has listed its sockets (RESUMED) */
#define LFP_SUSPEND_MS 10000u /* until its last message (SUSPENDED, BYE) */
#define LFP_STORE_MS   5000u  /* until systemd has processed messages about its descriptor store */

/*
 * From "restart" until lfpd has ended, or is ready again in the same process. An lfpd that is still
 * resuming the state of the previous lfpd finishes that first, so the steps of two restarts may add
 * up. The rest is a reserve for a busy machine. TimeoutStopSec= of the unit is longer.
 */
#define LFP_RESTART_MS (LFP_HOLD_MS + LFP_RESUME_MS + LFP_SUSPEND_MS + 2 * LFP_STORE_MS + 10000u)

#endif
