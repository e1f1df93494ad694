/* SPDX-License-Identifier: Apache-2.0 */
/* pidfile.h - the pid file of a daemon, and the lock on it that says whether the daemon lives */
#ifndef LFP_PIDFILE_H
#define LFP_PIDFILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "lfp/places.h"

/*
 * Theory of operation
 *
 * A daemon is running exactly as long as it holds the lock on its pid file; the number in the file
 * only says whom to signal. The kernel releases the lock however the daemon ends, so a stale file
 * cannot mislead.
 *
 * The lock is an open file description lock (F_OFD_SETLK): fork() passes it on, so that it can be
 * taken before a daemon leaves its parent, and F_OFD_GETLK can ask for it without taking it, so
 * that a look at a daemon's state never makes its start fail. It is no flock().
 */
struct lfp_pidfile {
	int fd;
	char path[LFP_PLACE_MAX];
};

/**
 * lfp_pidfile_create() - take the lock
 * @pf:		filled; finish it with lfp_pidfile_remove()
 * @path:	the file; its directory must exist
 *
 * The file is created if need be and emptied. Close-on-exec.
 *
 * Return: 0, -EBUSY if another process holds the lock, or another negative errno.
 */
int lfp_pidfile_create(struct lfp_pidfile *pf, const char *path);

/* Write the caller's process id; call it in the process that stays. 0 or a negative errno. */
int lfp_pidfile_write(struct lfp_pidfile *pf);

/**
 * lfp_pidfile_adopt() - the process that had the lock has become this one by exec()
 * @pf:		filled as by lfp_pidfile_create()
 * @path:	the file
 * @fd:		as lfp_pidfile_keep() gave it; closed on failure
 *
 * The file is written anew, so that its time tells when; it is never without its number.
 *
 * Return: 0 or a negative errno: then lfp_pidfile_create() is needed.
 */
int lfp_pidfile_adopt(struct lfp_pidfile *pf, const char *path, int fd);

/* Lets file and lock survive exec(). Returns the descriptor for lfp_pidfile_adopt(), or a negative
 * errno.
 */
int lfp_pidfile_keep(struct lfp_pidfile *pf);

/* Remove the file and give up the lock, in this order. Nothing happens if create failed. */
void lfp_pidfile_remove(struct lfp_pidfile *pf);

/* Closes only this process's descriptor: for the parent of a daemon. */
void lfp_pidfile_close(struct lfp_pidfile *pf);

enum lfp_pidfile_state {
	LFP_PIDFILE_NONE = 0, /* no file */
	LFP_PIDFILE_DEAD = 1, /* the file exists, the lock is free */
	LFP_PIDFILE_HELD = 2, /* running */
};

/**
 * lfp_pidfile_query() - is the daemon of this pid file running?
 * @path:	the file
 * @pid:	set to the number in it, or to 0 if it has no number (yet), or if root asks and the
 * process is not of the file's owner
 *
 * Return: an enum lfp_pidfile_state, or a negative errno.
 */
int lfp_pidfile_query(const char *path, pid_t *pid);

#endif
