/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.h - leaving the terminal, and telling the one who waits there how the start went */
#ifndef LFPD_DAEMON_H
#define LFPD_DAEMON_H

/*
 * The parent waits until its child says that it is ready or has failed, and ends with what the
 * child says: so "lfpd && ..." and lfpd-ctl know that the instance is there.
 */
struct daemon {
	int tell; /* the pipe to the parent; -1 if nobody waits */
};

/* Fork; only the child returns. 0 or a negative errno. */
int daemon_begin(struct daemon *daemon);

/* The child has started (0, it lets go of the terminal) or not (exit code). */
void daemon_tell(struct daemon *daemon, int code);

#endif
